import type { StateFile } from '../../src/base/kept-file.ts';
import { RequestBudget } from '../../src/client/exchange/request-budget.ts';
import { SpentRequests } from '../../src/client/exchange/spent-requests.ts';
import { EnergyCounts } from '../../src/collectors/energy-counts/energy-counts.ts';
import type { PastQuery, ServiceApi } from '../../src/client/api.ts';
import { FakeClock } from '../support/fake-clock.ts';
import type { FakeServiceApi } from '../support/fake-service-api.ts';
import { SilentLog } from '../support/silent-log.ts';
import { settled } from '../support/deferred.ts';
import { createCollection, HOUR_MS, type HarnessOptions } from './collection-harness.ts';

export const DAY_MS = 24 * HOUR_MS;

/** A file in memory; it survives the program. */
export function memoryFile(): StateFile & { text: string | undefined; writes: number } {
  const file = {
    text: undefined as string | undefined,
    writes: 0,
    read: () => Promise.resolve(file.text),
    write: (text: string) => {
      file.text = text;
      file.writes += 1;
      return Promise.resolve();
    },
    setAside: () => Promise.resolve('aside'),
  };
  return file;
}

/** Takes every question to a service from a budget first, as a client does. */
export function spending(api: FakeServiceApi, spend: () => Promise<void>): ServiceApi {
  return new Proxy<ServiceApi>(api, {
    get: (target, name: keyof ServiceApi) => {
      if (name === 'fetchPastReadings')
        return (query: PastQuery) =>
          target.fetchPastReadings(query, async (ask) => {
            await spend();
            return ask();
          });
      const method = (target[name] as (...given: unknown[]) => unknown).bind(target);
      if (name === 'serviceNowMs' || name === 'forgetDevice') return method;
      return async (...given: unknown[]) => {
        await spend();
        return method(...given);
      };
    },
  });
}

export interface BudgetedOptions extends HarnessOptions {
  readonly dailyRequests: number;
  readonly devices: number;
  /** Devices per station; all of them at one when left out. */
  readonly devicesPerStation?: number;
  readonly file?: StateFile;
  /** Called with every question that is sent. */
  readonly sent?: () => void;
}

/** A collection with every collector that asks often, and a budget. */
export async function createBudgeted({
  dailyRequests,
  devices,
  devicesPerStation = devices,
  file,
  sent,
  clock = new FakeClock('2026-08-24T00:00:00Z'),
  ...options
}: BudgetedOptions) {
  const log = new SilentLog();
  const spent = await SpentRequests.open({ file, clock, log });
  const budget = new RequestBudget({ dailyRequests, spent, clock, log });
  const stations = Math.ceil(devices / devicesPerStation);
  const account = Object.fromEntries(
    Array.from({ length: stations }, (_, station) => [
      `station-${station}`,
      Array.from({ length: devicesPerStation }, (_, device) => `device-${station}-${device}`),
    ]),
  );
  const harness = createCollection({
    account,
    alarms: true,
    energy: true,
    energyCounts: await EnergyCounts.open({ clock, log }),
    clock,
    allowance: () => ({ budget: budget.status(), sentRequests: spent.sent }),
    before: (api) =>
      spending(api, async () => {
        await budget.spend();
        sent?.();
      }),
    ...options,
  });
  const { collection, api } = harness;
  // Nothing here is about midnight.
  api.days = { ...api.days, endsAtMs: Infinity };
  api.month = { ...api.month, endsAtMs: Infinity };
  api.years = { ...api.years, endsAtMs: Infinity };
  return {
    ...harness,
    budget,
    spent,
    budgetLog: log,
    /** How often each device's readings were asked for. */
    readings: () =>
      Object.entries(api.counts)
        .filter(([question]) => question.startsWith('readings '))
        .map(([, count = 0]) => count),
    /** Scrapes at an interval until a time has passed; looks after every scrape. */
    run: async (durationMs: number, intervalMs: number, look?: () => void) => {
      const endsAtMs = clock.nowMs() + durationMs;
      while (clock.nowMs() < endsAtMs) {
        if (clock.nowMs() >= collection.nextFetchAtMs) {
          void collection.refresh();
          await settled();
        }
        look?.();
        clock.advance(intervalMs);
      }
    },
  };
}
