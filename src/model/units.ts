/** Converts kilowatts to watts. */
export function kilowattsToWatts(powerKilowatts: number): number {
  return powerKilowatts * 1000;
}

/** Converts a percentage (0 to 100) to a ratio (0 to 1). */
export function percentToRatio(percent: number): number {
  return percent / 100;
}
