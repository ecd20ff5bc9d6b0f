import { describe, expect, test } from 'vitest';
import type { Device } from '../../src/model/station.ts';
import { reportOf } from '../support/device-report.ts';
import { createCollection, type Harness, HOUR_MS, MINUTE_MS } from './collection-harness.ts';

const LISTED = 'solar_device_listed{house,inverter}';
const PV = 'solar_pv_power_watts{house,inverter}';

/** A house with two inverters that was well for an hour, and whose list is due again. */
async function healthy(
  account: Record<string, readonly string[]> = { house: ['inverter', 'second'] },
) {
  const harness = createCollection({ account });
  await harness.scrape();
  harness.clock.advance(HOUR_MS - MINUTE_MS);
  await harness.scrapeAfter(MINUTE_MS);
  return harness;
}

/** Scrapes every minute for so long. */
async function pass({ scrapeAfter }: Harness, minutes: number): Promise<void> {
  for (let minute = 0; minute < minutes; minute += 1) await scrapeAfter(MINUTE_MS);
}

const device = (deviceId: string, stationId?: string): Device =>
  stationId === undefined ? { deviceId } : { deviceId, stationId };

describe('a device that vanishes from the list', () => {
  test('is kept and read on, marked, while the collector fails and says so once', async () => {
    const harness = await healthy();
    const { api, scrapeAfter, outcome, isUp, log } = harness;
    api.devices.set('house', [device('second')]);
    api.records.set('inverter', device('inverter'));
    const page = await scrapeAfter(HOUR_MS);
    expect(page).toMatchObject({
      [LISTED]: 0,
      'solar_device_listed{house,second}': 1,
      'solar_station_devices{house}': 2,
      'solar_device_info{house,inverter,,,}': 1,
      [PV]: 1500,
    });
    expect(outcome('house', 'devices')).toMatchObject({
      isSuccess: false,
      code: 'SERVICE_PAYLOAD_INVALID',
      isServed: true,
    });
    expect(isUp('house')).toBe(true);
    await pass(harness, 300);
    expect(harness.series()).toMatchObject({ [LISTED]: 0, [PV]: 1500 });
    expect(log.lines).toMatchObject([
      {
        level: 'warn',
        message: 'collector failed',
        fields: { collector: 'devices', station_id: 'house' },
      },
    ]);
  });

  test('takes everything with it where the list is empty: nothing disappears either', async () => {
    const { api, scrapeAfter, outcome } = await healthy();
    api.devices.set('house', []);
    api.report = reportOf({ pvPowerWatts: 1500 });
    expect(await scrapeAfter(HOUR_MS)).toMatchObject({ [LISTED]: 0, [PV]: 1500 });
    expect(outcome('house', 'devices')?.isSuccess).toBe(false);
  });

  test('makes the list be asked for again within minutes, and ever less often', async () => {
    const harness = await healthy();
    const { api } = harness;
    api.devices.set('house', []);
    api.records.set('inverter', device('inverter'));
    api.records.set('second', device('second'));
    await harness.scrapeAfter(HOUR_MS);
    const before = api.count('devices house');
    await pass(harness, 59);
    // After 1, 2, 4, 8, 16 minutes more each time.
    expect(api.count('devices house') - before).toBe(5);
    // Before it may be let go, nothing more is asked.
    expect(api.count('device inverter')).toBe(0);
    await pass(harness, 10 * 60);
    expect(api.count('devices house') - before).toBeLessThanOrEqual(16);
    expect(api.count('device inverter')).toBeLessThanOrEqual(11);
  });

  test('recovers when the list has it again', async () => {
    const { api, scrapeAfter, outcome, log } = await healthy();
    const whole = api.devices.get('house') ?? [];
    api.devices.set('house', []);
    await scrapeAfter(HOUR_MS);
    api.devices.set('house', whole);
    expect(await scrapeAfter(MINUTE_MS)).toMatchObject({ [LISTED]: 1 });
    expect(outcome('house', 'devices')?.isSuccess).toBe(true);
    expect(log.messages('info')).toEqual(['collector recovered']);
  });

  test('is let go after an hour when it answers nothing, and the log says so', async () => {
    const harness = await healthy();
    const { api, outcome, log } = harness;
    api.devices.set('house', [device('second')]);
    api.fail('readings inverter', 'SERVICE_API_REFUSED');
    await harness.scrapeAfter(HOUR_MS);
    await pass(harness, 59);
    expect(harness.series()).toMatchObject({ [LISTED]: 0 });
    expect(api.forgotten).toEqual([]);
    await pass(harness, 10);
    expect(api.forgotten).toEqual(['inverter']);
    expect(harness.names().filter((name) => name.includes('inverter'))).toEqual([]);
    expect(outcome('house', 'devices')?.isSuccess).toBe(true);
    expect(log.lines).toContainEqual({
      level: 'warn',
      fields: { devices: ['inverter'] },
      message: 'devices are gone: lists an hour apart lack them, and they answer nothing',
    });
  });

  test('is kept while nobody can be asked', async () => {
    const harness = await healthy();
    harness.api.devices.set('house', []);
    harness.api.fail('device inverter', 'SERVICE_SERVER_ERROR');
    harness.api.fail('device second', 'SERVICE_SERVER_ERROR');
    await harness.scrapeAfter(HOUR_MS);
    await pass(harness, 24 * 60);
    expect(harness.series()).toMatchObject({ [LISTED]: 0, [PV]: 1500 });
  });
});

test('a first list that is empty is believed, and asked for again within minutes', async () => {
  const { api, scrape, scrapeAfter, outcome } = createCollection({ account: { house: [] } });
  expect(await scrape()).toMatchObject({ 'solar_station_devices{house}': 0 });
  expect(outcome('house', 'devices')?.isSuccess).toBe(true);
  api.devices.set('house', [device('inverter')]);
  expect(await scrapeAfter(MINUTE_MS)).toMatchObject({ [LISTED]: 1, [PV]: 1500 });
});

describe('a device that moves to another station', () => {
  test.each([{ names: true }, { names: false }])(
    'is let go at once, whether its record names the station: $names',
    async ({ names }) => {
      const harness = await healthy({ house: ['inverter', 'second'], barn: ['small'] });
      const { api, scrapeAfter, outcome } = harness;
      const at = (stationId: string): string | undefined => (names ? stationId : undefined);
      api.devices.set('house', [device('second', at('house'))]);
      api.devices.set('barn', [device('small', at('barn')), device('inverter', at('barn'))]);
      await scrapeAfter(HOUR_MS);
      // A list that came first could not know.
      const page = await scrapeAfter(MINUTE_MS);
      expect(page).toMatchObject({
        'solar_device_listed{barn,inverter}': 1,
        'solar_pv_power_watts{barn,inverter}': 1500,
        'solar_station_devices{house}': 1,
      });
      expect(Object.keys(page).filter((name) => name.includes('{house,inverter'))).toEqual([]);
      expect(outcome('house', 'devices')?.isSuccess).toBe(true);
      expect(api.count('device inverter')).toBe(0);
    },
  );
});

describe('a service that ignores the station in the device list', () => {
  test.each([
    { records: 'name their station', at: (id: string) => id, expected: { house: 2, barn: 1 } },
    { records: 'name no station', at: () => undefined, expected: { house: 3, barn: 0 } },
  ])('counts each device once when records $records', async ({ at, expected }) => {
    const { api, scrape, scrapeAfter, log, series } = createCollection({
      account: { house: [], barn: [] },
    });
    const all = [
      device('inverter', at('house')),
      device('second', at('house')),
      device('small', at('barn')),
    ];
    api.devices.set('house', all);
    api.devices.set('barn', all);
    await scrape();
    expect(series()).toMatchObject({
      'solar_station_devices{house}': expected.house,
      'solar_station_devices{barn}': expected.barn,
    });
    const readings = Object.keys(series()).filter((name) =>
      name.startsWith('solar_pv_power_watts'),
    );
    expect(readings).toHaveLength(3);
    for (let hour = 0; hour < 3; hour += 1) await scrapeAfter(HOUR_MS);
    expect(Object.keys(series()).filter((name) => name.startsWith('solar_pv_power'))).toEqual(
      readings,
    );
    expect(api.count('readings small')).toBe(api.count('readings inverter'));
    expect(log.lines.every(({ level }) => level === 'warn')).toBe(true);
    expect(log.lines.length).toBeLessThanOrEqual(2);
    expect(log.lines.length).toBeGreaterThan(0);
  });

  test('has no device left at two stations, in whatever order the lists come', async () => {
    const { api, scrape, series } = createCollection({ account: { house: [], barn: [] } });
    const all = [device('inverter')];
    const house = api.hang('devices house');
    api.devices.set('barn', all);
    await scrape();
    expect(series()).toHaveProperty(['solar_pv_power_watts{barn,inverter}']);
    house.resolve(all);
    await scrape();
    const readings = Object.keys(series()).filter((name) => name.startsWith('solar_pv_power'));
    expect(readings).toEqual(['solar_pv_power_watts{house,inverter}']);
  });

  test('shows a configured station without the devices of others', async () => {
    const { api, scrape, series, log } = createCollection({ stationIds: ['house'] });
    api.devices.set('house', [device('inverter', 'house'), device('small', 'barn')]);
    await scrape();
    expect(series()).toMatchObject({ 'solar_station_devices{house}': 1 });
    expect(log.messages('warn')).toEqual([
      'the device list of a station has devices of others: they count there alone',
    ]);
  });
});

describe('a station that vanishes from the list', () => {
  const BARN = 'solar_pv_power_watts{barn,small}';

  async function vanished() {
    const harness = await healthy({ house: ['inverter'], barn: ['small'] });
    harness.api.stations = [{ stationId: 'house' }];
    return harness;
  }

  test('is kept and read on while the account fails', async () => {
    const harness = await vanished();
    const { api, outcome } = harness;
    api.records.set('small', device('small'));
    expect(await harness.scrapeAfter(HOUR_MS)).toMatchObject({ [BARN]: 1500 });
    expect(outcome(undefined, 'stations')).toMatchObject({
      isSuccess: false,
      code: 'SERVICE_PAYLOAD_INVALID',
    });
    await pass(harness, 300);
    expect(harness.series()).toMatchObject({ [BARN]: 1500 });
    expect(harness.collection.stations).toHaveLength(2);
  });

  test('stays although its own list is empty as well, while its devices answer', async () => {
    const harness = await vanished();
    harness.api.stations = [];
    harness.api.devices.clear();
    await harness.scrapeAfter(HOUR_MS);
    await pass(harness, 300);
    expect(harness.series()).toMatchObject({ [BARN]: 1500, [PV]: 1500 });
  });

  test.each([{ list: 'empty' }, { list: 'refused' }])(
    'is let go after an hour when its list is $list and its devices answer nothing',
    async ({ list }) => {
      const harness = await vanished();
      const { api, outcome, collection } = harness;
      if (list === 'refused') api.fail('devices barn', 'SERVICE_API_REFUSED');
      else api.devices.delete('barn');
      api.fail('readings small', 'SERVICE_API_REFUSED');
      await harness.scrapeAfter(HOUR_MS);
      await pass(harness, 59);
      expect(collection.stations).toHaveLength(2);
      expect(api.forgotten).toEqual([]);
      await pass(harness, 10);
      expect(api.forgotten).toEqual(['small']);
      expect(collection.stations).toEqual([expect.objectContaining({ stationId: 'house' })]);
      expect(outcome(undefined, 'stations')?.isSuccess).toBe(true);
    },
  );

  test('does not concern one that is configured', async () => {
    const harness = createCollection({ stationIds: ['house'] });
    harness.api.stations = [];
    await harness.scrape();
    await pass(harness, 180);
    expect(harness.series()).toMatchObject({ [PV]: 1500 });
    expect(harness.api.count('stations')).toBe(0);
  });
});
