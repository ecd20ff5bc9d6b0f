// What a kWh from the sun saves, by the figures that inverters are usually sold with.
const SAVED_PER_KILOWATT_HOUR = {
  savingStandardCarbon: 0.4,
  co2EmissionReduction: 0.997,
  so2EmissionReduction: 0.03,
  noxEmissionReduction: 0.015,
} as const;

/** Works out what a lifetime's energy has saved, in kg (field notes 2.2 and 2.9). */
export function savings(energyKilowattHours: number): Readonly<Record<string, number>> {
  return Object.fromEntries(
    Object.entries(SAVED_PER_KILOWATT_HOUR).map(([name, perKilowattHour]) => [
      name,
      Number((energyKilowattHours * perKilowattHour).toFixed(2)),
    ]),
  );
}

/** Writes a power in kW. */
export function kilowatts(powerWatts: number, decimals: number): number {
  return Number((powerWatts / 1000).toFixed(decimals));
}

/** Writes an energy in kWh, to a hundredth. */
export function kilowattHours(energyWattHours: number): number {
  return Number((energyWattHours / 1000).toFixed(2));
}
