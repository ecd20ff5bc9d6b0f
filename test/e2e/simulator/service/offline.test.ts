import { describe, expect, test } from 'vitest';
import { dataOf, envelopeOf, PATHS, startSimulator } from '../running-simulator.ts';

const MINUTE_MS = 60_000;
const OFFLINE_AT = '2026-06-21T03:32:00.000Z';

async function startOffline() {
  const running = await startSimulator({ family: 'charge-controller', devicesPerStation: 2 });
  running.simulator.setOffline(running.deviceId, Date.parse(OFFLINE_AT));
  return running;
}

describe('an offline device', () => {
  test('still shows its last state, with the time it had then', async () => {
    const { simulator, look, deviceId } = await startOffline();
    const latest = dataOf<{ time: string; fields: Record<string, { value: number }> }>(
      await look(PATHS.latestState, { deviceId }),
    );
    expect(latest.time).toBe('2026-06-21T03:30:00.000Z');
    const truth = simulator.truth(deviceId, Date.parse(latest.time));
    expect(latest.fields['generationPower']?.value).toBeCloseTo(truth.pvPowerWatts / 1000, 3);
    const flow = dataOf<{ deviceAttributeState: { time: string } }>(
      await look(PATHS.energyFlow, { deviceId }),
    );
    expect(flow.deviceAttributeState.time).toBe(latest.time);
  });

  test('has no history after it left', async () => {
    const { ask, deviceId } = await startOffline();
    const body = { deviceId, page: 1, count: 100, orderByTimeAsc: true };
    const window = { fromTime: '2026-06-21T03:20:00Z', toTime: '2026-06-21T04:00:00Z' };
    const { payload } = dataOf<{ payload: { timeSeries: string[] } }>(
      await ask(PATHS.readings, { ...body, ...window }),
    );
    expect(payload.timeSeries.map((time) => time.slice(11, 16))).toEqual([
      '03:20',
      '03:25',
      '03:30',
    ]);
  });

  test('is marked in the device list, unlike its neighbour', async () => {
    const { ask, stationId } = await startOffline();
    const answer = await ask(PATHS.devices, { page: 1, count: 10, stationId });
    const [away, here] = dataOf<{ list: Record<string, unknown>[] }>(answer).list;
    expect(away).toMatchObject({
      isOnline: false,
      state: 30,
      stateDict: 'Offline',
      lastDataAt: OFFLINE_AT,
      producingPower: null,
      nonNullableProducingPower: 0,
    });
    expect(here).toMatchObject({ isOnline: true, lastDataAt: '2026-06-21T04:00:00.000Z' });
  });

  test('takes no setting and has none read from it: code 71000', async () => {
    const { ask, deviceId } = await startOffline();
    const query = `?deviceId=${deviceId}`;
    expect(envelopeOf(await ask(PATHS.settingsRead + query, {})).code).toBe(71_000);
    const write = { key: 'x', value: '1' };
    expect(envelopeOf(await ask(PATHS.settingsSet + query, write)).code).toBe(71_000);
  });

  test('is online until the instant it leaves, and again once it is back', async () => {
    const { simulator, ask, stationId, deviceId, clock } = await startSimulator();
    const isOnline = async () => {
      const answer = await ask(PATHS.devices, { page: 1, count: 10, stationId });
      return dataOf<{ list: { isOnline: boolean }[] }>(answer).list[0]?.isOnline;
    };
    simulator.setOffline(deviceId, clock.nowMs() + MINUTE_MS);
    expect(await isOnline()).toBe(true);
    clock.advance(MINUTE_MS);
    expect(await isOnline()).toBe(false);
    simulator.setOffline(deviceId, undefined);
    expect(await isOnline()).toBe(true);
    expect(() => simulator.setOffline('1', 0)).toThrow(RangeError);
  });
});

describe('a device that was out for a while', () => {
  test('has no samples of that time, neither in the time series nor in the record list', async () => {
    const { simulator, ask, deviceId } = await startSimulator({ family: 'charge-controller' });
    const at = (time: string) => Date.parse(`2026-06-21T${time}:00Z`);
    simulator.setGap(deviceId, at('03:10'), at('03:25'));
    simulator.setGap(deviceId, at('03:45'), at('03:50'));
    const body = { deviceId, page: 1, count: 100, orderByTimeAsc: true };
    const window = { fromTime: '2026-06-21T03:00:00Z', toTime: '2026-06-21T04:00:00Z' };
    for (const path of [PATHS.readings, PATHS.records]) {
      const { payload } = dataOf<{ payload: { timeSeries: string[] } }>(
        await ask(path, { ...body, ...window }),
      );
      expect(payload.timeSeries.map((time) => time.slice(14, 16)).join()).toBe(
        '00,05,25,30,35,40,50,55,00',
      );
    }
    expect(() => simulator.setGap('1', 0, 1)).toThrow(RangeError);
  });

  test('is offline with its last state while it is out', async () => {
    const { simulator, ask, look, stationId, deviceId, clock } = await startSimulator();
    simulator.setGap(deviceId, clock.nowMs() - 12 * MINUTE_MS, clock.nowMs() + MINUTE_MS);
    const latest = dataOf<{ time: string }>(await look(PATHS.latestState, { deviceId }));
    expect(latest.time).toBe('2026-06-21T03:45:00.000Z');
    const list = async () =>
      dataOf<{ list: object[] }>(await ask(PATHS.devices, { page: 1, count: 1, stationId })).list;
    expect(await list()).toMatchObject([
      { isOnline: false, lastDataAt: '2026-06-21T03:48:00.000Z' },
    ]);
    clock.advance(5 * MINUTE_MS);
    expect(await list()).toMatchObject([
      { isOnline: true, lastDataAt: '2026-06-21T04:05:00.000Z' },
    ]);
  });
});
