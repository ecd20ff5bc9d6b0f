import { mapEnergy, type EnergyCounters, type EnergyTotals } from './energy.ts';
import { scalePlantState, type PlantState } from './plant.ts';
import { deriveSeed, seededUnit, smoothNoise } from './seeded.ts';
import { RATED_WATTS } from './station-plant.ts';

const MINUTE_MS = 60_000;
const FIRST_STRING_SHARE = 0.55;
const POWER_FACTOR = 0.97;
const DARK_STRING = { powerWatts: 0, voltageVolts: 0, currentAmperes: 0 } as const;

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
  /** 0 to 1. */
  readonly batterySohRatio: number;
  /** The counters: a function, because they walk the month again and most answers hold none. */
  readonly energy: () => EnergyCounters;
}

/** What the station's plant of weight 1 does in one minute. */
export interface InverterInputs {
  readonly plant: PlantState;
  readonly physicalMs: number;
  readonly energy: () => EnergyCounters;
}

/** Measures one device in a minute of its station's plant. */
export type Inverter = (inputs: InverterInputs) => InverterState;

/**
 * Makes the inverter of a device that is `weight` times its station's plant; what surrounds the
 * flows wobbles with the seed.
 */
export function createInverter(seed: number, weight: number): Inverter {
  const strings = [
    createString(deriveSeed(seed, 'string', 1), FIRST_STRING_SHARE),
    createString(deriveSeed(seed, 'string', 2), 1 - FIRST_STRING_SHARE),
  ] as const;
  const gridVolts = createWobble(deriveSeed(seed, 'grid voltage'), 230, 7, 11);
  const gridHertz = createWobble(deriveSeed(seed, 'grid frequency'), 50, 0.08, 3);
  const outputVolts = createWobble(deriveSeed(seed, 'output voltage'), 230, 1.5, 7);
  const outputHertz = createWobble(deriveSeed(seed, 'output frequency'), 50, 0.03, 5);
  const busVolts = createWobble(deriveSeed(seed, 'bus voltage'), 390, 8, 13);
  const ambientCelsius = createWobble(deriveSeed(seed, 'ambient'), 27, 4, 180);
  const batterySohRatio = 0.95 + 0.05 * seededUnit(deriveSeed(seed, 'health'), 0);
  const scaled = (totals: EnergyTotals): EnergyTotals =>
    mapEnergy(totals, (wattHours) => wattHours * weight);

  return ({ plant, physicalMs, energy }) => {
    const throughputRatio = (plant.pvPowerWatts + plant.loadPowerWatts) / (2 * RATED_WATTS);
    const ambient = ambientCelsius(physicalMs);
    const flows = scalePlantState(plant, weight);
    return {
      ...flows,
      pvStrings: [
        strings[0](flows.pvPowerWatts, physicalMs),
        strings[1](flows.pvPowerWatts, physicalMs),
      ],
      gridVoltageVolts: gridVolts(physicalMs),
      gridFrequencyHertz: gridHertz(physicalMs),
      outputVoltageVolts: outputVolts(physicalMs),
      outputFrequencyHertz: outputHertz(physicalMs),
      outputApparentPowerVoltAmperes: flows.loadPowerWatts / POWER_FACTOR,
      outputLoadRatio: plant.loadPowerWatts / RATED_WATTS,
      busVoltageVolts: busVolts(physicalMs),
      inverterTemperatureCelsius: ambient + 30 * throughputRatio,
      batteryTemperatureCelsius: ambient + 3,
      batterySohRatio,
      energy: () => {
        const { today, thisMonth, lifetime } = energy();
        return {
          today: scaled(today),
          thisMonth: scaled(thisMonth),
          lifetime: scaled(lifetime),
        };
      },
    };
  };
}

function createString(
  seed: number,
  share: number,
): (pvPowerWatts: number, physicalMs: number) => PvString {
  const litVolts = createWobble(seed, 310, 25, 20);
  return (pvPowerWatts, physicalMs) => {
    if (pvPowerWatts === 0) return DARK_STRING;
    const powerWatts = pvPowerWatts * share;
    const voltageVolts = litVolts(physicalMs);
    return { powerWatts, voltageVolts, currentAmperes: powerWatts / voltageVolts };
  };
}

/** Makes a quantity that strays from its middle, by `swing` at the most, in so many minutes. */
function createWobble(
  seed: number,
  middle: number,
  swing: number,
  periodMinutes: number,
): (physicalMs: number) => number {
  const periodMs = periodMinutes * MINUTE_MS;
  return (physicalMs) => middle + swing * (2 * smoothNoise(seed, physicalMs / periodMs) - 1);
}
