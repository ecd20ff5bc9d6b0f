import type { EnergyTotals } from './energy.ts';

const HOUR_MS = 3_600_000;

/** The battery of a plant of weight 1. */
const BATTERY = {
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

/** All that acts on a plant during one step: what the sun offers, what the house draws. */
export interface PlantInputs {
  readonly pvPowerWatts: number;
  readonly loadPowerWatts: number;
  /** How far the house may drain the battery; undefined: as far as any. */
  readonly minSocRatio?: number | undefined;
  /** The charge at the step's beginning, whatever was left before. */
  readonly socRatio?: number | undefined;
}

/** Every flow of a plant during one step; all are non-negative but `batteryPowerWatts`. */
export interface PlantState extends Pick<PlantInputs, 'pvPowerWatts' | 'loadPowerWatts'> {
  readonly gridImportPowerWatts: number;
  readonly gridFeedInPowerWatts: number;
  /** Positive when discharging; current times voltage. */
  readonly batteryPowerWatts: number;
  readonly batteryVoltageVolts: number;
  /** One of the two currents is always 0. */
  readonly batteryChargingCurrentAmperes: number;
  readonly batteryDischargeCurrentAmperes: number;
  /** At the step's beginning, 0 to 1. */
  readonly batterySocRatio: number;
}

/** Where a plant stands between two steps; the energy counts from its start. */
export interface PlantProgress extends EnergyTotals {
  readonly socRatio: number;
}

/** Computes every flow of a step that starts with the charge that was left; the grid closes the balance. */
export function plantState(
  inputs: PlantInputs,
  leftSocRatio: number,
  durationMs: number,
): PlantState {
  const socRatio = inputs.socRatio ?? leftSocRatio;
  const batteryWatts = batteryPowerWatts(inputs, socRatio, durationMs);
  const gridWatts = inputs.loadPowerWatts - inputs.pvPowerWatts - batteryWatts;
  const amperes = batteryAmperes(socRatio, batteryWatts);
  return {
    pvPowerWatts: inputs.pvPowerWatts,
    loadPowerWatts: inputs.loadPowerWatts,
    gridImportPowerWatts: Math.max(0, gridWatts),
    gridFeedInPowerWatts: Math.max(0, -gridWatts),
    batteryPowerWatts: batteryWatts,
    batteryVoltageVolts: terminalVolts(socRatio, amperes),
    batteryChargingCurrentAmperes: Math.max(0, -amperes),
    batteryDischargeCurrentAmperes: Math.max(0, amperes),
    batterySocRatio: socRatio,
  };
}

/** Moves a plant one step on: the SOC by what flowed, losses included, the totals by what was metered. */
export function advancePlant(
  progress: PlantProgress,
  inputs: PlantInputs,
  durationMs: number,
): PlantProgress {
  const { capacityWattHours, chargeEfficiency, dischargeEfficiency } = BATTERY;
  const { pvPowerWatts, loadPowerWatts, socRatio = progress.socRatio } = inputs;
  const watts = batteryPowerWatts(inputs, socRatio, durationMs);
  const gridWatts = loadPowerWatts - pvPowerWatts - watts;
  const storedWatts = watts > 0 ? watts / dischargeEfficiency : watts * chargeEfficiency;
  const hours = durationMs / HOUR_MS;
  return {
    socRatio: socRatio - (storedWatts * hours) / capacityWattHours,
    pvWattHours: progress.pvWattHours + pvPowerWatts * hours,
    loadWattHours: progress.loadWattHours + loadPowerWatts * hours,
    gridImportWattHours: progress.gridImportWattHours + Math.max(0, gridWatts) * hours,
    gridFeedInWattHours: progress.gridFeedInWattHours + Math.max(0, -gridWatts) * hours,
    batteryChargedWattHours: progress.batteryChargedWattHours + Math.max(0, -watts) * hours,
    batteryDischargedWattHours: progress.batteryDischargedWattHours + Math.max(0, watts) * hours,
  };
}

/** Chooses the battery's power, positive when discharging: what the house spares or lacks, within its limits. */
function batteryPowerWatts(
  { pvPowerWatts, loadPowerWatts, minSocRatio = BATTERY.minSocRatio }: PlantInputs,
  socRatio: number,
  durationMs: number,
): number {
  const { capacityWattHours, maxChargingAmperes, maxDischargeAmperes, maxSocRatio } = BATTERY;
  const surplusWatts = pvPowerWatts - loadPowerWatts;
  if (surplusWatts > 0) {
    const roomWattHours = Math.max(0, maxSocRatio - socRatio) * capacityWattHours;
    return -Math.min(
      surplusWatts,
      terminalVolts(socRatio, -maxChargingAmperes) * maxChargingAmperes,
      (roomWattHours / BATTERY.chargeEfficiency) * (HOUR_MS / durationMs),
    );
  }
  const storedWattHours = Math.max(0, socRatio - minSocRatio) * capacityWattHours;
  return Math.min(
    -surplusWatts,
    terminalVolts(socRatio, maxDischargeAmperes) * maxDischargeAmperes,
    storedWattHours * BATTERY.dischargeEfficiency * (HOUR_MS / durationMs),
  );
}

/** Computes the current, positive when discharging, whose product with the voltage is `powerWatts`. */
function batteryAmperes(socRatio: number, powerWatts: number): number {
  const openVolts = terminalVolts(socRatio, 0);
  // P = (U − R·I)·I solved for I, in the form that stays exact when P is close to 0.
  const root = Math.sqrt(openVolts * openVolts - 4 * BATTERY.resistanceOhms * powerWatts);
  return (2 * powerWatts) / (openVolts + root);
}

/** Voltage rises with the SOC; a discharging current pulls it down, a charging one lifts it. */
function terminalVolts(socRatio: number, dischargeAmperes: number): number {
  const { emptyVolts, fullVolts, resistanceOhms } = BATTERY;
  return emptyVolts + (fullVolts - emptyVolts) * socRatio - resistanceOhms * dischargeAmperes;
}
