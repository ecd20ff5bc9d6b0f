import { describe, expect, test } from 'vitest';
import type { Measurement } from '../../src/model/readings.ts';
import { CLASSIC, reportOf } from '../support/device-report.ts';
import {
  createCollection,
  HOUR_MS,
  LIFETIMES,
  MINUTE_MS,
  SECOND_MS,
  type Harness,
} from './collection-harness.ts';

const PV = 'solar_pv_power_watts{house,inverter}';
const SOC = 'solar_battery_soc_ratio{house,inverter}';
const REPORTING = 'solar_device_reporting{house,inverter}';
const TIMESTAMP = 'solar_reading_timestamp_seconds{house,inverter}';
const DIALECT = 'solar_device_dialect_info{house,inverter,uwb1,history}';
/** On which nothing is derived from what is unknown. */
const dialect = { ...CLASSIC, family: 'uwb1' };

/** Has the service answer with values that it measured so long ago, by its own clock. */
function answerWith(
  { api, clock }: Harness,
  ages: { readonly pvAgeMs?: number; readonly socAgeMs?: number },
  serviceAheadMs = 0,
): void {
  const atMs = (ageMs: number) => clock.nowMs() + serviceAheadMs - ageMs;
  const { pvAgeMs, socAgeMs } = ages;
  const measurements: Measurement[] = [];
  if (pvAgeMs !== undefined)
    measurements.push({
      quantity: 'pvPowerWatts',
      part: '',
      value: 1200,
      measuredAtMs: atMs(pvAgeMs),
    });
  if (socAgeMs !== undefined)
    measurements.push({
      quantity: 'batterySocRatio',
      part: '',
      value: 0.9,
      measuredAtMs: atMs(socAgeMs),
    });
  const newestAtMs = Math.max(...measurements.map(({ measuredAtMs = -Infinity }) => measuredAtMs));
  api.report = { ...reportOf({ dialect }), measurements, newestAtMs, serviceAheadMs };
}

describe('a reading', () => {
  test('older than the maximum age is withdrawn, and its device is not reporting', async () => {
    const collection = createCollection();
    answerWith(collection, { pvAgeMs: LIFETIMES.maxAgeMs, socAgeMs: LIFETIMES.maxAgeMs });
    const measuredAtMs = collection.clock.nowMs() - LIFETIMES.maxAgeMs;
    expect(await collection.scrape()).toMatchObject({ [PV]: 1200, [SOC]: 0.9, [REPORTING]: 1 });

    const series = await collection.scrapeAfter(1);
    expect(series).not.toHaveProperty([PV]);
    expect(series).not.toHaveProperty([SOC]);
    expect(series).toMatchObject({
      [REPORTING]: 0,
      [TIMESTAMP]: measuredAtMs / 1000,
      [DIALECT]: 1,
      'solar_device_missing_quantities{house,inverter}': 0,
      'solar_device_unknown_keys{house,inverter}': 0,
    });
    expect(collection.api.count('readings inverter')).toBe(1);
  });

  test('of a device that went offline is withdrawn though the service goes on answering', async () => {
    const collection = createCollection();
    answerWith(collection, { pvAgeMs: 0 });
    await collection.scrape();
    for (let minute = 1; minute <= 15; minute += 1)
      expect(await collection.scrapeAfter(MINUTE_MS)).toMatchObject({ [PV]: 1200, [REPORTING]: 1 });
    expect(collection.api.count('readings inverter')).toBe(16);

    const series = await collection.scrapeAfter(MINUTE_MS);
    expect(series).not.toHaveProperty([PV]);
    expect(series).toMatchObject({ [REPORTING]: 0, [DIALECT]: 1 });
    expect(collection.isUp('house')).toBe(true);

    answerWith(collection, { pvAgeMs: 0 });
    expect(await collection.scrapeAfter(MINUTE_MS)).toMatchObject({ [PV]: 1200, [REPORTING]: 1 });
  });

  test('that ends in nulls is shown within the maximum age, and vanishes alone, without a fetch', async () => {
    const collection = createCollection();
    answerWith(collection, { pvAgeMs: LIFETIMES.maxAgeMs - 30 * SECOND_MS, socAgeMs: 0 });
    expect(await collection.scrape()).toMatchObject({ [PV]: 1200, [SOC]: 0.9 });
    expect(await collection.scrapeAfter(30 * SECOND_MS)).toHaveProperty([PV]);

    const series = await collection.scrapeAfter(1);
    expect(series).not.toHaveProperty([PV]);
    expect(series).toMatchObject({ [SOC]: 0.9, [REPORTING]: 1 });
    expect(collection.api.count('readings inverter')).toBe(1);
  });

  test('vanishes without anybody asking', async () => {
    const collection = createCollection();
    answerWith(collection, { pvAgeMs: LIFETIMES.maxAgeMs - SECOND_MS, socAgeMs: 0 });
    await collection.scrape();
    collection.clock.advance(SECOND_MS + 1);
    expect(collection.names()).not.toContain(PV);
    expect(collection.names()).toContain(SOC);
  });

  test('without a time is withdrawn with its snapshot alone', async () => {
    const collection = createCollection();
    const { api } = collection;
    api.report = reportOf({ pvPowerWatts: 1200, dialect });
    expect(await collection.scrape()).not.toHaveProperty([TIMESTAMP]);
    api.fail('readings inverter', 'SERVICE_UNREACHABLE');
    expect(await collection.scrapeAfter(LIFETIMES.maxAgeMs - 1)).toMatchObject({ [PV]: 1200 });
    expect(await collection.scrapeAfter(1)).not.toHaveProperty([PV]);
  });

  test('goes with its snapshot, dialect and all, when the service is down for long', async () => {
    const collection = createCollection();
    answerWith(collection, { pvAgeMs: 0 });
    await collection.scrape();
    collection.api.fail('readings inverter', 'SERVICE_UNREACHABLE');
    const series = await collection.scrapeAfter(LIFETIMES.maxAgeMs);
    for (const name of [PV, REPORTING, TIMESTAMP, DIALECT])
      expect(series).not.toHaveProperty([name]);
  });

  test.each([{ serviceAheadMs: 3 * HOUR_MS }, { serviceAheadMs: -3 * HOUR_MS }])(
    'is judged by the clock of the service, which is $serviceAheadMs ms ahead',
    async ({ serviceAheadMs }) => {
      const collection = createCollection();
      answerWith(collection, { pvAgeMs: LIFETIMES.maxAgeMs, socAgeMs: 0 }, serviceAheadMs);
      const newestAtMs = collection.clock.nowMs() + serviceAheadMs;
      expect(await collection.scrape()).toMatchObject({
        [PV]: 1200,
        [SOC]: 0.9,
        [TIMESTAMP]: newestAtMs / 1000,
      });
      const series = await collection.scrapeAfter(1);
      expect(series).not.toHaveProperty([PV]);
      expect(series).toMatchObject({ [SOC]: 0.9, [REPORTING]: 1 });
    },
  );
});

describe('the next withdrawal', () => {
  test('is when the first reading grows too old', async () => {
    const collection = createCollection();
    answerWith(collection, { pvAgeMs: 10 * MINUTE_MS, socAgeMs: 0 });
    await collection.scrape();
    const nowMs = collection.clock.nowMs();
    expect(collection.collection.nextWithdrawalAtMs).toBe(nowMs + 5 * MINUTE_MS + 1);
  });

  test('is that of the snapshot when no reading grows too old before', async () => {
    const collection = createCollection();
    answerWith(collection, { pvAgeMs: HOUR_MS });
    await collection.scrape();
    const nowMs = collection.clock.nowMs();
    expect(collection.collection.nextWithdrawalAtMs).toBe(nowMs + LIFETIMES.maxAgeMs);
  });

  test('is that of an alarm that its device reported', async () => {
    const collection = createCollection({ alarms: true });
    const { api, clock } = collection;
    answerWith(collection, { pvAgeMs: HOUR_MS });
    const observedAtMs = clock.nowMs() - 10 * MINUTE_MS;
    api.alarms = [{ deviceId: 'inverter', key: 'lineLoss', level: 'warning', observedAtMs }];
    const name = 'solar_device_alarm_firing{house,inverter,lineLoss,warning}';
    expect(await collection.scrape()).toHaveProperty([name]);
    expect(collection.collection.nextWithdrawalAtMs).toBe(clock.nowMs() + 5 * MINUTE_MS + 1);
    clock.advance(5 * MINUTE_MS + 1);
    expect(collection.names()).not.toContain(name);
  });
});
