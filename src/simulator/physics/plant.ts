import {
  batteryTerminals,
  maxChargePowerWatts,
  maxDischargePowerWatts,
  socAfter,
} from './battery.ts';
import type { EnergyTotals } from './energy.ts';

/** What the sun offers and the house draws during one step. */
interface Powers {
  readonly pvPowerWatts: number;
  readonly loadPowerWatts: number;
}

/** All that acts on a plant during one step. */
export interface PlantInputs extends Powers {
  /** How far the house may drain the battery; undefined: as far as any. */
  readonly minSocRatio?: number | undefined;
  /** The charge at the step's beginning, whatever was left before. */
  readonly socRatio?: number | undefined;
}

/** Every flow of a plant during one step; all are non-negative but `batteryPowerWatts`. */
export interface PlantState extends Powers {
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

/** Chooses the battery's power: it takes what the house leaves over and gives what it lacks. */
export function batteryPowerWatts(
  { pvPowerWatts, loadPowerWatts, minSocRatio }: PlantInputs,
  socRatio: number,
  durationMs: number,
): number {
  const surplusWatts = pvPowerWatts - loadPowerWatts;
  return surplusWatts > 0
    ? -Math.min(surplusWatts, maxChargePowerWatts(socRatio, durationMs))
    : Math.min(-surplusWatts, maxDischargePowerWatts(socRatio, durationMs, minSocRatio));
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
  const { amperes, volts } = batteryTerminals(socRatio, batteryWatts);
  return {
    pvPowerWatts: inputs.pvPowerWatts,
    loadPowerWatts: inputs.loadPowerWatts,
    gridImportPowerWatts: Math.max(0, gridWatts),
    gridFeedInPowerWatts: Math.max(0, -gridWatts),
    batteryPowerWatts: batteryWatts,
    batteryVoltageVolts: volts,
    batteryChargingCurrentAmperes: Math.max(0, -amperes),
    batteryDischargeCurrentAmperes: Math.max(0, amperes),
    batterySocRatio: socRatio,
  };
}

/** Where a path stands between two steps; the energy counts from its start. */
export interface PlantProgress extends EnergyTotals {
  readonly socRatio: number;
}

/** Moves a plant one step on: the SOC by what flowed, the totals by what was metered. */
export function advancePlant(
  progress: PlantProgress,
  inputs: PlantInputs,
  durationMs: number,
): PlantProgress {
  const socRatio = inputs.socRatio ?? progress.socRatio;
  const batteryWatts = batteryPowerWatts(inputs, socRatio, durationMs);
  const gridWatts = inputs.loadPowerWatts - inputs.pvPowerWatts - batteryWatts;
  const hours = durationMs / 3_600_000;
  return {
    socRatio: socAfter(socRatio, batteryWatts, durationMs),
    pvWattHours: progress.pvWattHours + inputs.pvPowerWatts * hours,
    loadWattHours: progress.loadWattHours + inputs.loadPowerWatts * hours,
    gridImportWattHours: progress.gridImportWattHours + Math.max(0, gridWatts) * hours,
    gridFeedInWattHours: progress.gridFeedInWattHours + Math.max(0, -gridWatts) * hours,
    batteryChargedWattHours: progress.batteryChargedWattHours + Math.max(0, -batteryWatts) * hours,
    batteryDischargedWattHours:
      progress.batteryDischargedWattHours + Math.max(0, batteryWatts) * hours,
  };
}

/** Scales a plant to a device: flows and currents by its weight, voltage and SOC not at all. */
export function scalePlantState(state: PlantState, weight: number): PlantState {
  return {
    pvPowerWatts: state.pvPowerWatts * weight,
    loadPowerWatts: state.loadPowerWatts * weight,
    gridImportPowerWatts: state.gridImportPowerWatts * weight,
    gridFeedInPowerWatts: state.gridFeedInPowerWatts * weight,
    batteryPowerWatts: state.batteryPowerWatts * weight,
    batteryVoltageVolts: state.batteryVoltageVolts,
    batteryChargingCurrentAmperes: state.batteryChargingCurrentAmperes * weight,
    batteryDischargeCurrentAmperes: state.batteryDischargeCurrentAmperes * weight,
    batterySocRatio: state.batterySocRatio,
  };
}
