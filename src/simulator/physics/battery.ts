const HOUR_MS = 3_600_000;

/** The battery of a plant of weight 1. */
export const BATTERY = {
  capacityWattHours: 10_240,
  /** Share of the charging energy that ends up stored, and of the stored energy that comes out. */
  chargeEfficiency: 0.96,
  dischargeEfficiency: 0.96,
  maxChargingAmperes: 60,
  maxDischargeAmperes: 100,
  minSocRatio: 0.1,
  maxSocRatio: 1,
  emptyVolts: 48,
  fullVolts: 54,
  resistanceOhms: 0.01,
} as const;

/** A battery that is made to run empty: where it starts, and how far the house may drain it. */
export const DRAIN = { socRatio: 0.25, minSocRatio: 0.03 } as const;

/** Computes the most the battery takes for `durationMs` without leaving its current or SOC limit. */
export function maxChargePowerWatts(socRatio: number, durationMs: number): number {
  const { capacityWattHours, chargeEfficiency, maxChargingAmperes, maxSocRatio } = BATTERY;
  const roomWattHours = Math.max(0, maxSocRatio - socRatio) * capacityWattHours;
  return Math.min(
    terminalVolts(socRatio, -maxChargingAmperes) * maxChargingAmperes,
    (roomWattHours / chargeEfficiency) * (HOUR_MS / durationMs),
  );
}

/** Computes the most the battery gives for `durationMs` without leaving its current or SOC limit. */
export function maxDischargePowerWatts(
  socRatio: number,
  durationMs: number,
  minSocRatio: number = BATTERY.minSocRatio,
): number {
  const { capacityWattHours, dischargeEfficiency, maxDischargeAmperes } = BATTERY;
  const storedWattHours = Math.max(0, socRatio - minSocRatio) * capacityWattHours;
  return Math.min(
    terminalVolts(socRatio, maxDischargeAmperes) * maxDischargeAmperes,
    storedWattHours * dischargeEfficiency * (HOUR_MS / durationMs),
  );
}

/** Computes the SOC after `durationMs` at a power (positive = discharging), losses included. */
export function socAfter(socRatio: number, powerWatts: number, durationMs: number): number {
  const { capacityWattHours, chargeEfficiency, dischargeEfficiency } = BATTERY;
  const storedWatts =
    powerWatts > 0 ? powerWatts / dischargeEfficiency : powerWatts * chargeEfficiency;
  return socRatio - (storedWatts * (durationMs / HOUR_MS)) / capacityWattHours;
}

/** Computes the current (positive = discharging) and voltage whose product is `powerWatts`. */
export function batteryTerminals(
  socRatio: number,
  powerWatts: number,
): { readonly amperes: number; readonly volts: number } {
  const openVolts = terminalVolts(socRatio, 0);
  // P = (U − R·I)·I solved for I, in the form that stays exact when P is close to 0.
  const root = Math.sqrt(openVolts * openVolts - 4 * BATTERY.resistanceOhms * powerWatts);
  const amperes = (2 * powerWatts) / (openVolts + root);
  return { amperes, volts: terminalVolts(socRatio, amperes) };
}

/** Voltage rises with the SOC; a discharging current pulls it down, a charging one lifts it. */
function terminalVolts(socRatio: number, dischargeAmperes: number): number {
  const { emptyVolts, fullVolts, resistanceOhms } = BATTERY;
  return emptyVolts + (fullVolts - emptyVolts) * socRatio - resistanceOhms * dischargeAmperes;
}
