import { describe, expect, test } from 'vitest';
import { reportOf } from '../support/device-report.ts';
import { settled } from '../support/deferred.ts';
import type { Question } from '../support/fake-service-api.ts';
import { createCollection, HOUR_MS, MINUTE_MS } from './collection-harness.ts';

const TWO_STATIONS = { house: ['inverter'], barn: ['barn-inverter'] };
const TWO_DEVICES = { house: ['first', 'second'] };

describe('a station', () => {
  test.each<{ question: Question }>([
    { question: 'devices house' },
    { question: 'summary house' },
    { question: 'readings inverter' },
  ])('is served while another one hangs at: $question', async ({ question }) => {
    const { api, scrape, isUp } = createCollection({ account: TWO_STATIONS });
    api.hang(question);
    expect(await scrape()).toMatchObject({
      'solar_pv_power_watts{barn,barn-inverter}': 1500,
      'solar_month_pv_generated_kwh{barn}': 300,
    });
    expect(isUp('barn')).toBe(true);
  });

  test('is served while another one fails altogether', async () => {
    const { api, scrape, isUp } = createCollection({ account: TWO_STATIONS });
    api.fail('devices house', 'SERVICE_SERVER_ERROR');
    api.fail('summary house', 'SERVICE_SERVER_ERROR');
    expect(await scrape()).toMatchObject({ 'solar_pv_power_watts{barn,barn-inverter}': 1500 });
    expect(isUp('barn')).toBe(true);
    expect(isUp('house')).toBe(false);
  });

  test('backs off on its own', async () => {
    const { api, scrape, scrapeAfter } = createCollection({ account: TWO_STATIONS });
    api.fail('readings inverter', 'SERVICE_RATE_LIMITED', HOUR_MS);
    await scrape();
    await scrapeAfter(MINUTE_MS);
    expect(api.count('readings inverter')).toBe(1);
    expect(api.count('readings barn-inverter')).toBe(2);
  });
});

describe('a collector', () => {
  test.each([
    {
      failing: 'summary',
      question: 'summary house' as const,
      served: { 'solar_pv_power_watts{house,inverter}': 1500, 'solar_station_devices{house}': 1 },
      missing: 'solar_month_',
      isUp: true,
    },
    {
      failing: 'readings',
      question: 'readings inverter' as const,
      served: { 'solar_month_pv_generated_kwh{house}': 300, 'solar_station_devices{house}': 1 },
      missing: 'solar_pv_power_watts',
      isUp: false,
    },
    {
      failing: 'settings',
      question: 'settings-get inverter' as const,
      served: { 'solar_pv_power_watts{house,inverter}': 1500 },
      missing: 'solar_device_setting',
      isUp: true,
    },
    {
      failing: 'devices',
      question: 'devices house' as const,
      served: { 'solar_month_pv_generated_kwh{house}': 300 },
      missing: 'solar_device',
      isUp: false,
    },
  ])('fails alone: $failing', async ({ failing, question, served, missing, isUp }) => {
    const harness = createCollection({ settings: true });
    harness.api.fail(question, 'SERVICE_API_REFUSED');
    const series = await harness.scrape();
    expect(series).toMatchObject(served);
    expect(Object.keys(series).filter((name) => name.startsWith(missing))).toEqual([]);
    expect(harness.outcome('house', failing)).toMatchObject({ isSuccess: false });
    expect(harness.isUp('house')).toBe(isUp);
  });

  test('does not hold up the others', async () => {
    const { api, scrape } = createCollection({ settings: true });
    api.hang('summary house');
    api.hang('settings-get inverter');
    expect(await scrape()).toMatchObject({ 'solar_pv_power_watts{house,inverter}': 1500 });
  });

  test('asks about known devices while the device list hangs', async () => {
    const { api, scrape, scrapeAfter } = createCollection({ stationIds: ['house'] });
    await scrape();
    api.hang('devices house');
    api.readings = { pvPowerWatts: 1600 };
    expect(await scrapeAfter(HOUR_MS)).toMatchObject({
      'solar_pv_power_watts{house,inverter}': 1600,
    });
  });

  test('asks about known devices long after the device list was withdrawn', async () => {
    const { api, scrape, scrapeAfter } = createCollection({ stationIds: ['house'] });
    await scrape();
    api.fail('devices house', 'SERVICE_REQUEST_REJECTED');
    const series = await scrapeAfter(10 * HOUR_MS);
    expect(series).toHaveProperty(['solar_pv_power_watts{house,inverter}'], 1500);
    expect(series).not.toHaveProperty(['solar_station_devices{house}']);
  });
});

describe('a device', () => {
  test('is served while another one of its station hangs', async () => {
    const { api, scrape, series } = createCollection({ account: TWO_DEVICES });
    const reply = api.hang('readings first');
    const served = await scrape();
    expect(served).toHaveProperty(['solar_pv_power_watts{house,second}'], 1500);
    expect(served).not.toHaveProperty(['solar_pv_power_watts{house,first}']);

    reply.resolve(reportOf({ pvPowerWatts: 42 }));
    await settled();
    expect(series()).toHaveProperty(['solar_pv_power_watts{house,first}'], 42);
  });

  test('backs off on its own', async () => {
    const { api, scrape, scrapeAfter } = createCollection({ account: TWO_DEVICES });
    api.fail('readings first', 'SERVICE_SERVER_ERROR');
    await scrape();
    await scrapeAfter(1000);
    await scrapeAfter(2000);
    expect(api.count('readings first')).toBe(3);
    expect(api.count('readings second')).toBe(1);
  });

  test('that fails turns the station down and leaves the other one served', async () => {
    const { api, scrape, isUp } = createCollection({ account: TWO_DEVICES });
    api.fail('readings first', 'SERVICE_TIMEOUT');
    expect(await scrape()).toHaveProperty(['solar_pv_power_watts{house,second}'], 1500);
    expect(isUp('house')).toBe(false);
  });
});
