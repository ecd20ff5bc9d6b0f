/** Converts kilowatts to watts. */
export function kilowattsToWatts(powerKilowatts: number): number {
  // 1.003 kW are 1003 W and not 1002.9999999999999: the last digit of a double is noise.
  return Number((powerKilowatts * 1000).toPrecision(15));
}

/** Converts a percentage (0 to 100) to a ratio (0 to 1). */
export function percentToRatio(percent: number): number {
  return percent / 100;
}
