import type {
  EnergiesByPeriod,
  PastQuery,
  Retry,
  Period,
  ServiceApi,
} from '../../../src/client/client.ts';
import { collectMonth } from '../../../src/history/collect-month.ts';
import { energiesOnce } from '../../../src/history/energies.ts';
import type { Month } from '../../../src/history/months.ts';
import type { MonthSeries } from '../../../src/history/series.ts';
import * as written from '../../../src/history/series.ts';
import { renderLabels } from '../../../src/metrics/text-format.ts';
import type { MaxAge } from '../../../src/model/cadence.ts';
import type { PastReading, Readings } from '../../../src/model/readings.ts';
import type { Device, Station } from '../../../src/model/station.ts';
import { CLASSIC, reportOf } from '../../support/device-report.ts';
import { MINUTE_MS } from '../../support/durations.ts';

export const INVERTER: Device = {
  deviceId: 'inverter-1',
  name: 'Roof',
  serial: 'S1',
  model: 'HPVINV02',
  ratedPowerWatts: 5000,
};

/** A part of August 2026, from its first midnight unless said otherwise. */
export function partOf(
  from = '2026-08-01T00:00:00+08:00',
  to = '2026-08-01T06:00:00+08:00',
): Month {
  return {
    station: { stationId: 'house', name: 'Casa', timeZone: 'Asia/Manila' },
    devices: [INVERTER],
    isOneDevice: false,
    month: '2026-08',
    fromMs: Date.parse(from),
    toMs: Date.parse(to),
  };
}

/** Of a family whose unknown quantities are unknown, and not 0 as those of the specified family. */
const DIALECT = { ...CLASSIC, family: 'uwb1' };

/** A reading of a device at a time at which all of it was measured. */
export function pastReading(
  at: string | number,
  readings: Readings = { pvPowerWatts: 1000 },
): PastReading {
  const atMs = typeof at === 'number' ? at : Date.parse(at);
  return {
    atMs,
    report: reportOf({ dialect: DIALECT, ...readings, measuredAtMs: atMs }, { timesAtMs: [atMs] }),
  };
}

/** A month that is asked of a service with these readings, without any patience. */
export async function collected({
  part = partOf(),
  past = [],
  devices = [INVERTER],
  stepMs = MINUTE_MS,
  maxAge = 'auto',
  api = new FakePast(),
  mostReadings,
}: {
  part?: Month;
  past?: readonly PastReading[];
  devices?: readonly Device[];
  stepMs?: number;
  maxAge?: MaxAge;
  api?: FakePast;
  mostReadings?: number;
} = {}) {
  api.past = past;
  const retry = <T>(ask: () => Promise<T>): Promise<T> => ask();
  const energies = energiesOnce(api, retry);
  const options = { api, stepMs, maxAge, retry, energies, mostReadings };
  return collectMonth({ ...part, devices }, options);
}

/** What a service knows of the past, without a client. */
export class FakePast implements Pick<ServiceApi, 'fetchPastReadings' | 'fetchPastEnergies'> {
  /** Every reading of every device that has none of its own. */
  past: readonly PastReading[] = [];
  readonly pastOf = new Map<string, readonly PastReading[]>();
  /** How many readings are a page. */
  pageLength = 2000;
  /** By period; the same for all stations. */
  energies: Readonly<Record<Period, EnergiesByPeriod>> = {
    day: new Map(),
    month: new Map(),
    year: new Map(),
  };
  /** The time zone that came with the last question about readings. */
  timeZone: string | undefined;

  async *fetchPastReadings(
    { deviceId, fromMs, toMs, timeZone }: PastQuery,
    retry: Retry = (ask) => ask(),
  ): AsyncGenerator<readonly PastReading[]> {
    this.timeZone = timeZone;
    const past = this.pastOf.get(deviceId) ?? this.past;
    const asked = past.filter(({ atMs }) => atMs >= fromMs && atMs < toMs);
    for (let index = 0; index === 0 || index < asked.length; index += this.pageLength) {
      const page = asked.slice(index, index + this.pageLength);
      yield await retry(() => Promise.resolve(page));
    }
  }

  fetchPastEnergies(_station: Station, period: Period, of: string): Promise<EnergiesByPeriod> {
    const asked = [...this.energies[period]].filter(
      ([name]) => period === 'year' || name.startsWith(of),
    );
    return Promise.resolve(new Map(asked));
  }
}

/** The samples of a metric, `[ISO time, value]`, by the labels that it adds to those of its device or station. */
export function samplesOf(month: MonthSeries, name: string): Record<string, [string, number][]> {
  const found: Record<string, [string, number][]> = {};
  for (const { metric, series } of written.familiesOf(month))
    if (metric.name === name)
      for (const one of series)
        found[renderLabels(one.column.labels ?? {})] = Array.from(
          written.samplesOf(one, month.stepMs),
          ([atMs, value]) => [new Date(atMs).toISOString(), value],
        );
  return found;
}

/** Every value at one instant, by series as the page spells it. */
export function valuesAt(month: MonthSeries, atMs: number): Record<string, number> {
  const values: Record<string, number> = {};
  for (const { metric, series } of written.familiesOf(month))
    for (const one of series)
      for (const [row, { fromMs, toMs }] of one.table.rows.entries()) {
        const value = one.column.values[row] ?? NaN;
        if (atMs >= fromMs && atMs < toMs && !Number.isNaN(value))
          values[metric.name + renderLabels(one.labels)] = value;
      }
  return values;
}
