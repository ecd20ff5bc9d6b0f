/** No meter has more digits. Further digits of a double are noise, from the service or from our calculation. */
const MEASURED_DIGITS = 12;
/** Results of such values are exact to this many digits: more than the values have, and fewer than a double has. */
const CALCULATED_DIGITS = 14;
/** Up to this power of ten a double is exact. */
const EXACT_POWER = 22;

/** Converts degrees Fahrenheit to Celsius, to one decimal more than were measured. */
export function fahrenheitToCelsius(degrees: number): number {
  const [, decimals = ''] = String(scaled(degrees, 0)).split('.');
  return rounded(((degrees - 32) * 5) / 9, decimals.length + 1);
}

/**
 * Multiplies a measured value by a power of ten: it moves the decimal point of the digits that a person
 * would read, so that 0.99391 kW are 993.91 W and not 993.9100000000001.
 */
export function scaled(value: number, powerOfTen: number): number {
  const factor = 10 ** Math.abs(powerOfTen);
  const moved = powerOfTen < 0 ? value / factor : value * factor;
  return rounded(moved, MEASURED_DIGITS - digitsBeforePoint(moved));
}

/** Adds up measured values, and leaves out the digits that none of them has. */
export function sumOf(values: readonly number[]): number {
  let [total, size] = [0, 0];
  for (const value of values) {
    total += value;
    size = Math.max(size, Math.abs(value));
  }
  return calculated(total, size);
}

/** Multiplies two measured values, and leaves out the digits that such a product cannot have. */
export function productOf(one: number, other: number): number {
  return calculated(one * other, one * other);
}

/** @param size - the size of the largest input: the error is a fraction of it. */
function calculated(value: number, size: number): number {
  return rounded(value, Math.min(CALCULATED_DIGITS - digitsBeforePoint(size), MEASURED_DIGITS));
}

/** 3 for 993.91, -6 for 1e-7. */
function digitsBeforePoint(value: number): number {
  return Math.floor(Math.log10(Math.abs(value))) + 1;
}

/** Rounds to decimals. The quotient of two whole numbers is the double nearest to the decimal number. */
function rounded(value: number, decimals: number): number {
  if (!(decimals <= EXACT_POWER)) return Number(value.toPrecision(MEASURED_DIGITS));
  const factor = 10 ** Math.abs(decimals);
  const near =
    decimals < 0 ? Math.round(value / factor) * factor : Math.round(value * factor) / factor;
  // Rounding makes -0 of a small negative value; adding 0 makes 0 of it.
  return near + 0;
}

/** Returns the smallest of these numbers, which may be too many for `Math.min`; `Infinity` for none. */
export function leastOf(values: Iterable<number>): number {
  let least = Infinity;
  for (const value of values) least = Math.min(least, value);
  return least;
}

/** Returns the largest of these numbers; `-Infinity` for none. */
export function greatestOf(values: Iterable<number>): number {
  let greatest = -Infinity;
  for (const value of values) greatest = Math.max(greatest, value);
  return greatest;
}
