import type { PlantState } from '../../src/simulator/simulator.ts';

/** Midnight of a day on which the first seed's weather lets the battery run empty and full. */
export const MIDNIGHT = '2026-06-21T16:00:00Z';

/** Half of the last digit that the service gives. */
export const WATT = 0.5;
export const AMPERE = 0.05;
export const VOLT = 0.05;
export const SOC = 0.005;

/** How far current times voltage may be off, each of them rounded. */
export function terminalTolerance(state: PlantState): number {
  const amperes = state.batteryChargingCurrentAmperes + state.batteryDischargeCurrentAmperes;
  return (amperes + AMPERE) * VOLT + state.batteryVoltageVolts * AMPERE;
}
