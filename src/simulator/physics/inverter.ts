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
  /** The counters: a function, because they walk the month again. */
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
 * Makes the inverter of a device that is `weight` times its station's plant. Its voltages,
 * frequencies and temperatures vary with the seed.
 */
export function createInverter(seed: number, weight: number): Inverter {
  const traits: InverterTraits = {
    strings: [
      createString(deriveSeed(seed, 'string', 1), FIRST_STRING_SHARE),
      createString(deriveSeed(seed, 'string', 2), 1 - FIRST_STRING_SHARE),
    ],
    gridVolts: createFluctuation(deriveSeed(seed, 'grid voltage'), 230, 7, 11),
    gridHertz: createFluctuation(deriveSeed(seed, 'grid frequency'), 50, 0.08, 3),
    outputVolts: createFluctuation(deriveSeed(seed, 'output voltage'), 230, 1.5, 7),
    outputHertz: createFluctuation(deriveSeed(seed, 'output frequency'), 50, 0.03, 5),
    busVolts: createFluctuation(deriveSeed(seed, 'bus voltage'), 390, 8, 13),
    ambientCelsius: createFluctuation(deriveSeed(seed, 'ambient'), 27, 4, 180),
    batterySohRatio: 0.95 + 0.05 * seededUnit(deriveSeed(seed, 'health'), 0),
    weight,
  };
  return (inputs) => new MeasuredMinute(inputs, traits);
}

type Fluctuation = (physicalMs: number) => number;
type StringAt = (pvPowerWatts: number, physicalMs: number) => PvString;

/** What tells one inverter from another. */
interface InverterTraits {
  readonly strings: readonly [StringAt, StringAt];
  readonly gridVolts: Fluctuation;
  readonly gridHertz: Fluctuation;
  readonly outputVolts: Fluctuation;
  readonly outputHertz: Fluctuation;
  readonly busVolts: Fluctuation;
  readonly ambientCelsius: Fluctuation;
  readonly batterySohRatio: number;
  readonly weight: number;
}

/** One minute of an inverter; computed on demand, because a time series needs few quantities of many minutes. */
class MeasuredMinute implements InverterState {
  readonly pvPowerWatts: number;
  readonly loadPowerWatts: number;
  readonly gridImportPowerWatts: number;
  readonly gridFeedInPowerWatts: number;
  readonly batteryPowerWatts: number;
  readonly batteryVoltageVolts: number;
  readonly batteryChargingCurrentAmperes: number;
  readonly batteryDischargeCurrentAmperes: number;
  readonly batterySocRatio: number;
  readonly #inputs: InverterInputs;
  readonly #traits: InverterTraits;

  constructor(inputs: InverterInputs, traits: InverterTraits) {
    const flows = scalePlantState(inputs.plant, traits.weight);
    this.pvPowerWatts = flows.pvPowerWatts;
    this.loadPowerWatts = flows.loadPowerWatts;
    this.gridImportPowerWatts = flows.gridImportPowerWatts;
    this.gridFeedInPowerWatts = flows.gridFeedInPowerWatts;
    this.batteryPowerWatts = flows.batteryPowerWatts;
    this.batteryVoltageVolts = flows.batteryVoltageVolts;
    this.batteryChargingCurrentAmperes = flows.batteryChargingCurrentAmperes;
    this.batteryDischargeCurrentAmperes = flows.batteryDischargeCurrentAmperes;
    this.batterySocRatio = flows.batterySocRatio;
    this.#inputs = inputs;
    this.#traits = traits;
  }

  get pvStrings(): readonly [PvString, PvString] {
    const [first, second] = this.#traits.strings;
    const { physicalMs } = this.#inputs;
    return [first(this.pvPowerWatts, physicalMs), second(this.pvPowerWatts, physicalMs)];
  }

  get gridVoltageVolts(): number {
    return this.#traits.gridVolts(this.#inputs.physicalMs);
  }

  get gridFrequencyHertz(): number {
    return this.#traits.gridHertz(this.#inputs.physicalMs);
  }

  get outputVoltageVolts(): number {
    return this.#traits.outputVolts(this.#inputs.physicalMs);
  }

  get outputFrequencyHertz(): number {
    return this.#traits.outputHertz(this.#inputs.physicalMs);
  }

  get outputApparentPowerVoltAmperes(): number {
    return this.loadPowerWatts / POWER_FACTOR;
  }

  get outputLoadRatio(): number {
    return this.#inputs.plant.loadPowerWatts / RATED_WATTS;
  }

  get busVoltageVolts(): number {
    return this.#traits.busVolts(this.#inputs.physicalMs);
  }

  get inverterTemperatureCelsius(): number {
    const { plant, physicalMs } = this.#inputs;
    const throughputRatio = (plant.pvPowerWatts + plant.loadPowerWatts) / (2 * RATED_WATTS);
    return this.#traits.ambientCelsius(physicalMs) + 30 * throughputRatio;
  }

  get batteryTemperatureCelsius(): number {
    return this.#traits.ambientCelsius(this.#inputs.physicalMs) + 3;
  }

  get batterySohRatio(): number {
    return this.#traits.batterySohRatio;
  }

  get energy(): () => EnergyCounters {
    const { energy } = this.#inputs;
    const scaled = (totals: EnergyTotals): EnergyTotals =>
      mapEnergy(totals, (wattHours) => wattHours * this.#traits.weight);
    return () => {
      const { today, thisMonth, lifetime } = energy();
      return { today: scaled(today), thisMonth: scaled(thisMonth), lifetime: scaled(lifetime) };
    };
  }
}

function createString(
  seed: number,
  share: number,
): (pvPowerWatts: number, physicalMs: number) => PvString {
  const litVolts = createFluctuation(seed, 310, 25, 20);
  return (pvPowerWatts, physicalMs) => {
    if (pvPowerWatts === 0) return DARK_STRING;
    const powerWatts = pvPowerWatts * share;
    const voltageVolts = litVolts(physicalMs);
    return { powerWatts, voltageVolts, currentAmperes: powerWatts / voltageVolts };
  };
}

/** Makes a quantity that varies around its middle by at most `swing`, with that period. */
function createFluctuation(
  seed: number,
  middle: number,
  swing: number,
  periodMinutes: number,
): (physicalMs: number) => number {
  const periodMs = periodMinutes * MINUTE_MS;
  return (physicalMs) => middle + swing * (2 * smoothNoise(seed, physicalMs / periodMs) - 1);
}
