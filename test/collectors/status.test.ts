import { describe, expect, test } from 'vitest';
import { settled } from '../support/deferred.ts';
import { reportOf } from '../support/device-report.ts';
import { createCollection, HOUR_MS, MINUTE_MS } from './collection-harness.ts';

describe('a station', () => {
  test('is not up before its readings succeeded once', async () => {
    const { api, scrape, isUp } = createCollection({ stationIds: ['house'] });
    expect(isUp('house')).toBe(false);
    const reply = api.hang('readings inverter');
    await scrape();
    expect(isUp('house')).toBe(false);
    reply.resolve(reportOf({}));
    await settled();
    expect(isUp('house')).toBe(true);
  });

  test('is up, down and up again as the last refresh of its readings went', async () => {
    const { api, scrape, scrapeAfter, isUp, series } = createCollection();
    await scrape();
    expect(isUp('house')).toBe(true);

    api.fail('readings inverter', 'SERVICE_SERVER_ERROR');
    await scrapeAfter(MINUTE_MS);
    expect(isUp('house')).toBe(false);
    expect(series()).toHaveProperty(['solar_pv_power_watts{house,inverter}'], 1500);

    api.recover('readings inverter');
    await scrapeAfter(1000);
    expect(isUp('house')).toBe(true);
  });

  test('is up with a device that reports nothing', async () => {
    const { api, scrape, isUp } = createCollection();
    api.readings = {};
    await scrape();
    expect(isUp('house')).toBe(true);
  });

  test('is up without devices', async () => {
    const { scrape, isUp } = createCollection({ account: { house: [] } });
    expect(await scrape()).toMatchObject({ 'solar_station_devices{house}': 0 });
    expect(isUp('house')).toBe(true);
  });

  test('is up again once its only, failing device has left', async () => {
    const { api, scrape, scrapeAfter, isUp, outcome } = createCollection();
    api.fail('readings inverter', 'SERVICE_API_REFUSED');
    await scrape();
    api.devices.set('house', []);
    await scrapeAfter(HOUR_MS);
    expect(isUp('house')).toBe(false);
    await scrapeAfter(HOUR_MS);
    expect(isUp('house')).toBe(true);
    expect(outcome('house', 'readings')).toBeUndefined();
  });

  test('is down while its devices have never been listed', async () => {
    const { api, scrape, isUp } = createCollection();
    api.fail('devices house', 'SERVICE_PAYLOAD_INVALID');
    await scrape();
    expect(isUp('house')).toBe(false);
  });

  test('is told apart by collector', async () => {
    const { api, scrape, clock, collection } = createCollection({ stationIds: ['house'] });
    api.fail('summary house', 'SERVICE_TIMEOUT');
    await scrape();
    const success = {
      isSuccess: true,
      code: 'ok',
      durationSeconds: 0,
      lastSuccessAtMs: clock.nowMs(),
      isServed: true,
    };
    expect(collection.status()).toEqual([
      {
        stationId: 'house',
        isUp: true,
        outcomes: [
          { collector: 'devices', ...success },
          {
            collector: 'summary',
            isSuccess: false,
            code: 'SERVICE_TIMEOUT',
            durationSeconds: 0,
            lastSuccessAtMs: undefined,
            isServed: false,
          },
          { collector: 'readings', ...success },
        ],
      },
    ]);
  });
});

describe('the account', () => {
  test('is down, without any station, until stations are discovered', async () => {
    const { api, scrape, scrapeAfter, collection, isUp } = createCollection();
    expect(collection.status()).toEqual([{ stationId: undefined, isUp: false, outcomes: [] }]);
    api.fail('stations', 'SERVICE_AUTH_REJECTED');
    await scrape();
    expect(collection.status()).toMatchObject([
      {
        stationId: undefined,
        isUp: false,
        outcomes: [{ collector: 'stations', isSuccess: false }],
      },
    ]);

    api.recover('stations');
    await scrapeAfter(1000);
    expect(isUp(undefined)).toBe(true);
    expect(isUp('house')).toBe(true);
  });

  test('is up without stations', async () => {
    const { scrape, collection, isUp } = createCollection({ account: {} });
    expect(await scrape()).toEqual({});
    expect(isUp(undefined)).toBe(true);
    expect(collection.status()).toHaveLength(1);
  });

  test('is not asked for when stations are configured', async () => {
    const { scrape, collection } = createCollection({ stationIds: ['house'] });
    await scrape();
    expect(collection.status().map(({ stationId }) => stationId)).toEqual(['house']);
  });
});

describe('the log', () => {
  test('has one line per collector and station in an outage, and one when it is over', async () => {
    const { api, log, scrape, scrapeAfter } = createCollection({
      account: { house: ['first', 'second'] },
    });
    await scrape();
    api.fail('readings first', 'SERVICE_UNREACHABLE');
    api.fail('readings second', 'SERVICE_UNREACHABLE');
    for (let minute = 1; minute <= 10; minute += 1) await scrapeAfter(MINUTE_MS);
    api.recover('readings first');
    api.recover('readings second');
    await scrapeAfter(MINUTE_MS);
    expect(log.lines.map(({ message }) => message)).toEqual([
      'collector failed',
      'collector recovered',
    ]);
  });

  test('names no station when the account fails', async () => {
    const { api, log, scrape } = createCollection();
    api.fail('stations', 'SERVICE_UNREACHABLE');
    await scrape();
    expect(log.lines).toMatchObject([{ level: 'warn', fields: { collector: 'stations' } }]);
    expect(log.lines[0]?.fields).not.toHaveProperty('station_id');
  });
});
