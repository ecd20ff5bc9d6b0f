import { MOST_REMEMBERED, RecentMap } from '../../base/recent-map.ts';
import {
  type EnergyCounters,
  energyOf,
  energySince,
  type EnergyTotals,
  NO_ENERGY,
  sumEnergy,
} from './energy.ts';
import {
  advancePlant,
  plantState,
  type PlantInputs,
  type PlantProgress,
  type PlantState,
} from './plant.ts';
import { deriveSeed } from './seeded.ts';
import { hourOfDay, type LocalMonth, type StationCalendar } from './station-calendar.ts';
import * as sunAndHouse from './sun-and-house.ts';

const MINUTE_MS = 60_000;
const PAST_MONTH_STEP_MS = 10 * MINUTE_MS;
const PANEL_PEAK_WATTS = 5_400;
const PERFORMANCE_RATIO = 0.85;

/** What the inverter of a plant of weight 1 can put out. */
export const RATED_WATTS = 5_000;

/** Where the stations stand. */
export const LATITUDE_DEGREES = 14.6;

/** When the counters of every plant began. */
export const INSTALLED_YEAR = 2024;

/** A battery that is made to run empty: where it starts, and how far the house may drain it. */
const DRAIN = { socRatio: 0.25, minSocRatio: 0.03 } as const;

// A client that reads the past jumps between five months, and live readings are of one more. To walk a
// month takes some 12 ms, and to keep it 0.3 MB.
const KEPT_PATHS = 6;

/**
 * The plant of one station, of weight 1: its devices are copies of it, each scaled by its weight.
 * Every month starts afresh with a half-charged battery, so any instant is reached quickly.
 */
export class StationPlant {
  readonly #weather: ReturnType<typeof sunAndHouse.createWeather>;
  readonly #household: ReturnType<typeof sunAndHouse.createHousehold>;
  readonly #calendar: StationCalendar;
  readonly #drainFromMs: number;
  readonly #paths = new RecentMap<number, PlantPath>(KEPT_PATHS);
  readonly #wholeMonths = new RecentMap<number, EnergyTotals>(MOST_REMEMBERED);
  readonly #energyBefore = new RecentMap<number, EnergyTotals>(MOST_REMEMBERED);
  #latestCounters: { readonly minute: number; readonly counters: EnergyCounters } | undefined;

  /** @param drainFromMs - when its battery is nearly empty and may run emptier; never when left out */
  constructor(seed: number, calendar: StationCalendar, drainFromMs = Infinity) {
    this.#weather = sunAndHouse.createWeather(deriveSeed(seed, 'weather'));
    this.#household = sunAndHouse.createHousehold(deriveSeed(seed, 'household'));
    this.#calendar = calendar;
    this.#drainFromMs = Math.floor(drainFromMs / MINUTE_MS) * MINUTE_MS;
  }

  /** Computes the flows of the minute that holds a physical instant. */
  stateAt(physicalMs: number): PlantState {
    return this.#minutePath(physicalMs).stateAt(physicalMs);
  }

  /** Sums the energy of a physical month up to an instant in it, in one-minute steps. */
  monthSoFar(physicalMs: number): EnergyTotals {
    return this.#minutePath(physicalMs).totalsAt(physicalMs);
  }

  /** Sums the energy between two physical instants of one month, or up to its end. */
  energyBetween(fromMs: number, toMs: number): EnergyTotals {
    const path = this.#minutePath(fromMs);
    return energySince(path.totalsAt(fromMs), path.totalsAt(toMs));
  }

  /**
   * Sums the energy of a whole month, in ten-minute steps: eleven past months take as long as one
   * current one, for a figure that may differ by a per cent from the one-minute sum.
   */
  wholeMonth(month: LocalMonth): EnergyTotals {
    const { startMs, endMs } = month;
    return this.#wholeMonths.getOrMake(startMs, () =>
      createPath(this.#inputsIn(month), startMs, PAST_MONTH_STEP_MS).totalsAt(endMs),
    );
  }

  /** Sums the energy of the whole months from the installation up to one. */
  energyBefore({ year, month, startMs }: LocalMonth): EnergyTotals {
    const months = Math.max(0, (year - INSTALLED_YEAR) * 12 + month - 1);
    return this.#energyBefore.getOrMake(startMs, () => {
      const energies = Array.from({ length: months }, (_, index) => {
        const yearOfIndex = INSTALLED_YEAR + Math.floor(index / 12);
        return this.wholeMonth(this.#calendar.monthOf(yearOfIndex, 1 + (index % 12)));
      });
      return sumEnergy(energies);
    });
  }

  /** Computes the counters at a physical instant. */
  countersAt(physicalMs: number): EnergyCounters {
    const minute = Math.floor(physicalMs / MINUTE_MS);
    // All devices of a list are asked for the same minute.
    if (this.#latestCounters?.minute === minute) return this.#latestCounters.counters;
    const month = this.#calendar.monthAt(physicalMs);
    const thisMonth = this.monthSoFar(physicalMs);
    // The month in minutes may be more than in tens of minutes: no counter falls when it has ended.
    const whole = this.wholeMonth(month);
    const counted = energyOf((name) => Math.min(thisMonth[name], whole[name]));
    const counters = {
      today: energySince(this.monthSoFar(this.#calendar.dayStartMs(physicalMs)), thisMonth),
      thisMonth,
      lifetime: sumEnergy([this.energyBefore(month), counted]),
    };
    this.#latestCounters = { minute, counters };
    return counters;
  }

  #minutePath(physicalMs: number): PlantPath {
    const month = this.#calendar.monthAt(physicalMs);
    return this.#paths.getOrMake(month.startMs, () =>
      createPath(this.#inputsIn(month), month.startMs, MINUTE_MS),
    );
  }

  #inputsIn({ year, month, startMs }: LocalMonth): PlantInputsAt {
    // One offset for the whole month: the sun does not observe daylight saving.
    const offsetMs = Date.UTC(year, month - 1) - startMs;
    const newYearMs = Date.UTC(year, 0, 1);
    let day = 0;
    let sun = sunAndHouse.sunOfDay(LATITUDE_DEGREES, day);
    return (atMs) => {
      const localMs = atMs + offsetMs;
      const dayOfYear = 1 + Math.floor((localMs - newYearMs) / 86_400_000);
      if (dayOfYear !== day) {
        day = dayOfYear;
        sun = sunAndHouse.sunOfDay(LATITUDE_DEGREES, day);
      }
      const hour = hourOfDay(localMs);
      return {
        pvPowerWatts: this.#pvPowerWatts(sun(hour), atMs),
        loadPowerWatts: this.#household(atMs, hour),
        minSocRatio: atMs >= this.#drainFromMs ? DRAIN.minSocRatio : undefined,
        socRatio: atMs === this.#drainFromMs ? DRAIN.socRatio : undefined,
      };
    };
  }

  #pvPowerWatts(elevationSine: number, atMs: number): number {
    // Nights are half of all minutes, and the weather is the costly part.
    if (elevationSine <= 0) return 0;
    const irradiance = sunAndHouse.clearSkyWattsPerSquareMetre(elevationSine) * this.#weather(atMs);
    return Math.min(RATED_WATTS, PANEL_PEAK_WATTS * PERFORMANCE_RATIO * (irradiance / 1000));
  }
}

/** The sun and the house at an instant. */
type PlantInputsAt = (atMs: number) => PlantInputs;

/** What a plant does from a start on, in equal steps. */
interface PlantPath {
  /** Computes the flows of the step that holds the instant. */
  stateAt(atMs: number): PlantState;
  /** Sums the energy from the start to the beginning of the step that holds the instant. */
  totalsAt(atMs: number): EnergyTotals;
}

// One kept step in thirty: a month of minutes stays small, and at most 29 steps are walked again.
const STEPS_PER_CHECKPOINT = 30;

const START: PlantProgress = { socRatio: 0.5, ...NO_ENERGY };

/**
 * Walks a plant from a start, half charged. The SOC depends on all that came before, so the path is
 * walked only as far as it is asked for and remembered at checkpoints.
 */
function createPath(inputsAt: PlantInputsAt, startMs: number, stepMs: number): PlantPath {
  const checkpoints: PlantProgress[] = [START];
  const stepHolding = (atMs: number): number => Math.floor((atMs - startMs) / stepMs);
  const inputsOf = (step: number): PlantInputs => inputsAt(startMs + step * stepMs);
  const walk = (fromCheckpoint: number, count: number): PlantProgress => {
    let progress = checkpoints[fromCheckpoint] ?? START;
    const fromStep = fromCheckpoint * STEPS_PER_CHECKPOINT;
    for (let step = fromStep; step < fromStep + count; step += 1)
      progress = advancePlant(progress, inputsOf(step), stepMs);
    return progress;
  };
  const progressAt = (step: number): PlantProgress => {
    const checkpoint = Math.floor(step / STEPS_PER_CHECKPOINT);
    for (let last = checkpoints.length - 1; last < checkpoint; last += 1)
      checkpoints.push(walk(last, STEPS_PER_CHECKPOINT));
    return walk(checkpoint, step - checkpoint * STEPS_PER_CHECKPOINT);
  };
  return {
    stateAt: (atMs) => {
      const step = stepHolding(atMs);
      return plantState(inputsOf(step), progressAt(step).socRatio, stepMs);
    },
    totalsAt: (atMs) => progressAt(stepHolding(atMs)),
  };
}
