import { DropLog } from '../../src/base/drop-log.ts';
import { LIST_LIMITS, type ListLimits } from '../../src/base/limits.ts';
import type { ServiceApi } from '../../src/client/api.ts';
import { Collection, type CollectionOptions } from '../../src/collectors/collection.ts';
import type { CacheLifetimes, FetchContext } from '../../src/collectors/collector.ts';
import type { DayCurves } from '../../src/collectors/day-curves/day-curves.ts';
import type { EnergyCounts } from '../../src/collectors/energy-counts/energy-counts.ts';
import type { CollectorOutcome } from '../../src/collectors/run/rounds.ts';
import type { Sample } from '../../src/collectors/metric.ts';
import type { ShownSamples } from '../../src/collectors/run/shown-target.ts';
import type { Tariff } from '../../src/model/tariff.ts';
import { settled } from './deferred.ts';
import { FakeClock } from './fake-clock.ts';
import { FakeServiceApi } from './fake-service-api.ts';
import { SilentLog } from './silent-log.ts';

export const SECOND_MS = 1000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;

/** The defaults of the options, with a lifetime and a maximum age of readings that are the same for all devices. */
export const LIFETIMES = {
  readingsTtlMs: MINUTE_MS,
  summaryTtlMs: 15 * MINUTE_MS,
  devicesTtlMs: HOUR_MS,
  settingsTtlMs: HOUR_MS,
  alarmsTtlMs: 2 * MINUTE_MS,
  maxAgeMs: 15 * MINUTE_MS,
} satisfies CacheLifetimes;

export interface HarnessOptions {
  /** Configured stations; discovered when left out. */
  readonly stationIds?: readonly string[];
  readonly lifetimes?: Partial<CacheLifetimes>;
  readonly settings?: boolean;
  readonly alarms?: boolean;
  readonly energy?: boolean;
  readonly energyCounts?: EnergyCounts;
  readonly dayCurves?: DayCurves;
  readonly timeZone?: string;
  readonly tariff?: Tariff;
  /** What every sample has, where a page is of several accounts. */
  readonly labels?: CollectionOptions['labels'];
  /** Device ids by station id, all of them in the account; one house with one inverter when left out. */
  readonly account?: Readonly<Record<string, readonly string[]>>;
  /** Smaller limits than those of the exporter. */
  readonly limits?: Partial<ListLimits>;
  readonly clock?: FakeClock;
  /** How often the service may be asked. */
  readonly allowance?: CollectionOptions['allowance'];
  /** Puts something between the collection and the service. */
  readonly before?: (api: FakeServiceApi) => ServiceApi;
}

/** A collection on a fake clock, before a fake service. Back-off has no jitter. */
export function createCollection({
  stationIds = [],
  lifetimes = {},
  settings = false,
  alarms = false,
  energy = false,
  energyCounts,
  dayCurves,
  timeZone,
  tariff,
  account = { house: ['inverter'] },
  limits = {},
  clock = new FakeClock(),
  allowance,
  labels,
  before = (service) => service,
}: HarnessOptions = {}) {
  const api = new FakeServiceApi();
  api.stations = Object.keys(account).map((stationId) => ({ stationId }));
  for (const [stationId, deviceIds] of Object.entries(account))
    api.devices.set(
      stationId,
      deviceIds.map((deviceId) => ({ deviceId })),
    );
  api.serviceNowMs = () => clock.nowMs();
  const log = new SilentLog();
  const dropped: string[] = [];
  const drops = new DropLog(log, (reason, count) => dropped.push(`${count} ${reason}`));
  const collection = new Collection({
    api: before(api),
    ...(allowance && { allowance }),
    ...(labels && { labels }),
    clock,
    log,
    drops,
    limits: { ...LIST_LIMITS, ...limits },
    random: () => 0.5,
    stationIds,
    timeZone,
    collect: { settings, alarms, energy, energyCounts, dayCurves, tariff },
    lifetimes: { ...LIFETIMES, ...lifetimes },
  });
  const series = () => seriesOf(samplesOf(collection));
  return {
    api,
    clock,
    log,
    /** What limits have left out: `2 devices`. */
    dropped,
    drops,
    collection,
    /** What may be served now, such as `{ 'solar_pv_power_watts{house,inverter}': 1500 }`. */
    series,
    names: () => Object.keys(series()),
    /** Refreshes as far as it goes without waiting for anyone. */
    scrape: async () => {
      await asFarAsItGoes(collection.refresh());
      return series();
    },
    /** Lets time pass and scrapes once. */
    scrapeAfter: async (durationMs: number) => {
      clock.advance(durationMs);
      await asFarAsItGoes(collection.refresh());
      return series();
    },
    isUp: (stationId: string | undefined) =>
      collection.status().find((status) => status.stationId === stationId)?.isUp,
    outcome: (stationId: string | undefined, collector: string): CollectorOutcome | undefined =>
      collection
        .status()
        .find((status) => status.stationId === stationId)
        ?.outcomes.find((outcome) => outcome.collector === collector),
  };
}

/** More turns than any refresh takes that nobody has to be waited for in. */
const MOST_TURNS = 1000;

async function asFarAsItGoes(refresh: Promise<void>): Promise<void> {
  const ended = refresh.then(() => true);
  for (let turn = 0; turn < MOST_TURNS; turn += 1)
    if (await Promise.race([ended, settled().then(() => false)])) break;
  await settled();
}

export type Harness = ReturnType<typeof createCollection>;

/** What a collector goes on from at its first fetch. */
export function firstFetch(): FetchContext<never> {
  return {
    previous: undefined,
    others: () => [],
    areRequestsLimited: false,
    nowMs: () => 0,
    log: new SilentLog(),
  };
}

/** Every sample that a collection, a station of it or a run shows now. */
export function samplesOf(
  shown:
    Pick<Collection, 'shownStations'> | { readonly shownTargets: () => Iterable<ShownSamples> },
): readonly Sample[] {
  const stations = 'shownStations' in shown ? shown.shownStations() : [shown.shownTargets()];
  return [...stations].flatMap((targets) =>
    [...targets].flatMap((target) => [...target.samples()]),
  );
}

/** Values by name and label values. */
export function seriesOf(samples: Iterable<Sample>): Record<string, number> {
  const values: Record<string, number> = {};
  for (const { name, labels, value } of samples)
    values[`${name}{${Object.values(labels).join(',')}}`] = value;
  return values;
}

/** Scrapes every `intervalMs` for `durationMs`, beginning now. */
export async function keepScraping(
  { scrape, clock }: Harness,
  durationMs: number,
  intervalMs: number,
): Promise<void> {
  for (let passedMs = 0; passedMs < durationMs; passedMs += intervalMs) {
    await scrape();
    clock.advance(intervalMs);
  }
}
