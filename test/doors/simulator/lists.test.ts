import { describe, expect, test } from 'vitest';
import { type Json, startSimulator } from './simulated-service.ts';

const PAGE = { page: 1, count: 50 };
const FLEET = { stations: 2, devicesPerStation: 2 };
const LEVELS = { batteryLow: 2, lineLoss: 3 };
const ids = (data: Json) => Object.values(data['list'] ?? {}).map(({ id }) => id);

describe('the list of devices', () => {
  test.each([
    ['the account', undefined, { found: 5, total: 5 }],
    ['an empty station', '', { found: 5, total: 5 }],
    ['a station', 1, { found: 3, total: 3 }],
  ] as const)('is that of %s', async (_of, station, expected) => {
    const fleet = { stations: 2, devicesPerStation: 3 };
    const { simulator, ask, stationId } = await startSimulator(fleet);
    simulator.setDeviceCount(stationId, 2);
    const named = typeof station === 'number' ? simulator.stationIds[station] : station;
    const { data } = await ask('devices', { body: { ...PAGE, stationId: named } });
    expect({ found: ids(data).length, total: data['total'] }).toEqual(expected);
  });

  test('comes in pages, up to an empty one', async () => {
    const { simulator, ask, stationId } = await startSimulator({ devicesPerStation: 3 });
    const page = async (number: number) =>
      ids((await ask('devices', { body: { page: number, count: 2, stationId } })).data);
    const known = simulator.deviceIds(stationId);
    const pages = [known.slice(0, 2), known.slice(2), []];
    expect([await page(1), await page(2), await page(3)]).toEqual(pages);
  });

  test.each([
    { page: 0 },
    { page: 1.5 },
    { count: 0 },
    { count: 2001 },
    { count: '5' },
    { stationId: '1' },
    { stationId: 1 },
  ])('is refused for %j', async (change) => {
    const { ask } = await startSimulator();
    expect(await ask('devices', { body: { ...PAGE, ...change } })).toMatchObject({ code: 20_101 });
  });

  test('says what is true of a device, as its details do', async () => {
    const { simulator, clock, ask, deviceId } = await startSimulator();
    const truth = simulator.truth(deviceId, clock.nowMs());
    const { data } = await ask('devices', { body: PAGE });
    const record = data['list']?.[0];
    expect(record).toMatchObject({
      id: deviceId,
      model: 'SIM-5K',
      stationTimezone: 'Asia/Manila',
      isOnline: true,
      state: 20,
      producingPower: Number((truth.pvPowerWatts / 1000).toFixed(3)),
      dailyProducedQuantity: Number((truth.energy().today.pvWattHours / 1000).toFixed(2)),
      totalProducedQuantity: Number((truth.energy().lifetime.pvWattHours / 1000).toFixed(2)),
      lastDataAt: '2026-06-21T04:00:00.000Z',
    });
    const details = (await ask('deviceDetails', { query: { deviceId } })).data;
    expect(details).toEqual({ ...details, ...record });
    expect(await ask('deviceDetails')).toMatchObject({ code: 20_101 });
  });
});

describe('the list of stations', () => {
  test('has ids as bare numbers that a double cannot hold, and the sums of the devices', async () => {
    const { simulator, ask, stationId } = await startSimulator(FLEET);
    const { text, data } = await ask('stations', { body: PAGE });
    for (const id of simulator.stationIds) {
      expect(text).toContain(`{"id":${id},`);
      expect(String(Number(id))).not.toBe(id);
    }
    const { data: devices } = await ask('devices', { body: { ...PAGE, stationId } });
    const sum = (name: string): number =>
      Object.values(devices['list'] ?? {}).reduce((total, one) => total + Number(one[name]), 0);
    for (const name of ['producingPower', 'dailyProducedQuantity', 'totalProducedQuantity'])
      expect(Number(data['list']?.[0]?.[name])).toBeCloseTo(sum(name), 1);
    const details = (await ask('stationDetails', { query: { stationId } })).data;
    expect({ ...data['list']?.[0], id: stationId }).toEqual(details);
    const unknown = await ask('stationDetails', { query: { stationId: '1' } });
    expect(unknown).toMatchObject({ code: 20_101 });
  });

  test('follows what joins and leaves, which comes back as it was', async () => {
    const { simulator, ask, stationId } = await startSimulator({ ...FLEET, stations: 3 });
    const [all, devices] = [simulator.stationIds, simulator.deviceIds(stationId)];
    simulator.setStations(1);
    simulator.setDeviceCount(stationId, 1);
    expect((await ask('stations', { body: PAGE })).data['total']).toBe(1);
    expect((await ask('devices', { body: PAGE })).data['total']).toBe(1);
    simulator.setStations(3);
    simulator.setDeviceCount(stationId, 2);
    expect([simulator.stationIds, simulator.deviceIds(stationId)]).toEqual([all, devices]);
  });
});

test('an offline device shows its last sample, without power, and its station is offline too', async () => {
  const { simulator, clock, ask, stationId, deviceId } = await startSimulator();
  simulator.setOffline(deviceId, clock.nowMs() - 92_000);
  const offline = { state: 30, isOnline: false };
  const { data } = await ask('devices', { body: PAGE });
  expect(data['list']?.[0]).toMatchObject({
    ...offline,
    producingPower: null,
    nonNullableProducingPower: 0,
    lastDataAt: '2026-06-21T03:58:28.000Z',
  });
  const station = await ask('stationDetails', { query: { stationId } });
  expect(station.data).toMatchObject({ ...offline, producingPower: 0 });
  const latest = await ask('latestState', { query: { deviceId } });
  expect(latest.data).toMatchObject({ time: '2026-06-21T03:55:00.000Z' });
  simulator.setOffline(deviceId, undefined);
  const back = (await ask('devices', { body: PAGE })).data['list']?.[0];
  expect(back).toMatchObject({ isOnline: true, state: 20 });
});

describe('alarms', () => {
  const alarmsOf = (names: readonly (keyof typeof LEVELS)[]) =>
    names.map((key) => ({ key, level: LEVELS[key] }));

  test('are listed twice an event, newest first, and stay as past ones', async () => {
    const { simulator, clock, ask, deviceId } = await startSimulator();
    simulator.setAlarms(deviceId, alarmsOf(['batteryLow']));
    clock.advance(60_000);
    simulator.setAlarms(deviceId, alarmsOf(['batteryLow', 'lineLoss']));
    clock.advance(60_000);
    simulator.setAlarms(deviceId, alarmsOf(['lineLoss']));
    const { data } = await ask('alarms', { body: { page: 1, count: 3 } });
    expect(data['total']).toBe(2);
    const list = Object.values(data['list'] ?? {});
    expect(list.map(({ key }) => key)).toEqual(['lineLoss', 'lineLoss', 'batteryLow']);
    const lineLoss = { key: 'lineLoss', name: 'Line loss', level: 3 };
    const fires = { status: 0, createdAt: '2026-06-21T04:01:00.000Z', disappearedAt: null };
    expect(list[0]).toMatchObject({ ...lineLoss, levelDict: 'High', ...fires });
    const [createdAt, disappearedAt] = ['2026-06-21T04:00:00.000Z', '2026-06-21T04:02:00.000Z'];
    expect(list[2]).toMatchObject({ status: 1, createdAt, disappearedAt });
    const latest = await ask('latestState', { query: { deviceId } });
    expect(latest.data['firingAlarms']).toEqual([lineLoss]);
    const devices = await ask('devices', { body: PAGE });
    expect(devices.data['list']?.[0]).toMatchObject({ isAlarmed: true, state: 10 });
  });

  test('are those of a device, a station or the account, while the device is there', async () => {
    const { simulator, ask, stationId } = await startSimulator(FLEET);
    const devices = simulator.stationIds.flatMap((id) => simulator.deviceIds(id));
    for (const device of devices) simulator.setAlarms(device, alarmsOf(['lineLoss']));
    const count = async (filter: object) =>
      ids((await ask('alarms', { body: { ...PAGE, ...filter } })).data).length;
    expect(await count({})).toBe(8);
    expect(await count({ stationId })).toBe(4);
    expect(await count({ stationId: null, deviceId: devices[3] })).toBe(2);
    simulator.setStations(1);
    expect(await count({ stationId: '' })).toBe(4);
    const gone = await ask('alarms', { body: { ...PAGE, deviceId: devices[3] } });
    expect(gone).toMatchObject({ code: 20_101 });
  });
});
