import { DropLog } from '../../src/base/drop-log.ts';
import { describe, expect, test } from 'vitest';
import type { ServiceApi } from '../../src/client/api.ts';
import { DeviceEndpoints } from '../../src/client/devices/device-endpoints.ts';
import { DeviceReader } from '../../src/client/devices/device-reader.ts';
import { INTERFACE_KEYS } from '../../src/client/dialects/family.ts';
import { RuleSet } from '../../src/client/dialects/rule-set.ts';
import type { ServiceRequest } from '../../src/client/exchange/transport.ts';
import { Collection } from '../../src/collectors/collection.ts';
import { createCaller } from '../client/exchange/caller-harness.ts';
import { settled } from '../support/deferred.ts';
import { FakeServiceApi } from '../support/fake-service-api.ts';
import { SilentLog } from '../support/silent-log.ts';
import { VirtualLogger } from '../support/virtual-logger.ts';
import {
  HOUR_MS,
  LIFETIMES,
  MINUTE_MS,
  SECOND_MS,
  samplesOf,
  seriesOf,
} from './collection-harness.ts';

const PV = 'solar_pv_power_watts{house,inverter}';
const SCRAPE_MS = 15 * SECOND_MS;

interface Behaviour {
  readonly minutes: number;
  readonly lagMinutes: number;
  /** How far the dates of the answers are ahead. */
  readonly datesMinutes?: number;
  /** After how many hours the logger dies. */
  readonly diesAfterHours?: number;
}

/** A collection with the defaults, before a service that answers with the time series of one logger. */
function createHouse({ minutes, lagMinutes, datesMinutes = 0, diesAfterHours = 100 }: Behaviour) {
  const { caller, clock, serviceClock, transport } = createCaller(seriesIn);
  const startedAtMs = clock.nowMs();
  const logger = new VirtualLogger({
    intervalMs: minutes * MINUTE_MS,
    lagMs: lagMinutes * MINUTE_MS,
    startsAtMs: startedAtMs - 5 * HOUR_MS - 7 * SECOND_MS,
    diesAtMs: startedAtMs + diesAfterHours * HOUR_MS,
  });
  transport.date = () => clock.nowMs() + datesMinutes * MINUTE_MS;
  const context = { clock, random: () => 0.5, log: new SilentLog() };
  const endpoints = new DeviceEndpoints(caller);
  const reader = new DeviceReader({ ...context, endpoints, rules: new RuleSet(), serviceClock });
  const api = new FakeServiceApi();
  api.stations = [{ stationId: 'house' }];
  api.devices.set('house', [{ deviceId: 'inverter' }]);
  const fetchReadings: ServiceApi['fetchReadings'] = (deviceId, timeZone, model, windowMs) =>
    reader.read({ deviceId, timeZone, model, windowMs });
  const collection = new Collection({
    ...context,
    drops: new DropLog(context.log, () => undefined),
    api: Object.assign(api, { fetchReadings }),
    stationIds: [],
    collect: { settings: false, alarms: false, energy: false },
    lifetimes: { ...LIFETIMES, maxAgeMs: 'auto' },
  });

  /** Answers with what was measured in the window of the question and has arrived by now; with no state. */
  function seriesIn({ body }: ServiceRequest): unknown {
    if (body === undefined) return { code: 0, data: {} };
    const { fromTime, toTime } = JSON.parse(body) as { fromTime: string; toTime: string };
    const times = logger
      .stampsAtMs(clock.nowMs(), 200)
      .filter((atMs) => atMs >= Date.parse(fromTime) && atMs <= Date.parse(toTime));
    const fields = Object.fromEntries(INTERFACE_KEYS.map((key) => [key, times.map(() => 1)]));
    const timeSeries = times.map((atMs) => new Date(atMs).toISOString());
    return { code: 0, data: { payload: { timeSeries, fields } } };
  }

  return { clock, collection, transport, series: () => seriesOf(samplesOf(collection)) };
}

/** Scrapes every 15 seconds; returns after how many minutes the value came, went, and so on. */
async function changesIn(
  hours: number,
  { clock, collection, series }: ReturnType<typeof createHouse>,
): Promise<readonly number[]> {
  const changes: number[] = [];
  const startedAtMs = clock.nowMs();
  while (clock.nowMs() < startedAtMs + hours * HOUR_MS) {
    if (clock.nowMs() >= collection.nextFetchAtMs) {
      void collection.refresh();
      await settled();
    }
    const isShown = PV in series();
    if (isShown !== (changes.length % 2 === 1))
      changes.push((clock.nowMs() - startedAtMs) / MINUTE_MS);
    clock.advance(SCRAPE_MS);
  }
  return changes;
}

describe('a device that is scraped every 15 seconds', () => {
  test.each(
    [0, 30, -30].flatMap((datesMinutes) => [
      { minutes: 5, lagMinutes: 9, datesMinutes, hours: datesMinutes === 0 ? 24 : 6 },
      { minutes: 30, lagMinutes: 12, datesMinutes, hours: datesMinutes === 0 ? 24 : 6 },
    ]),
  )(
    'shows a value every $minutes minutes, $lagMinutes minutes late, dates wrong by $datesMinutes minutes, all the time',
    async (behaviour) => {
      const house = createHouse(behaviour);
      expect(await changesIn(behaviour.hours, house)).toEqual([0]);
      expect(house.series()).toMatchObject({
        'solar_device_reading_interval_seconds{house,inverter}': behaviour.minutes * 60,
      });
    },
  );

  test.each([
    { minutes: 1, lagMinutes: 1, withdrawnAfterMinutes: 15 },
    { minutes: 5, lagMinutes: 9, withdrawnAfterMinutes: 22 },
    { minutes: 30, lagMinutes: 12, withdrawnAfterMinutes: 75 },
  ])(
    'shows a last value every $minutes minutes until it is $withdrawnAfterMinutes minutes old',
    async (row) => {
      const { minutes, withdrawnAfterMinutes } = row;
      const changes = await changesIn(6, createHouse({ ...row, diesAfterHours: 3 }));
      const [from, until = 0] = changes;
      expect(changes).toHaveLength(2);
      expect(from).toBe(0);
      expect(until).toBeGreaterThan(180);
      expect(until).toBeLessThanOrEqual(180 + withdrawnAfterMinutes + 0.25);
      expect(until).toBeGreaterThan(180 - minutes + withdrawnAfterMinutes - 1.25);
    },
  );
});

test('the window of a slow device is long enough for a lost reading', async () => {
  const house = createHouse({ minutes: 30, lagMinutes: 12 });
  await changesIn(2, house);
  const [first, last] = [house.transport.bodies.at(0), house.transport.bodies.at(-1)] as {
    fromTime: string;
    toTime: string;
  }[];
  const lengthOf = (body: typeof first) =>
    (Date.parse(body?.toTime ?? '') - Date.parse(body?.fromTime ?? '')) / MINUTE_MS;
  expect(lengthOf(first)).toBe(60);
  expect(lengthOf(last)).toBeGreaterThan(73);
});
