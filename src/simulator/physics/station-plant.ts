import { RecentMap } from '../../base/recent-map.ts';
import type { ZonedCalendar } from '../../base/time-zone.ts';
import { type EnergyCounters, energySince, type EnergyTotals, NO_ENERGY } from './energy.ts';
import {
  advancePlant,
  plantState,
  type PlantInputs,
  type PlantProgress,
  type PlantState,
} from './plant.ts';
import { deriveSeed } from './seeded.ts';
import * as sunAndHouse from './sun-and-house.ts';

const MINUTE_MS = 60_000;
/** The sun and the house are looked at so often; the battery moves every minute. */
const STEP_MS = 5 * MINUTE_MS;
const HOUR_MS = 60 * MINUTE_MS;
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

/** A page of the past has seven days, of 0.05 MB each. */
const KEPT_DAYS = 10;
/** Of each, two years are 0.1 MB. */
const KEPT_PLANTS = 50;

/** A day of a plant: how it stands at the beginning of each step. */
interface PlantDay {
  readonly startsAtMs: number;
  readonly inputsAt: (atMs: number) => PlantInputs;
  readonly steps: readonly PlantProgress[];
}

const START: PlantProgress = { socRatio: 0.5, ...NO_ENERGY };

/** How a plant stands at each midnight since the installation, as far as anybody asked. */
interface Walked {
  untilMs: number;
  readonly midnights: Map<number, PlantProgress>;
}

/** By what a plant depends on: two years take 100 ms, and the simulators of a process have the same plants. */
const walkedPlants = new RecentMap<string, Walked>(KEPT_PLANTS);

/**
 * The plant of one station, of weight 1: its devices are copies of it, each scaled by its weight. It begins half charged
 * at its installation, and each day begins where the one before ended.
 */
export class StationPlant {
  readonly #weather: ReturnType<typeof sunAndHouse.createWeather>;
  readonly #household: ReturnType<typeof sunAndHouse.createHousehold>;
  readonly #calendar: ZonedCalendar;
  readonly #drainFromMs: number;
  readonly #walked: Walked;
  readonly #days = new RecentMap<number, PlantDay>(KEPT_DAYS);

  /** @param drainFromMs - when its battery is nearly empty and may run emptier; never when left out */
  constructor(seed: number, calendar: ZonedCalendar, drainFromMs = Infinity) {
    this.#weather = sunAndHouse.createWeather(deriveSeed(seed, 'weather'));
    this.#household = sunAndHouse.createHousehold(deriveSeed(seed, 'household'));
    this.#calendar = calendar;
    this.#drainFromMs = Math.floor(drainFromMs / STEP_MS) * STEP_MS;
    const key = [seed, calendar.timeZone, this.#drainFromMs].join(' ');
    this.#walked = walkedPlants.getOrMake(key, () => {
      const untilMs = calendar.instantAt(Date.UTC(INSTALLED_YEAR, 0));
      return { untilMs, midnights: new Map([[untilMs, START]]) };
    });
  }

  /** Computes the flows of the minute that holds a physical instant. */
  stateAt(physicalMs: number): PlantState {
    const { inputs, progress } = this.#standAt(physicalMs);
    return plantState(inputs, progress.socRatio, MINUTE_MS);
  }

  /** Sums the energy between the minutes of two physical instants. */
  energyBetween(fromMs: number, toMs: number): EnergyTotals {
    return energySince(this.#progressAt(fromMs), this.#progressAt(toMs));
  }

  /** Computes the counters at a physical instant. */
  countersAt(physicalMs: number): EnergyCounters {
    const { dayStartsAtMs, progress } = this.#standAt(physicalMs);
    const since = (midnightMs: number): EnergyTotals =>
      energySince(this.#walked.midnights.get(midnightMs) ?? START, progress);
    return {
      today: since(dayStartsAtMs),
      thisMonth: since(this.#calendar.monthPeriod(physicalMs).startsAtMs),
      lifetime: energySince(START, progress),
    };
  }

  #progressAt(physicalMs: number): PlantProgress {
    // Most are midnights: their days need not be walked again.
    return this.#walked.midnights.get(physicalMs) ?? this.#standAt(physicalMs).progress;
  }

  /** Finds how the plant stands at the beginning of a minute, and what acts on it then. */
  #standAt(physicalMs: number) {
    const { startsAtMs, inputsAt, steps } = this.#dayOf(physicalMs);
    const step = Math.floor((physicalMs - startsAtMs) / STEP_MS);
    const stepAtMs = startsAtMs + step * STEP_MS;
    const inputs = inputsAt(stepAtMs);
    const sinceMs = Math.floor((physicalMs - stepAtMs) / MINUTE_MS) * MINUTE_MS;
    const before = steps[step] ?? START;
    if (sinceMs === 0) return { dayStartsAtMs: startsAtMs, inputs, progress: before };
    const progress = advancePlant(before, inputs, sinceMs);
    return { dayStartsAtMs: startsAtMs, inputs: { ...inputs, socRatio: undefined }, progress };
  }

  #dayOf(physicalMs: number): PlantDay {
    const { startsAtMs, endsAtMs } = this.#calendar.dayPeriod(physicalMs);
    return this.#days.getOrMake(startsAtMs, () => {
      const walked = this.#walked;
      while (walked.untilMs < startsAtMs) {
        const before = this.#calendar.dayPeriod(walked.untilMs);
        const last = this.#walk(before.startsAtMs, before.endsAtMs).steps.at(-1);
        walked.untilMs = before.endsAtMs;
        walked.midnights.set(before.endsAtMs, last ?? START);
      }
      return this.#walk(startsAtMs, endsAtMs);
    });
  }

  /** Walks a day, whose beginning is known unless it lies before the installation. */
  #walk(startsAtMs: number, endsAtMs: number): PlantDay {
    const inputsAt = this.#inputsOf(startsAtMs);
    let progress = this.#walked.midnights.get(startsAtMs) ?? START;
    const steps = [progress];
    for (let atMs = startsAtMs; atMs < endsAtMs; atMs += STEP_MS)
      steps.push((progress = advancePlant(progress, inputsAt(atMs), STEP_MS)));
    return { startsAtMs, inputsAt, steps };
  }

  /** The sun and the house on a day. */
  #inputsOf(startsAtMs: number): PlantDay['inputsAt'] {
    const [year = 0, month = 0, day = 0] = this.#calendar.day(startsAtMs).split('-').map(Number);
    const dayOfYear = (Date.UTC(year, month - 1, day) - Date.UTC(year, 0)) / (24 * HOUR_MS) + 1;
    const sun = sunAndHouse.sunOfDay(LATITUDE_DEGREES, dayOfYear);
    return (atMs) => {
      const hour = (atMs - startsAtMs) / HOUR_MS;
      return {
        pvPowerWatts: this.#pvPowerWatts(sun(hour), atMs),
        loadPowerWatts: this.#household(atMs, hour),
        minSocRatio: atMs >= this.#drainFromMs ? DRAIN.minSocRatio : undefined,
        socRatio: atMs === this.#drainFromMs ? DRAIN.socRatio : undefined,
      };
    };
  }

  #pvPowerWatts(elevationSine: number, atMs: number): number {
    // Nights are half of all steps, and the weather is the costly part.
    if (elevationSine <= 0) return 0;
    const irradiance = sunAndHouse.clearSkyWattsPerSquareMetre(elevationSine) * this.#weather(atMs);
    return Math.min(RATED_WATTS, PANEL_PEAK_WATTS * PERFORMANCE_RATIO * (irradiance / 1000));
  }
}
