import { greatestOf } from './extremes.ts';

/** No meter has more digits; what a double shows beyond them is noise, of the service or of ours. */
const MEASURED_DIGITS = 12;

/** Nearly all values have no more decimals. */
const FEW_DECIMALS = 4;
/** So many digits are whole numbers that a double holds exactly, with room for powers of ten. */
const MOST_DIGITS = 1e11;
/** Up to this power of ten, a power and its product with such digits are exact, or rounded once. */
const EXACT_POWERS = 22;

/**
 * Returns the digits of a value with few decimals as a whole number: 5240 for 52.4 and the factor 100. Absent
 * where the value has more decimals, or is too large. The quotient of two whole numbers is the double that is
 * nearest to what a person would write, so that nothing is lost.
 */
function digitsOf(value: number, factor: number): number | undefined {
  const digits = Math.round(value * factor);
  return Math.abs(digits) < MOST_DIGITS && digits / factor === value ? digits + 0 : undefined;
}

/** Converts kilowatts to watts. */
export function kilowattsToWatts(powerKilowatts: number): number {
  return scaled(powerKilowatts, 3);
}

/** Converts a percentage (0 to 100) to a ratio (0 to 1). */
export function percentToRatio(percent: number): number {
  return scaled(percent, -2);
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
  // The way below makes texts of numbers, and all values of all devices come along here.
  const moved = powerOfTen - FEW_DECIMALS;
  const digits = digitsOf(value, 10 ** FEW_DECIMALS);
  if (digits !== undefined && Math.abs(moved) <= EXACT_POWERS)
    return moved < 0 ? digits / 10 ** -moved : digits * 10 ** moved;
  const [mantissa, exponent = '0'] = value.toPrecision(MEASURED_DIGITS).split('e');
  return Number(`${mantissa}e${Number(exponent) + powerOfTen}`);
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
  const measured = Math.min(decimals, MEASURED_DIGITS);
  const factor = 10 ** measured;
  const digits = Math.round(value * factor);
  // What is far from a tie is rounded the same without a text.
  if (Math.abs(digits) < MOST_DIGITS && Math.abs(value * factor - digits) < 0.25)
    return digits / factor + 0;
  // Rounding makes -0 of a small negative value; adding 0 makes 0 of it.
  return Number(value.toFixed(measured)) + 0;
}

/** Counts the digits after the decimal point: 2 for 993.91, 7 for 1e-7. */
function decimalsOf(value: number): number {
  for (let decimals = 0; decimals <= FEW_DECIMALS; decimals += 1)
    if (digitsOf(value, 10 ** decimals) !== undefined) return decimals;
  const [digits = '', exponent = '0'] = String(value).split('e');
  const [, fraction = ''] = digits.split('.');
  return Math.max(0, fraction.length - Number(exponent));
}
