import { RecentMap } from '../../base/recent-map.ts';
import { DRAIN } from './battery.ts';
import { mapEnergy, type EnergyCounters, type EnergyTotals } from './energy.ts';
import { createHousehold, type Household } from './household.ts';
import { PlantPath, type PlantInputsAt } from './plant-path.ts';
import type { PlantState } from './plant.ts';
import { deriveSeed } from './seeded.ts';
import { hourOfDay, type LocalMonth, type StationCalendar } from './station-calendar.ts';
import { clearSkyWattsPerSquareMetre, sunOfDay } from './sky.ts';
import { createWeather, type Weather } from './sky.ts';

const MINUTE_MS = 60_000;
const PAST_MONTH_STEP_MS = 10 * MINUTE_MS;
const PANEL_PEAK_WATTS = 5_400;
const PERFORMANCE_RATIO = 0.85;
/** What the inverter of a plant of weight 1 can put out. */
export const RATED_WATTS = 5_000;

/** When the counters of every plant began. */
export const INSTALLED_YEAR = 2024;
// More than any month brings, so that a lifetime counter does not fall when the next one begins.
const PAST_MONTH_ALLOTMENT_WATT_HOURS = 1_000_000;

// A client that reads the past jumps between five months, and live readings are of one more. To walk a
// month takes some 12 ms, and to keep it 0.3 MB.
const KEPT_PATHS = 6;

/**
 * The plant of one station, of weight 1: its devices are copies of it, each scaled by its weight.
 * Every month starts afresh with a half-charged battery, so any instant is reached quickly.
 */
export class StationPlant {
  readonly #weather: Weather;
  readonly #household: Household;
  readonly #calendar: StationCalendar;
  readonly #latitudeDegrees: number;
  readonly #drainFromMs: number;
  readonly #paths = new RecentMap<number, PlantPath>(KEPT_PATHS);
  readonly #pastMonths = new Map<number, EnergyTotals>();
  #latestCounters: { readonly minute: number; readonly counters: EnergyCounters } | undefined;

  /** @param drainFromMs - when its battery is nearly empty and may run emptier; never when left out */
  constructor(
    seed: number,
    latitudeDegrees: number,
    calendar: StationCalendar,
    drainFromMs = Infinity,
  ) {
    this.#weather = createWeather(deriveSeed(seed, 'weather'));
    this.#household = createHousehold(deriveSeed(seed, 'household'));
    this.#latitudeDegrees = latitudeDegrees;
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
    const before = path.totalsAt(fromMs);
    return mapEnergy(path.totalsAt(toMs), (wattHours, name) => wattHours - before[name]);
  }

  /**
   * Sums the energy of a whole month, in ten-minute steps: eleven past months take as long as one
   * current one, for a figure that may differ by a per cent from the one-minute sum.
   */
  wholeMonth(month: LocalMonth): EnergyTotals {
    const known = this.#pastMonths.get(month.startMs);
    if (known !== undefined) return known;
    const path = new PlantPath(this.#inputsIn(month), month.startMs, PAST_MONTH_STEP_MS);
    const totals = path.totalsAt(month.endMs);
    this.#pastMonths.set(month.startMs, totals);
    return totals;
  }

  /**
   * Computes the counters at a physical instant. Months before the running one enter the lifetime
   * counter as a fixed amount, because simulating years minute by minute would take too long.
   */
  countersAt(physicalMs: number): EnergyCounters {
    const minute = Math.floor(physicalMs / MINUTE_MS);
    // All devices of a list are asked for the same minute.
    if (this.#latestCounters?.minute === minute) return this.#latestCounters.counters;
    const { year, month } = this.#calendar.monthAt(physicalMs);
    const pastWattHours =
      Math.max(0, (year - INSTALLED_YEAR) * 12 + month - 1) * PAST_MONTH_ALLOTMENT_WATT_HOURS;
    const thisMonth = this.monthSoFar(physicalMs);
    const atMidnight = this.monthSoFar(this.#calendar.dayStartMs(physicalMs));
    const counters = {
      today: mapEnergy(thisMonth, (wattHours, name) => wattHours - atMidnight[name]),
      thisMonth,
      lifetime: mapEnergy(thisMonth, (wattHours) => wattHours + pastWattHours),
    };
    this.#latestCounters = { minute, counters };
    return counters;
  }

  #minutePath(physicalMs: number): PlantPath {
    const month = this.#calendar.monthAt(physicalMs);
    return this.#paths.getOrMake(
      month.startMs,
      () => new PlantPath(this.#inputsIn(month), month.startMs, MINUTE_MS),
    );
  }

  #inputsIn({ year, offsetMs }: LocalMonth): PlantInputsAt {
    const newYearMs = Date.UTC(year, 0, 1);
    let day = 0;
    let sun = sunOfDay(this.#latitudeDegrees, day);
    return (atMs) => {
      // One offset for the whole month: the sun does not observe daylight saving.
      const localMs = atMs + offsetMs;
      const dayOfYear = 1 + Math.floor((localMs - newYearMs) / 86_400_000);
      if (dayOfYear !== day) {
        day = dayOfYear;
        sun = sunOfDay(this.#latitudeDegrees, day);
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
    const irradiance = clearSkyWattsPerSquareMetre(elevationSine) * this.#weather(atMs);
    return Math.min(RATED_WATTS, PANEL_PEAK_WATTS * PERFORMANCE_RATIO * (irradiance / 1000));
  }
}
