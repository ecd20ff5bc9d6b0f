import type { Field } from './family-model.ts';
import type { InverterState } from '../physics/inverter.ts';

type Quantity = (state: InverterState) => number;

/** Makes a power in W, at an inverter's resolution of 1 W. */
export const watts = (quantityWatts: Quantity): Field => numeric('W', 1, quantityWatts);

/** Makes a power in kW, at a resolution of 1 W. */
export const kilowatts = (quantityWatts: Quantity): Field => ({
  unit: 'kW',
  kind: 'number',
  measure: (state) => rounded(quantityWatts(state), 1) / 1000,
});

/** Makes an apparent power in VA. */
export const voltAmperes = (quantity: Quantity): Field => numeric('VA', 1, quantity);

/** Makes a voltage, at a resolution of 0.1 V. */
export const volts = (quantityVolts: Quantity): Field => numeric('V', 10, quantityVolts);

/** Makes a current, at a resolution of 0.1 A. */
export const amperes = (quantityAmperes: Quantity): Field => numeric('A', 10, quantityAmperes);

/** Makes a percentage of a ratio, at a resolution of 1 %. */
export const percent = (ratio: Quantity): Field => numeric('%', 1, (state) => ratio(state) * 100);

/** Makes a frequency, at a resolution of 0.01 Hz. */
export const hertz = (quantityHertz: Quantity): Field => numeric('Hz', 100, quantityHertz);

/** Makes a temperature, at a resolution of 1 °C; the portal has two spellings of the unit. */
export const celsius = (quantityCelsius: Quantity, unit: '°C' | '℃'): Field =>
  numeric(unit, 1, quantityCelsius);

/** Makes an energy in kWh, at a resolution of 0.1 kWh. */
export const kilowattHours = (quantityWattHours: Quantity): Field =>
  numeric('kWh', 10, (state) => quantityWattHours(state) / 1000);

/** Makes a number that never changes. */
export const constant = (unit: string, value: number): Field => numeric(unit, 1000, () => value);

/** Makes a text or the name of a state, with the texts that the portal shows for it. */
export function text(
  measure: (state: InverterState) => string,
  displays: Readonly<Record<string, string>> = {},
): Field {
  return { unit: '', kind: 'text', measure, displays };
}

/** Spells a number as a string, as some firmware does. */
export function spelled(field: Field): Field {
  return { ...field, kind: 'numeric-text', measure: (state) => String(field.measure(state)) };
}

function numeric(unit: string, stepsPerUnit: number, quantity: Quantity): Field {
  return { unit, kind: 'number', measure: (state) => rounded(quantity(state), stepsPerUnit) };
}

function rounded(value: number, stepsPerUnit: number): number {
  // Adding 0 takes the sign off a zero that was negative.
  return Math.round(value * stepsPerUnit) / stepsPerUnit + 0;
}
