import type { Clock } from '../base/clock.ts';
import { calendarOf } from '../base/time-zone.ts';
import { LONGEST_MAX_AGE_MS } from '../model/cadence.ts';
import { countedToday } from '../model/energy-counter.ts';
import {
  byQuantity,
  type Energies,
  ENERGY_QUANTITIES,
  NO_ENERGY,
  sumWithoutHole,
} from '../model/energy.ts';
import type { Readings } from '../model/readings.ts';
import {
  withoutYesterday,
  type DeviceShare,
  countedOfAll,
  shareOf,
  type StationPowers,
  stationPowers,
} from '../model/station-totals.ts';
import type { Device, Station } from '../model/station.ts';
import { sumOf } from '../model/units.ts';
import type { Collector } from './collector.ts';
import { daysCollector, FLOW_LABELS, flowPoints, summaryCollector } from './energy.ts';
import type { DayCurves } from './day-curves.ts';
import type { EnergyCounts } from './energy-counts.ts';
import { devicesCollector } from './inventory.ts';
import { type Labels, metricsOf, pointOf, type Sample, samplesOf } from './metric.ts';
import { readingsCollector } from './readings.ts';
import type { Shown, ShownValue } from './target.ts';

/** The service states energy in tenths of a kWh: less than this may be 0. */
const LEAST_KWH = 0.1;

/** The totals of a station; only computed here, for the metrics and for the status. */
export interface StationTotals {
  /** Absent while no device is known. */
  readonly powers: StationPowers | undefined;
  readonly today: Energies;
  /** The energies of today that the devices counted, because the service does not send them. */
  readonly countedToday: readonly (keyof Energies)[];
  readonly yesterday: Energies;
  readonly month: Energies;
  /** When the day of the station began; absent while its zone is not known. */
  readonly dayStartsAtMs: number | undefined;
}

export const TOTAL_METRICS = metricsOf<Partial<StationTotals>>('gauge', ['station_id'], {
  solar_station_power_watts: [
    'Power of the station by flow, never negative: the sum over its devices, with the load of parallel inverters counted once and the battery as net.',
    ({ powers }) => flowPoints(powers?.flows ?? {}),
    'flow',
  ],
  solar_station_battery_soc_ratio: [
    'Mean state of charge of the batteries of the station, 0 to 1.',
    ({ powers }) => powers?.figures.batterySocRatio,
  ],
  solar_station_devices_missing: [
    'Number of devices that the totals of the station lack, wholly or in part; 0 while the totals are complete.',
    ({ powers }) => powers?.missing,
  ],
  solar_station_energy_today_kwh: [
    "Energy of the station since midnight by flow, never negative: the service's figure (source service) or, where that is impossible, what all devices counted (source counter).",
    ({ today = {}, countedToday = [] }) =>
      ENERGY_QUANTITIES.flatMap((name) => {
        const source = countedToday.includes(name) ? 'counter' : 'service';
        return pointOf(today[name], { flow: FLOW_LABELS[name], source });
      }),
    'flow',
    'source',
  ],
  solar_energy_yesterday_kwh: [
    "Energy of the previous day by flow, never negative: the service's own figure.",
    ({ yesterday = {} }) => flowPoints(yesterday),
    'flow',
  ],
  solar_energy_month_kwh: [
    "Energy of the current month by flow, never negative: the service's own figure, else the sum of its days.",
    ({ month = {} }) => flowPoints(month),
    'flow',
  ],
  solar_day_start_timestamp_seconds: [
    'Midnight at which the day of the station began.',
    ({ dayStartsAtMs }) => dayStartsAtMs && dayStartsAtMs / 1000,
  ],
});

/** The input of the totals of a station. */
interface Totalled {
  readonly station: Station;
  readonly devices: readonly Device[];
  shown<Subject, Fetched, Value>(
    collector: Collector<Subject, Fetched, Value>,
  ): ReadonlyMap<string, ShownValue<Value>>;
}

interface TotalsOptions {
  readonly labels: Labels;
  readonly clock: Clock;
  /** The counts of its devices, and whether energy is counted. */
  readonly switches: {
    readonly energy: boolean;
    readonly energyCounts: EnergyCounts;
    readonly dayCurves: DayCurves;
  };
}

/** Keeps the totals of a station until a part of what is shown changes, or the day of the station ends. */
export class Totals {
  readonly #options: TotalsOptions;
  /** The share of each device, computed once for as long as the same is shown of it. */
  readonly #shares = new WeakMap<ShownValue<Readings>, DeviceShare | undefined>();
  #parts: readonly Shown[] = [];
  #shown: (Shown & ShownValue<StationTotals>) | undefined;

  constructor(options: TotalsOptions) {
    this.#options = options;
  }

  /**
   * Returns the totals now, as the same object as long as they are the same.
   *
   * @param parts - everything that is shown of the station.
   */
  shown(station: Totalled, parts: readonly Shown[]): Shown & ShownValue<StationTotals> {
    const { clock, labels } = this.#options;
    const nowMs = clock.nowMs();
    const known = this.#shown;
    const isSame =
      parts.length === this.#parts.length &&
      parts.every((part, index) => part === this.#parts[index]);
    // The clock may have been set back to a day before.
    const isToday = nowMs >= (known?.value.dayStartsAtMs ?? 0) && nowMs < (known?.untilMs ?? 0);
    if (known !== undefined && isSame && isToday) return known;
    const { timeZone } = station.station;
    const day = timeZone === undefined ? undefined : calendarOf(timeZone).dayPeriod(nowMs);
    const value = this.#of(station, nowMs, day?.startsAtMs);
    const samples = (): Iterable<Sample> => samplesOf(TOTAL_METRICS, value, labels);
    this.#parts = parts;
    return (this.#shown = { untilMs: day?.endsAtMs ?? Infinity, value, samples });
  }

  #of(station: Totalled, nowMs: number, dayStartsAtMs: number | undefined): StationTotals {
    const { devices } = station;
    const readings = station.shown(readingsCollector);
    const shares = devices.map(({ deviceId }) => this.#shareOf(readings.get(deviceId)));
    const [listing] = station.shown(devicesCollector).values();
    const [days] = station.shown(daysCollector).values();
    const [month] = station.shown(summaryCollector).values();
    const { energy, dayCurves, energyCounts } = this.#options.switches;
    const midnightMs = energy ? dayCurves.midnightOf(station.station, nowMs) : undefined;
    const counted = devices.map(({ deviceId }, index) => {
      const count = energyCounts.get(deviceId);
      if (midnightMs === undefined || count === undefined) return undefined;
      // A count without the last points lacks the energy since.
      const lagMs = (shares[index]?.measuredAtMs ?? 0) - count.lastAtMs;
      return lagMs <= LONGEST_MAX_AGE_MS ? countedToday(count, midnightMs) : undefined;
    });
    const ofAll = countedOfAll(shares, counted);
    const records = listing?.value.devices.flatMap((device) => device.pvEnergyTodayKwh ?? []) ?? [];
    const isWhole = records.length > 0 && records.length === devices.length;
    const { today = {}, yesterday = {}, monthToYesterday = {} } = days?.value ?? {};
    const saidKwh = today.pvGeneratedKwh ?? (isWhole ? sumOf(records) : undefined);
    // The service says 0 as well where it does not know what was generated.
    const isPlaceholder = saidKwh === 0 && Number(ofAll.pvGeneratedKwh) >= LEAST_KWH;
    const pvGeneratedKwh = isPlaceholder ? undefined : saidKwh;
    const ofService = withoutYesterday(
      { today: { ...today, pvGeneratedKwh }, yesterday },
      nowMs - (dayStartsAtMs ?? -Infinity),
    );
    const ofDays = sumWithoutHole(new Map([NO_ENERGY, monthToYesterday, ofService].entries()), 2);
    return {
      powers: devices.length === 0 ? undefined : stationPowers(shares),
      today: byQuantity((name) => ofService[name] ?? ofAll[name]),
      countedToday: ENERGY_QUANTITIES.filter(
        (name) => ofService[name] === undefined && ofAll[name] !== undefined,
      ),
      yesterday,
      month: byQuantity((name) => month?.value[name] ?? ofDays[name]),
      dayStartsAtMs,
    };
  }

  /** Computes the share of a device in advance, for the totals. */
  read(shown: Shown & Partial<ShownValue<Readings>>): void {
    // Energy counters, which are shown for longer than the readings, have no value.
    if ('value' in shown) this.#shareOf(shown as ShownValue<Readings>);
  }

  #shareOf(shown: ShownValue<Readings> | undefined): DeviceShare | undefined {
    if (shown === undefined) return undefined;
    if (!this.#shares.has(shown)) this.#shares.set(shown, shareOf(shown.value));
    return this.#shares.get(shown);
  }
}
