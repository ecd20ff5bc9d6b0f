import type { EnergyCounters, EnergyTotals } from '../physics/energy.ts';
import type { InverterState, PvString } from '../physics/inverter.ts';

/** One attribute of a family: how the portal tags it and how the inverter measures it. */
export interface Field {
  /** The unit tag, letter for letter as the portal sends it; empty for texts. */
  readonly unit: string;
  readonly isText: boolean;
  readonly measure: (state: InverterState) => number | string;
  /** The text that the portal shows in place of a value. */
  readonly displays?: Readonly<Record<string, string>>;
}

export type Fields = Readonly<Record<string, Field>>;

/** What is measured: a number of the inverter by its name, or one that is made of several. */
type Quantity = MeasuredName | ((state: InverterState) => number);
type MeasuredName = Exclude<keyof InverterState, 'pvStrings' | 'energy'>;

/** Makes a field of each quantity in a unit, at the resolution that inverters have. */
const inUnit =
  (unit: string, shown: (amount: number) => number) =>
  (quantity: Quantity): Field => ({
    unit,
    isText: false,
    measure: (state) => shown(typeof quantity === 'string' ? state[quantity] : quantity(state)),
  });

export const watts = inUnit('W', (amount) => rounded(amount, 1));
export const kilowatts = inUnit('kW', (amount) => rounded(amount, 1) / 1000);
export const voltAmperes = inUnit('VA', (amount) => rounded(amount, 1));
export const volts = inUnit('V', (amount) => rounded(amount, 10));
export const amperes = inUnit('A', (amount) => rounded(amount, 10));
export const hertz = inUnit('Hz', (amount) => rounded(amount, 100));
/** Makes a percentage of a ratio. */
export const percent = inUnit('%', (ratio) => rounded(ratio * 100, 1));

/** Makes a temperature, so much above that of a quantity; the portal has two spellings of the unit. */
export const celsius = (unit: '°C' | '℃', quantity: Quantity, above = 0): Field =>
  inUnit(unit, (amount) => rounded(amount + above, 1))(quantity);

/** Makes a counter in kWh, at a resolution of 0.1 kWh. */
export const kilowattHours = (span: keyof EnergyCounters, flow: keyof EnergyTotals): Field =>
  inUnit('kWh', (amount) => rounded(amount / 1000, 10))((state) => state.energy()[span][flow]);

/** Makes a number that never changes. */
export const constant = (unit: string, value: number): Field =>
  inUnit(unit, () => value)(() => value);

/** Makes a text or the name of a state, with the texts that the portal shows for it. */
export const text = (measure: (state: InverterState) => string, displays = {}): Field => ({
  unit: '',
  isText: true,
  measure,
  displays,
});

/** Spells a number as a string, as some firmware does. */
export function spelled(field: Field): Field {
  return { ...field, measure: (state) => String(field.measure(state)) };
}

/** Measures a string of panels. */
export const pvString =
  (index: 0 | 1, name: keyof PvString) =>
  (state: InverterState): number =>
    state.pvStrings[index][name];

/** Measures the grid's power: positive when importing. */
export const gridInwardWatts = (state: InverterState): number =>
  state.gridImportPowerWatts - state.gridFeedInPowerWatts;

/** Measures the grid's power: positive when feeding in. */
export const gridOutwardWatts = (state: InverterState): number => -gridInwardWatts(state);

/** Measures the battery's current: positive when discharging. */
export const batteryOutwardAmperes = (state: InverterState): number =>
  state.batteryDischargeCurrentAmperes - state.batteryChargingCurrentAmperes;

/** Measures the battery's current: positive when charging. */
export const batteryInwardAmperes = (state: InverterState): number => -batteryOutwardAmperes(state);

/** Makes up the name a person is shown for a key: words where the key has capitals. */
export function displayName(key: string): string {
  const words = key.replaceAll('_', ' ').replaceAll(/(?<=[a-z\d])(?=[A-Z])/g, ' ');
  const rest = words.slice(1).replaceAll(/\b[A-Z](?=[a-z])/g, (letter) => letter.toLowerCase());
  return words.charAt(0).toUpperCase() + rest;
}

function rounded(value: number, stepsPerUnit: number): number {
  // Adding 0 takes the sign off a zero that was negative.
  return Math.round(value * stepsPerUnit) / stepsPerUnit + 0;
}
