import { describe, expect, test } from 'vitest';
import type { Fault } from '../../../src/simulator/simulator.ts';
import { HOUR_MS, MINUTE_MS, type ScrapedPage, startBoth, scrapeHouse } from '../../doors/house.ts';
import { CLASSIC, deviceList, history } from '../../doors/scripted-service.ts';
import { FAULTS_NOW } from './fault-cases.ts';

const LIVE = { sampleIntervalMs: 30_000 };
const FIVE_MINUTES_MS = 5 * MINUTE_MS;

/** Whatever the service listed, there is nothing on the list. */
const EMPTY: Fault = {
  kind: 'altered',
  alter: (body) => body.replace(/"total":\d+/, '"total":0').replace(/"list":\[.*\]/s, '"list":[]'),
};

const listed = (page: ScrapedPage): readonly number[] =>
  page.all('solar_device_listed').map(({ value }) => value);

const succeeds = (page: ScrapedPage, collector: string): number | undefined =>
  page.value('solar_collector_success', { collector });

describe('a device list that is suddenly empty', () => {
  test.each([{ portalEndpoints: true }, { portalEndpoints: false }])(
    'takes nothing from the page, and the exporter says that it is not believed: %j',
    async (service) => {
      const { simulator, log, scrape, scrapeAfter } = await startBoth({
        now: FAULTS_NOW,
        simulator: { ...LIVE, ...service, devicesPerStation: 2 },
      });
      await scrape();
      simulator.setFault('devices', EMPTY);
      await scrapeAfter(HOUR_MS);
      for (let passedMs = 0; passedMs < 3 * HOUR_MS; passedMs += FIVE_MINUTES_MS) {
        const page = await scrapeAfter(FIVE_MINUTES_MS);
        expect(listed(page)).toEqual([0, 0]);
        expect(page.all('solar_pv_power_watts')).toHaveLength(2);
        expect(page.all('solar_battery_soc_ratio')).toHaveLength(2);
        expect(page.value('solar_station_devices')).toBe(2);
        expect(page.value('solar_up')).toBe(1);
        expect(succeeds(page, 'devices')).toBe(0);
      }
      const failures = log.lines.filter(({ message }) => message === 'collector failed');
      expect(failures).toHaveLength(1);
      expect((failures[0]?.fields['err'] as Error).message).toMatch(
        /^the list of devices lacks 2 of the 2 known ones: /,
      );
      simulator.setFault('devices', undefined);
      const page = await scrapeAfter(HOUR_MS);
      expect(listed(page)).toEqual([1, 1]);
      expect(succeeds(page, 'devices')).toBe(1);
    },
  );

  test('does not take a house that sleeps either', async () => {
    const { simulator, clock, deviceId, scrape, scrapeAfter } = await startBoth({
      now: FAULTS_NOW,
      simulator: LIVE,
    });
    await scrape();
    simulator.setFault('devices', EMPTY);
    simulator.setOffline(deviceId, clock.nowMs());
    for (let hour = 0; hour < 12; hour += 1) await scrapeAfter(HOUR_MS);
    simulator.setOffline(deviceId, undefined);
    // What was silent for long is asked every twelve minutes.
    const page = await scrapeAfter(12 * MINUTE_MS);
    expect(page.all('solar_pv_power_watts')).toHaveLength(1);
  });
});

test('a device that was removed is let go after an hour, and the service is asked gently', async () => {
  const { simulator, stationId, log, scrape, scrapeAfter } = await startBoth({
    now: FAULTS_NOW,
    simulator: { ...LIVE, devicesPerStation: 2 },
  });
  await scrape();
  simulator.setDeviceCount(stationId, 1);
  const before = simulator.requests('devices');
  const first = await scrapeAfter(HOUR_MS);
  expect(listed(first).toSorted()).toEqual([0, 1]);
  expect(succeeds(first, 'devices')).toBe(0);
  let page = first;
  for (let minute = 0; minute < 70; minute += 1) page = await scrapeAfter(MINUTE_MS);
  expect(listed(page)).toEqual([1]);
  expect(page.all('solar_device_info')).toHaveLength(1);
  expect(succeeds(page, 'devices')).toBe(1);
  expect(page.value('solar_up')).toBe(1);
  expect(simulator.requests('devices') - before).toBeLessThanOrEqual(8);
  expect(simulator.requests('device-details')).toBe(1);
  expect(log.messages('warn')).toContain(
    'devices are gone: lists an hour apart lack them, and they answer nothing',
  );
});

test('a station list that is suddenly empty takes no station from the page', async () => {
  const { simulator, scrape, scrapeAfter } = await startBoth({
    now: FAULTS_NOW,
    simulator: { ...LIVE, stations: 2 },
  });
  await scrape();
  simulator.setFault('stations', EMPTY);
  await scrapeAfter(HOUR_MS);
  for (let passedMs = 0; passedMs < 3 * HOUR_MS; passedMs += FIVE_MINUTES_MS) {
    const page = await scrapeAfter(FIVE_MINUTES_MS);
    expect(page.all('solar_pv_power_watts')).toHaveLength(2);
    expect(page.all('solar_up').map(({ value }) => value)).toEqual([1, 1]);
    expect(succeeds(page, 'stations')).toBe(0);
  }
});

test('a station that was removed is let go after an hour', async () => {
  const { simulator, scrape, scrapeAfter } = await startBoth({
    now: FAULTS_NOW,
    simulator: { ...LIVE, stations: 2 },
  });
  await scrape();
  simulator.setStations(1);
  expect((await scrapeAfter(HOUR_MS)).all('solar_up')).toHaveLength(2);
  let page = await scrape();
  for (let minute = 0; minute < 70; minute += 1) page = await scrapeAfter(MINUTE_MS);
  expect(page.all('solar_up').map(({ value }) => value)).toEqual([1]);
  expect(succeeds(page, 'stations')).toBe(1);
});

describe('a service that ignores the station in its device list', () => {
  const STATIONS = ['100000000000000003', '100000000000000004'];
  const stations = { data: { total: 2, list: STATIONS.map((id) => ({ id })) } };

  test.each([
    { records: 'with a station', at: STATIONS, counts: [2, 1] },
    { records: 'without a station', at: [], counts: [3, 0] },
  ])('counts each device once from records $records', async ({ at: [home, barn], counts }) => {
    const { page, scrapeAfter, asked, log } = await scrapeHouse({
      stations,
      devices: deviceList(
        { id: '1', stationId: home },
        { id: '2', stationId: home },
        { id: '3', stationId: barn },
      ),
      readings: history(CLASSIC),
    });
    expect(page.all('solar_station_devices').map(({ value }) => value)).toEqual(counts);
    expect(page.all('solar_pv_power_watts')).toHaveLength(3);
    const before = asked('readings').length;
    const later = await scrapeAfter(61_000);
    expect(later.all('solar_pv_power_watts')).toHaveLength(3);
    expect(asked('readings').length - before).toBe(3);
    expect(log.messages('warn').filter((message) => message.includes('devices'))).not.toEqual([]);
  });
});

describe('a list of alarms that is refused', () => {
  const refused: Fault = { kind: 'envelope', code: 70_001, message: 'no right' };

  test.each([{ when: 'from the start' }, { when: 'later' }])(
    '$when says so, in one line, and the rest goes on',
    async ({ when }) => {
      const { simulator, log, scrape, scrapeAfter } = await startBoth({
        now: FAULTS_NOW,
        simulator: LIVE,
      });
      if (when === 'later') await scrape();
      simulator.setFault('alarms', refused);
      const before = simulator.requests('alarms');
      let page = await scrapeAfter(2 * MINUTE_MS);
      for (let minute = 0; minute < 60; minute += 1) {
        page = await scrapeAfter(MINUTE_MS);
        expect(succeeds(page, 'alarms')).toBe(0);
        expect(page.value('solar_up')).toBe(1);
      }
      expect(page.requests('alarms', 'SERVICE_API_REFUSED')).toBe(
        simulator.requests('alarms') - before,
      );
      if (when === 'from the start') expect(simulator.requests('alarms')).toBeLessThanOrEqual(7);
      expect(log.messages('warn')).toEqual(['collector failed']);
      simulator.setFault('alarms', undefined);
      expect(succeeds(await scrapeAfter(10 * MINUTE_MS), 'alarms')).toBe(1);
    },
  );

  test('hides no alarm that a reading brought', async () => {
    const alarm = { key: 'lineLoss', level: 2 };
    const { scrapeAfter } = await scrapeHouse({
      devices: deviceList({ id: '1' }, { id: '2' }),
      // The first is read from its latest state, which has alarms; the second has all keys.
      readings: ({ body }) => (body['deviceId'] === '1' ? history({}) : history(CLASSIC)),
      latestState: {
        data: {
          time: '2026-08-24T07:56:00.000Z',
          fields: { batteryVoltage: { key: 'batteryVoltage', value: 52, unit: 'V' } },
          firingAlarms: [alarm],
        },
      },
      alarms: { envelope: { code: 70_001, message: 'no right', data: null } },
    });
    // At the first scrape nothing has been read yet.
    const page = await scrapeAfter(MINUTE_MS);
    expect(page.value('solar_device_alarm_firing', { device_id: '1', alarm: 'lineLoss' })).toBe(1);
    expect(succeeds(page, 'alarms')).toBe(0);
  });
});
