import { type EnergyCounters, energyOf, type EnergyTotals } from './energy.ts';
import type { PlantState } from './plant.ts';
import { deriveSeed, smoothNoise } from './seeded.ts';
import { RATED_WATTS } from './station-plant.ts';

const MINUTE_MS = 60_000;
const FIRST_STRING_SHARE = 0.55;
const POWER_FACTOR = 0.97;

/** One string of panels. */
export interface PvString {
  readonly powerWatts: number;
  /** 0 in the dark. */
  readonly voltageVolts: number;
  readonly currentAmperes: number;
}

/** Everything an inverter can measure in one minute, unrounded. */
export interface InverterState extends PlantState {
  /** They add up to `pvPowerWatts`. */
  readonly pvStrings: readonly [PvString, PvString];
  readonly gridVoltageVolts: number;
  readonly gridFrequencyHertz: number;
  readonly outputVoltageVolts: number;
  readonly outputFrequencyHertz: number;
  readonly outputApparentPowerVoltAmperes: number;
  /** The load's share of the rated power. */
  readonly outputLoadRatio: number;
  readonly busVoltageVolts: number;
  readonly inverterTemperatureCelsius: number;
  readonly batteryTemperatureCelsius: number;
  /** The counters: a function, because they walk the month again. */
  readonly energy: () => EnergyCounters;
}

/** Measures one device in a minute in which its station's plant of weight 1 does this. */
export type Inverter = (
  plant: PlantState,
  physicalMs: number,
  energy: () => EnergyCounters,
) => InverterState;

/**
 * Makes the inverter of a device that is `weight` times its station's plant; the rest varies with the seed.
 *
 * @param loadWeight - that of all whose load it says; its own when left out.
 */
export function createInverter(seed: number, weight: number, loadWeight = weight): Inverter {
  /** Makes a quantity that varies around its middle by at most `swing`, with that period. */
  const varying = (seedOf: number, middle: number, swing: number, periodMinutes: number) => {
    const periodMs = periodMinutes * MINUTE_MS;
    return (atMs: number): number =>
      middle + swing * (2 * smoothNoise(seedOf, atMs / periodMs) - 1);
  };
  const firstStringVolts = varying(deriveSeed(seed, 'string', 1), 310, 25, 20);
  const secondStringVolts = varying(deriveSeed(seed, 'string', 2), 310, 25, 20);
  const gridVolts = varying(deriveSeed(seed, 'grid voltage'), 230, 7, 11);
  const gridHertz = varying(deriveSeed(seed, 'grid frequency'), 50, 0.08, 3);
  const outputVolts = varying(deriveSeed(seed, 'output voltage'), 230, 1.5, 7);
  const outputHertz = varying(deriveSeed(seed, 'output frequency'), 50, 0.03, 5);
  const busVolts = varying(deriveSeed(seed, 'bus voltage'), 390, 8, 13);
  const ambientCelsius = varying(deriveSeed(seed, 'ambient'), 27, 4, 180);

  return (plant, physicalMs, energy) => {
    const pvPowerWatts = plant.pvPowerWatts * weight;
    const loadPowerWatts = plant.loadPowerWatts * loadWeight;
    const throughputRatio = (plant.pvPowerWatts + plant.loadPowerWatts) / (2 * RATED_WATTS);
    return {
      ...plant,
      pvPowerWatts,
      loadPowerWatts,
      gridImportPowerWatts: plant.gridImportPowerWatts * weight,
      gridFeedInPowerWatts: plant.gridFeedInPowerWatts * weight,
      batteryPowerWatts: plant.batteryPowerWatts * weight,
      batteryChargingCurrentAmperes: plant.batteryChargingCurrentAmperes * weight,
      batteryDischargeCurrentAmperes: plant.batteryDischargeCurrentAmperes * weight,
      pvStrings: [
        pvString(pvPowerWatts * FIRST_STRING_SHARE, firstStringVolts(physicalMs)),
        pvString(pvPowerWatts * (1 - FIRST_STRING_SHARE), secondStringVolts(physicalMs)),
      ],
      gridVoltageVolts: gridVolts(physicalMs),
      gridFrequencyHertz: gridHertz(physicalMs),
      outputVoltageVolts: outputVolts(physicalMs),
      outputFrequencyHertz: outputHertz(physicalMs),
      outputApparentPowerVoltAmperes: loadPowerWatts / POWER_FACTOR,
      outputLoadRatio: plant.loadPowerWatts / RATED_WATTS,
      busVoltageVolts: busVolts(physicalMs),
      inverterTemperatureCelsius: ambientCelsius(physicalMs) + 30 * throughputRatio,
      batteryTemperatureCelsius: ambientCelsius(physicalMs) + 3,
      energy: () => {
        const { today, thisMonth, lifetime } = energy();
        const scaled = (span: EnergyTotals) => energyOf((name) => span[name] * weight);
        return { today: scaled(today), thisMonth: scaled(thisMonth), lifetime: scaled(lifetime) };
      },
    };
  };
}

function pvString(powerWatts: number, litVolts: number): PvString {
  const voltageVolts = powerWatts === 0 ? 0 : litVolts;
  return { powerWatts, voltageVolts, currentAmperes: powerWatts / litVolts };
}
