import { settled } from '../support/deferred.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { type LoggerBehaviour, VirtualLogger } from '../support/virtual-logger.ts';
import { createCollection, HOUR_MS } from './collection-harness.ts';

const PV = 'solar_pv_power_watts{house,inverter}';
/** So many readings the logger has had before anybody asks. */
const READ_BEFORE = 40;

export interface ScrapedLogger extends Omit<LoggerBehaviour, 'startsAtMs' | 'diesAtMs'> {
  /** How long before the first scrape the last reading was measured. */
  readonly phaseMs: number;
  /** Whether answers are series; they have the last reading only otherwise. */
  readonly isSeries: boolean;
  readonly scrapeMs: number;
  readonly hours: number;
}

export interface Scraped {
  /** How often the service was asked for readings. */
  readonly requests: number;
  /** How many of the questions found a reading that was not known before. */
  readonly found: number;
  /** The median of how much later than at the first scrape after it arrived a reading was found, in ms. */
  readonly addedMs: number;
  /** After how many minutes the value came, went, came back, and so on. */
  readonly changes: readonly number[];
}

/** The number of the first reading that is measured after the first scrape. */
export const FIRST_READING = READ_BEFORE + 1;

/** Scrapes a collection of one device, with `auto` for everything, before a service that answers at once. */
export async function scrapeLogger(behaviour: ScrapedLogger): Promise<Scraped> {
  const { phaseMs, isSeries, scrapeMs, hours, ...rest } = behaviour;
  const clock = new FakeClock();
  const startedAtMs = clock.nowMs();
  const startsAtMs = startedAtMs - READ_BEFORE * rest.intervalMs - phaseMs;
  const logger = new VirtualLogger({ ...rest, startsAtMs });
  const lifetimes = { readingsTtlMs: 'auto', maxAgeMs: 'auto' } as const;
  const { api, collection, names } = createCollection({ clock, lifetimes });
  let [requests, found, newestAtMs] = [0, 0, -Infinity];
  api.answer('readings inverter', () => {
    const report = logger.reportAt(clock.nowMs(), 0, isSeries);
    requests += 1;
    if ((report.newestAtMs ?? -Infinity) > newestAtMs) found += 1;
    newestAtMs = Math.max(newestAtMs, report.newestAtMs ?? -Infinity);
    return Promise.resolve(report);
  });
  const endsAtMs = startedAtMs + hours * HOUR_MS;
  const arrivals = [...logger.arrivalsAtMs(startedAtMs + 1, endsAtMs)];
  const addedMs: number[] = [];
  const changes: number[] = [];
  let [next, looksAtMs] = [0, -Infinity];
  for (let nowMs = startedAtMs; nowMs < endsAtMs; nowMs += scrapeMs) {
    clock.advance(nowMs - clock.nowMs());
    const isDue = nowMs >= collection.nextFetchAtMs;
    const before = requests;
    if (isDue) {
      void collection.refresh();
      await settled();
    }
    for (; requests > before && (arrivals[next] ?? Infinity) <= nowMs; next += 1)
      addedMs.push(nowMs - scrapeAfter(arrivals[next] ?? 0));
    if (!isDue && nowMs < looksAtMs) continue;
    looksAtMs = collection.nextWithdrawalAtMs;
    if (names().includes(PV) !== (changes.length % 2 === 1))
      changes.push((nowMs - startedAtMs) / 60_000);
  }
  const ascendingMs = addedMs.toSorted((one, other) => one - other);
  const medianMs = ascendingMs[Math.floor(ascendingMs.length / 2)] ?? Infinity;
  return { requests, found, addedMs: medianMs, changes };

  function scrapeAfter(atMs: number): number {
    return startedAtMs + Math.ceil((atMs - startedAtMs) / scrapeMs) * scrapeMs;
  }
}
