import { beforeEach, describe, expect, test } from 'vitest';
import { dataOf, PATHS, type RunningSimulator, startSimulator } from '../running-simulator.ts';

type Fields = Readonly<Record<string, unknown>>;

interface Listed {
  readonly total: number;
  readonly list: readonly Fields[];
}

interface Columns {
  readonly total: number;
  readonly count: number;
  readonly payload: {
    readonly timeSeries: readonly string[];
    readonly fields: Readonly<Record<string, readonly unknown[]>>;
  };
}

/** What public clients of the portal ask, in their own forms, and what they read of the answers. */
describe('a client that', () => {
  let running: RunningSimulator;
  let device: Fields;
  let station: Fields;

  beforeEach(async () => {
    running = await startSimulator({ family: 'hpvinv02', stations: 2, devicesPerStation: 2 });
    const { simulator, ask, deviceId } = running;
    simulator.setAlarms(deviceId, [{ key: 'lineLoss', level: 2 }]);
    const all = { page: 1, count: 20 };
    [device = {}] = dataOf<Listed>(await ask(PATHS.devices, all)).list;
    [station = {}] = dataOf<Listed>(await ask(PATHS.stations, all)).list;
  });

  test('fills in every filter with nothing finds everything', async () => {
    const { ask } = running;
    const stations = await ask(PATHS.stations, {
      ...{ page: 1, count: 50, state: '', stationType: '', connectedGridType: '', name: '' },
    });
    expect(dataOf<Listed>(stations).list).toHaveLength(2);
    const devices = await ask(PATHS.devices, {
      ...{ page: 1, count: 10, serialNumber: '', name: '', stationId: '', state: '' },
      ...{ deviceSortKey: null, fieldNames: [], exportType: 0, applyModeCategory: 1 },
    });
    expect(dataOf<Listed>(devices)).toMatchObject({ total: 4 });
  });

  test('names a logger, an owner or a serial number finds the devices of it', async () => {
    const { ask } = running;
    const found = async (filter: object) =>
      dataOf<Listed>(await ask(PATHS.devices, { page: 1, count: 10, ...filter })).list.length;
    expect(await found({ dtuId: device['dtuId'], deviceSortKey: null })).toBe(1);
    expect(await found({ serialNumber: device['serialNumber'] })).toBe(1);
    expect(await found({ name: 'Inverter 2' })).toBe(2);
    expect(await found({ ownerUserId: device['ownerUserId'] })).toBe(4);
    expect(await found({ ownerUserId: '1' })).toBe(0);
    expect(await found({ isOnline: false })).toBe(0);
    expect(await found({ state: 10 })).toBe(1);
  });

  test('knows only the number on its logger finds its device by it', async () => {
    const { look, deviceId } = running;
    const dtuDtuid = String(device['dtuDtuid']);
    expect(dtuDtuid).toMatch(/^\d{20}$/);
    expect(dataOf(await look(PATHS.datalogger, { dtuDtuid }))).toMatchObject({
      devicesAlreadyAdded: [{ id: deviceId, name: 'Inverter 1' }],
    });
  });

  test('knows a device finds its station, and the energies of both', async () => {
    const { look, deviceId, stationId } = running;
    const details = dataOf<Fields>(await look(PATHS.deviceDetails, { deviceId }));
    expect(details).toMatchObject({ ...device, stationId });
    const found = dataOf<Fields>(await look(PATHS.stationDetails, { stationId }));
    expect(found).toMatchObject({ id: stationId, name: 'Station 1', deviceCount: 2 });
    // The list has the id as a bare number, which is rounded here.
    expect(found).toMatchObject({ ...station, id: stationId });
    const energies = ['daily', 'monthly', 'yearly', 'total'].map((span) =>
      Number(found[`${span}ProducedQuantity`]),
    );
    expect(energies).toEqual(energies.toSorted((one, other) => one - other));
    expect(energies[0]).toBeGreaterThan(0);
    expect(Number(found['totalEarnings'])).toBeCloseTo((energies[1] ?? 0) * 0.1, 1);
  });

  test.each([PATHS.ownerStatistics, PATHS.dashboard])(
    'asks %s, with a body or without, gets the totals of the account',
    async (path) => {
      const { ask } = running;
      const totals = dataOf<Fields>(await ask(path, ''));
      expect(dataOf(await ask(path, {}))).toEqual(totals);
      expect(totals).toMatchObject({
        stationTotalNumber: 2,
        devicesNumber: 4,
        stationStateSummary: [{ state: 20, count: 2, stateDict: 'Online' }],
      });
      expect(Number(totals['totalProducedQuantity'])).toBeGreaterThan(
        Number(station['totalProducedQuantity']),
      );
    },
  );

  test('counts states gets each with its name', async () => {
    const { look } = running;
    expect(dataOf(await look(PATHS.stationStates, {}))).toEqual([
      { state: 20, stateDict: 'Online', count: 2 },
    ]);
    expect(dataOf(await look(PATHS.deviceStates, {}))).toEqual([
      { state: 10, stateDict: 'Alarm', count: 1 },
      { state: 20, stateDict: 'Online', count: 3 },
    ]);
  });

  const window = { fromTime: '2026-06-21T03:30:00.000Z', toTime: '2026-06-21T04:00:00.123456Z' };

  test('asks for every record gets objects with texts', async () => {
    const { ask, deviceId } = running;
    const body = { count: 300, deviceId, orderByTimeAsc: false, page: 1, ...window };
    const { total, payload } = dataOf<Columns>(await ask(PATHS.records, body));
    expect(total).toBe(1);
    expect(payload.timeSeries).toHaveLength(7);
    expect(payload.timeSeries[0]).toBe('2026-06-21T04:00:00.000Z');
    expect(payload.fields['mode']?.[0]).toEqual({ vd: 'L' });
    expect(payload.fields['gridVoltage']?.[0]).toEqual({
      vd: expect.stringMatching(/^2\d\d(\.\d)?$/) as string,
    });
    // The newest is not there yet.
    expect(payload.fields['batteryCapacity']?.[0]).toEqual({});
  });

  test('asks for no keys and no order gets bare values of all keys, oldest first', async () => {
    const { ask, deviceId } = running;
    const { payload } = dataOf<Columns>(
      await ask(PATHS.readings, { deviceId, page: 1, count: 300, ...window }),
    );
    expect(payload.timeSeries[0]).toBe('2026-06-21T03:30:00.000Z');
    expect(payload.fields['gridVoltage']?.[0]).toBeTypeOf('number');
    expect(payload.fields).not.toHaveProperty('mode');
  });

  test('asks through the remote gets the state with its ids and groups', async () => {
    const { look, deviceId, stationId } = running;
    const asked = { deviceId, dataSource: '1', _t: '1782014400000' };
    const state = dataOf<Fields>(await look(PATHS.remoteLatestState, asked));
    expect(state).toMatchObject({
      deviceId,
      stationId,
      dtuID: device['dtuDtuid'],
      fields: { mode: { value: 'L', valueDisplay: 'Line Mode' } },
      firingAlarms: [{ key: 'lineLoss', level: 2 }],
    });
    const groups = state['groups'] as readonly { key: string; stateItems: readonly Fields[] }[];
    const battery = groups.find(({ key }) => key === 'battery_status');
    expect(battery?.stateItems.map(({ key }) => key)).toContain('batteryVoltage');
    expect(groups.flatMap(({ stateItems }) => stateItems)).toHaveLength(
      Object.keys(state['fields'] as object).length,
    );
  });

  test('names no category gets what can be measured and what can be set', async () => {
    const { look, deviceId } = running;
    const asked = { deviceId, category: '', renderIn: '' };
    const keys = dataOf<readonly Fields[]>(await look(PATHS.attributes, asked)).map(
      ({ key }) => key,
    );
    expect(keys).toEqual(expect.arrayContaining(['batteryVoltage', 'acInputRangeSetting']));
    const grouped = dataOf<{
      attributesGroups: readonly { key: string; attributes: readonly Fields[] }[];
    }>(await look(PATHS.attributeGroups, asked));
    expect(grouped.attributesGroups.flatMap(({ attributes }) => attributes)).toHaveLength(
      keys.length,
    );
  });

  test('leaves every filter of the alarms empty or null gets them all', async () => {
    const { ask, deviceId } = running;
    const filters = {
      ...{ certificateDtuID: '', deviceSerialNumber: '', fromTime: null, toTime: null },
      ...{ isProcessed: null, level: null, orderByCreatedTimeDesc: true },
    };
    const body = { page: 1, count: 20, ...filters };
    const { list } = dataOf<Listed>(await ask(PATHS.alarms, body));
    expect(list[0]).toMatchObject({
      deviceId,
      key: 'lineLoss',
      certificateDtuID: device['dtuDtuid'],
    });
    expect(dataOf(await ask(PATHS.latestAlarm, body))).toEqual(list[0]);
    const none = { ...body, deviceSerialNumber: 'SIM0' };
    expect(dataOf(await ask(PATHS.latestAlarm, none))).toBeNull();
    for (const filter of [{ level: 3 }, { isProcessed: 1 }, { toTime: '2026-06-21T03:00:00Z' }])
      expect(dataOf<Listed>(await ask(PATHS.alarms, { ...body, ...filter })).list).toEqual([]);
  });
});

describe('the flow of a station', () => {
  test('adds up its devices, in kW', async () => {
    const { simulator, look, stationId, clock } = await startSimulator({
      family: 'uwb1',
      devicesPerStation: 2,
    });
    const flow = dataOf<Readonly<Record<string, { value: { value: number; unit: string } }>>>(
      await look(PATHS.stationFlow, { stationId, isManualRefresh: 'false' }),
    );
    const watts = simulator
      .deviceIds(stationId)
      .map((deviceId) => simulator.truth(deviceId, clock.nowMs()).loadPowerWatts)
      .reduce((sum, one) => sum + one, 0);
    expect(flow).toMatchObject({ isSupportFlow: true, time: '2026-06-21T04:00:00.000Z' });
    expect(flow['loadFlow']?.value.unit).toBe('kW');
    expect(flow['loadFlow']?.value.value).toBeCloseTo(watts / 1000, 3);
  });

  test('is not supported where no device has one', async () => {
    const { look, stationId } = await startSimulator({ family: 'sierro' });
    expect(dataOf(await look(PATHS.stationFlow, { stationId }))).toMatchObject({
      ...{ isSupportFlow: false, pvPanelFlow: null, loadFlow: null },
    });
  });
});
