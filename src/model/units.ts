import { greatestOf } from './extremes.ts';

/** No meter has more digits; what a double shows beyond them is noise, of the service or of ours. */
const MEASURED_DIGITS = 12;

/** Converts kilowatts to watts. */
export function kilowattsToWatts(powerKilowatts: number): number {
  return scaled(powerKilowatts, 3);
}

/** Converts a percentage (0 to 100) to a ratio (0 to 1). */
export function percentToRatio(percent: number): number {
  return scaled(percent, -2);
}

/** Converts a ratio (0 to 1) to a percentage (0 to 100). */
export function ratioToPercent(ratio: number): number {
  return scaled(ratio, 2);
}

/** Converts degrees Fahrenheit to Celsius, to one decimal more than were measured. */
export function fahrenheitToCelsius(degrees: number): number {
  return rounded(((degrees - 32) * 5) / 9, decimalsOf(scaled(degrees, 0)) + 1);
}

/**
 * Multiplies a measured value by a power of ten: it moves the decimal point of the digits that a person
 * would read, so that 0.99391 kW are 993.91 W and not 993.9100000000001.
 */
export function scaled(value: number, powerOfTen: number): number {
  const [digits, exponent = '0'] = value.toPrecision(MEASURED_DIGITS).split('e');
  return Number(`${digits}e${Number(exponent) + powerOfTen}`);
}

/** Adds up measured values, to the decimals of the most exact of them. */
export function sumOf(values: readonly number[]): number {
  const total = values.reduce((sum, value) => sum + value, 0);
  return rounded(total, Math.max(0, greatestOf(values.map(decimalsOf))));
}

/** Multiplies two measured values, to the decimals that such a product can have. */
export function productOf(one: number, other: number): number {
  return rounded(one * other, decimalsOf(one) + decimalsOf(other));
}

function rounded(value: number, decimals: number): number {
  // Rounding makes -0 of a small negative value; adding 0 makes 0 of it.
  return Number(value.toFixed(Math.min(decimals, MEASURED_DIGITS))) + 0;
}

/** Counts the digits after the decimal point: 2 for 993.91, 7 for 1e-7. */
function decimalsOf(value: number): number {
  if (Number.isSafeInteger(value)) return 0; // true of most values
  const [digits = '', exponent = '0'] = String(value).split('e');
  const [, fraction = ''] = digits.split('.');
  return Math.max(0, fraction.length - Number(exponent));
}
