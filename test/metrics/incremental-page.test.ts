import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { DropLog } from '../../src/base/drop-log.ts';
import { Collection } from '../../src/collectors/collection.ts';
import { COLLECTOR_METRICS } from '../../src/collectors/index.ts';
import type { Sample } from '../../src/collectors/metric.ts';
import { readingsCollector } from '../../src/collectors/readings.ts';
import { COLLECTION_METRICS, collectionSamples } from '../../src/metrics/definitions.ts';
import { type Page, renderSamples } from '../../src/metrics/render.ts';
import { StationPages } from '../../src/metrics/station-pages.ts';
import { HOUR_MS, LIFETIMES, MINUTE_MS, SECOND_MS } from '../collectors/collection-harness.ts';
import { settled } from '../support/deferred.ts';
import { reportOf } from '../support/device-report.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { FakeServiceApi } from '../support/fake-service-api.ts';
import { SilentLog } from '../support/silent-log.ts';

const STATIONS = ['house', 'barn', 'hut'];
const DEVICES = ['71', '72', '81'];
const FETCHES = DEVICES.map((deviceId) => `readings ${deviceId}` as const);

/** Pages of one collection after another, each of which adopts the one before. */
function createPages() {
  const clock = new FakeClock();
  const api = new FakeServiceApi();
  api.serviceNowMs = () => clock.nowMs();
  api.stations = STATIONS.map((stationId) => ({ stationId }));
  api.devices.set('house', [{ deviceId: '71' }, { deviceId: '72' }]);
  api.devices.set('barn', [{ deviceId: '81' }]);
  const log = new SilentLog();
  const drops = new DropLog(log, () => undefined);
  const newCollection = () =>
    new Collection({
      api,
      clock,
      log,
      drops,
      random: () => 0.5,
      stationIds: [],
      collect: { settings: true, alarms: true, energy: true },
      lifetimes: LIFETIMES,
    });
  const newPages = () => new StationPages({ maxSeries: Infinity, drops });
  let collection = newCollection();
  let pages = newPages();
  let last: Page | undefined;
  const make = async () => {
    const { value, untilMs } = await pages.make({
      name: 'page',
      statuses: collection.status(),
      stations: collection.shownStations(),
    });
    // The memory of a page is given back when there is another one.
    last?.letGo();
    last = value;
    return { text: value.body.toString(), untilMs };
  };
  return {
    api,
    clock,
    make,
    refresh: async () => {
      void collection.refresh();
      await settled();
    },
    reload: () => {
      const next = newCollection();
      next.adopt(collection, false);
      collection = next;
      pages = newPages();
    },
    /** The page of what the collection shows, every line of it rendered again. */
    renderedAgain: () => plainPage(collection),
    /** What a collection shows that has shown nothing before. It may have its stations in another order. */
    shownAnew: () => {
      const fresh = newCollection();
      fresh.adopt(collection, false);
      return { series: linesOf(plainPage(fresh)), untilMs: fresh.nextWithdrawalAtMs };
    },
  };
}

type Pages = ReturnType<typeof createPages>;

function plainPage(collection: Collection): string {
  const stations = [...collection.shownStations()].map((targets) =>
    byDevice([...targets].flatMap((target) => [...target.samples()])),
  );
  const samples = [...collectionSamples(collection.status()), ...stations.flat()];
  return renderSamples([...COLLECTION_METRICS, ...COLLECTOR_METRICS], samples);
}

function linesOf(page: string): readonly string[] {
  return page.split('\n').toSorted();
}

/** The lines of a station, and then those of each of its devices. */
function byDevice(samples: readonly Sample[]): readonly Sample[] {
  const devices = new Map<string | undefined, Sample[]>();
  for (const sample of samples) {
    const deviceId = sample.labels['device_id'];
    devices.set(deviceId, [...(devices.get(deviceId) ?? []), sample]);
  }
  return [...devices.values()].flat();
}

/** What may happen between two scrapes. */
const event: fc.Arbitrary<(pages: Pages) => void | Promise<void>> = fc.oneof(
  { weight: 3, arbitrary: fc.constant(({ refresh }: Pages) => refresh()) },
  fc
    .constantFrom(1, SECOND_MS, MINUTE_MS, 5 * MINUTE_MS, HOUR_MS, 9 * HOUR_MS)
    .map((durationMs) => async ({ clock, refresh }: Pages) => {
      clock.advance(durationMs);
      await refresh();
    }),
  fc.constantFrom(1, MINUTE_MS, 7 * MINUTE_MS, 15 * MINUTE_MS, -1, -MINUTE_MS, -2 * HOUR_MS).map(
    (durationMs) =>
      ({ clock }: Pages) =>
        clock.advance(durationMs),
  ),
  fc
    .tuple(fc.constantFrom(...FETCHES), fc.nat(5000), fc.nat(20))
    .map(([fetch, pvPowerWatts, minutes]) => ({ api, clock }: Pages) => {
      const measuredAtMs = clock.nowMs() - minutes * MINUTE_MS;
      const workingMode = pvPowerWatts % 2 === 0 ? 'line' : 'standby';
      const report = reportOf({ pvPowerWatts, workingMode, measuredAtMs });
      api.answer(fetch, () => Promise.resolve(report));
    }),
  fc.constantFrom('stations', 'devices house', 'alarms house', ...FETCHES).map(
    (question) =>
      ({ api }: Pages) =>
        api.fail(question, 'SERVICE_TIMEOUT'),
  ),
  fc.constantFrom('stations', 'devices house', 'alarms house', ...FETCHES).map(
    (question) =>
      ({ api }: Pages) =>
        api.recover(question),
  ),
  fc
    .tuple(fc.subarray(STATIONS), fc.subarray(DEVICES), fc.boolean())
    .map(([stationIds, deviceIds, isNamed]) => ({ api, clock }: Pages) => {
      for (const stationId of stationIds)
        api.devices.set(
          stationId,
          deviceIds.map((deviceId) => ({
            deviceId,
            ...(isNamed && { stationId }),
            pvEnergyTodayKwh: 3,
            // Where records of one instant name several stations, their order decides, which is kept by no reload.
            listedAtMs: clock.nowMs() + STATIONS.indexOf(stationId) / 10,
          })),
        );
    }),
  fc.subarray(STATIONS).map((stationIds) => ({ api }: Pages) => {
    api.stations = stationIds.map((stationId) => ({ stationId }));
  }),
  fc.subarray(DEVICES).map((deviceIds) => ({ api, clock }: Pages) => {
    const observedAtMs = clock.nowMs();
    api.alarms = deviceIds
      .toReversed()
      .map((deviceId) => ({ deviceId, key: 'lineLoss', level: 'warning', observedAtMs }));
  }),
  fc.constant(({ reload }: Pages) => reload()),
);

test('a page is byte for byte what rendering everything again makes of it', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(event, { maxLength: 30 }), async (events) => {
      const pages = createPages();
      for (const happen of events) {
        await happen(pages);
        const { text, untilMs } = await pages.make();
        expect(text).toBe(pages.renderedAgain());
        expect({ series: linesOf(text), untilMs }).toEqual(pages.shownAnew());
      }
    }),
    { numRuns: 200 },
  );
});

describe('what is rendered for a page', () => {
  /** Counts how often the lines of a device are rendered. */
  const countRenderings = () => {
    const metric = readingsCollector.metrics.find(({ name }) => name === 'solar_pv_power_watts');
    if (metric === undefined) throw new Error('no device has PV power');
    return vi.spyOn(metric, 'read');
  };

  test('is every device at first, and then the one that has a new value', async () => {
    const renderings = countRenderings();
    const { api, clock, make, refresh } = createPages();
    await refresh();
    await make();
    expect(renderings).toHaveBeenCalledTimes(3);

    renderings.mockClear();
    api.fail('readings 71', 'SERVICE_TIMEOUT');
    api.fail('readings 81', 'SERVICE_TIMEOUT');
    api.readings = { pvPowerWatts: 4321 };
    clock.advance(MINUTE_MS);
    await refresh();
    expect((await make()).text).toContain('device_id="72"} 4321\n');
    expect(renderings).toHaveBeenCalledTimes(1);
  });

  test('is nothing while nothing is fetched or withdrawn', async () => {
    const renderings = countRenderings();
    const { clock, make, refresh } = createPages();
    await refresh();
    const first = await make();
    renderings.mockClear();
    clock.advance(MINUTE_MS);
    expect(await make()).toEqual(first);
    expect(renderings).not.toHaveBeenCalled();
  });

  test('is the one device of which a value is withdrawn', async () => {
    const renderings = countRenderings();
    const { api, clock, make, refresh } = createPages();
    const measuredAtMs = clock.nowMs() - MINUTE_MS;
    const old = reportOf({ pvPowerWatts: 7, measuredAtMs });
    api.answer('readings 72', () => Promise.resolve(old));
    await refresh();
    const { text, untilMs } = await make();
    expect(text).toContain('device_id="72"} 7\n');
    renderings.mockClear();
    clock.advance(untilMs - clock.nowMs());
    expect((await make()).text).not.toContain('device_id="72"} 7\n');
    expect(renderings).toHaveBeenCalledTimes(1);
  });
});
