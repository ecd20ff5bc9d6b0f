import { describe, expect, test } from 'vitest';
import { dataOf, envelopeOf, PATHS, startSimulator } from '../running-simulator.ts';

const LINE_LOSS = { key: 'lineLoss', name: 'Line loss', level: 2 };
const OVERHEATED = { key: 'inverterOverheated', level: 3 };
const all = { page: 1, count: 50 };

interface AlarmPage {
  readonly total: number;
  readonly list: readonly Readonly<Record<string, unknown>>[];
}

describe('alarms', () => {
  test('fire in the latest state at once, each once', async () => {
    const { simulator, look, deviceId } = await startSimulator({ family: 'uwb1' });
    simulator.setAlarms(deviceId, [LINE_LOSS, OVERHEATED]);
    const answer = await look(PATHS.latestState, { deviceId });
    expect(dataOf<{ firingAlarms: unknown }>(answer).firingAlarms).toEqual([
      LINE_LOSS,
      { ...OVERHEATED, name: 'Inverter overheated' },
    ]);
  });

  test('are listed twice per event, with nothing but the id between the two', async () => {
    const { simulator, ask, deviceId, stationId } = await startSimulator();
    simulator.setAlarms(deviceId, [LINE_LOSS]);
    const { list } = dataOf<AlarmPage>(await ask(PATHS.alarms, all));
    expect(list).toHaveLength(2);
    expect(list[0]).toMatchObject({
      ...LINE_LOSS,
      deviceId,
      stationId,
      levelDict: 'Warning',
      status: 0,
      isProcessed: false,
      createdAt: '2026-06-21T04:00:00.000Z',
      disappearedAt: null,
    });
    expect(list[0]?.['id']).not.toBe(list[1]?.['id']);
    expect({ ...list[0], id: '' }).toEqual({ ...list[1], id: '' });
  });

  test('stay listed as past ones when they end, newest first', async () => {
    const { simulator, ask, look, deviceId, clock } = await startSimulator();
    simulator.setAlarms(deviceId, [LINE_LOSS]);
    clock.advance(60_000);
    simulator.setAlarms(deviceId, [LINE_LOSS, OVERHEATED]);
    clock.advance(60_000);
    simulator.setAlarms(deviceId, [OVERHEATED]);
    clock.advance(60_000);
    simulator.setAlarms(deviceId, [OVERHEATED]);
    const { list } = dataOf<AlarmPage>(await ask(PATHS.alarms, all));
    const [hot, , line] = list;
    expect(list).toHaveLength(4);
    expect(hot).toMatchObject({ key: 'inverterOverheated', status: 0, disappearedAt: null });
    expect(line).toMatchObject({
      key: 'lineLoss',
      status: 1,
      createdAt: '2026-06-21T04:00:00.000Z',
      disappearedAt: '2026-06-21T04:02:00.000Z',
    });
    const latest = await look(PATHS.latestState, { deviceId });
    expect(dataOf<{ firingAlarms: unknown[] }>(latest).firingAlarms).toHaveLength(1);
  });

  test('that come back are another event', async () => {
    const { simulator, ask, deviceId } = await startSimulator();
    for (const alarms of [[LINE_LOSS], [], [LINE_LOSS]]) simulator.setAlarms(deviceId, alarms);
    const { list } = dataOf<AlarmPage>(await ask(PATHS.alarms, all));
    expect(list.map(({ disappearedAt }) => disappearedAt === null)).toEqual([
      ...[true, true],
      ...[false, false],
    ]);
  });

  test('are listed by station and by device, in pages that the total counts', async () => {
    const { simulator, ask } = await startSimulator({ stations: 2, devicesPerStation: 2 });
    const [first = '', second = ''] = simulator.stationIds;
    const [one = '', other = ''] = simulator.deviceIds(first);
    for (const deviceId of [one, other]) simulator.setAlarms(deviceId, [LINE_LOSS]);
    const list = async (filter: object, count = 50) =>
      dataOf<AlarmPage>(await ask(PATHS.alarms, { page: 1, count, ...filter }));
    expect((await list({ stationId: first })).list).toHaveLength(4);
    expect(await list({ stationId: second })).toMatchObject({ total: 0, list: [] });
    const ofOne = (await list({ deviceId: one })).list;
    expect(ofOne.map(({ deviceId }) => deviceId)).toEqual([one, one]);
    expect(await list({}, 3)).toMatchObject({ page: 1, count: 3, total: 2 });
    expect((await list({ page: 2 }, 3)).list).toHaveLength(1);
  });

  test('of a device that has left are not listed', async () => {
    const { simulator, ask, stationId, deviceId } = await startSimulator();
    simulator.setAlarms(deviceId, [LINE_LOSS]);
    simulator.setDeviceCount(stationId, 0);
    expect(dataOf<AlarmPage>(await ask(PATHS.alarms, all)).list).toEqual([]);
    expect(() => simulator.setAlarms(deviceId, [])).toThrow(RangeError);
  });

  test('of an unusual level have no word for it', async () => {
    const { simulator, ask, deviceId } = await startSimulator();
    simulator.setAlarms(deviceId, [{ key: 'odd', level: 9 }]);
    const { list } = dataOf<AlarmPage>(await ask(PATHS.alarms, all));
    expect(list[0]).toMatchObject({ level: 9, levelDict: null });
  });

  test('mark the device, and no other', async () => {
    const { simulator, ask, stationId, deviceId } = await startSimulator({ devicesPerStation: 2 });
    simulator.setAlarms(deviceId, [LINE_LOSS]);
    const { list } = dataOf<AlarmPage>(await ask(PATHS.devices, { ...all, stationId }));
    expect(list.map(({ isAlarmed, state }) => [isAlarmed, state])).toEqual([
      [true, 10],
      [false, 20],
    ]);
  });

  test.each([
    { when: 'no page', change: { page: undefined } },
    { when: 'an unknown station', change: { stationId: '1' } },
    { when: 'an unknown device', change: { deviceId: '1' } },
  ])('are refused with code 20101 for $when', async ({ change }) => {
    const { ask } = await startSimulator();
    expect(envelopeOf(await ask(PATHS.alarms, { ...all, ...change })).code).toBe(20_101);
  });
});
