import { describe, expect, test } from 'vitest';
import type { Family } from '../../../src/simulator/simulator.ts';
import { startSimulator, textOf } from './simulated-service.ts';

const RANGE = 'acInputRangeSetting';
const CURRENT = 'maxTotalChargeCurrentSetting';

/** A device that somebody has asked before, unless a test says so. */
async function start(family: Family = 'pi30', settingsCached = true) {
  const service = await startSimulator({ family, settingsCached, devicesPerStation: 2 });
  const { ask, deviceId } = service;
  const query = { deviceId };
  return {
    ...service,
    query,
    read: async (body: object = {}) => (await ask('settingsGet', { query, body })).data,
    write: (body: object | string) => ask('settingsSet', { query, body }),
    startReading: (body: object = {}) => ask('settingsRead', { query, body }),
  };
}

describe("the portal's settings", () => {
  test('are a map of described values, all or by key', async () => {
    const { read } = await start();
    const settings = await read();
    expect(settings['outputSourcePrioritySetting']).toMatchObject({
      key: 'outputSourcePrioritySetting',
      value: '1',
      valueDisplay: 'SUB',
      valueType: 6,
      enumValues: [
        { id: '1', value: '0', text: 'USO' },
        { id: '2', value: '1', text: 'SUB' },
        { id: '3', value: '2', text: 'SBU' },
      ],
    });
    expect(settings[CURRENT]).toMatchObject({ unit: 'A', value: 60, min: 10, max: 80, step: 10 });
    expect(Object.keys(settings)).toContain('flotingChargingVoltageSetting');
    expect(Object.keys(await read({ keys: [RANGE, 'operatingMode'] }))).toEqual([RANGE]);
  });

  test.each([
    ['a choice', { key: RANGE, value: '1' }, { value: '1', valueDisplay: 'UPS' }],
    ['an amount', { key: CURRENT, value: '40' }, { value: 40 }],
    ['a bare number', { key: CURRENT, value: 40 }, { value: 40 }],
    ['a tenth', { key: 'bulkChargingVoltageSetting', value: '57.3' }, { value: 57.3 }],
  ])('take %s, on one device', async (_what, body, shown) => {
    const { read, write, ask, simulator, stationId, deviceId } = await start();
    expect(await write({ id: deviceId, ...body })).toMatchObject({ code: 0 });
    expect((await read())[body.key]).toMatchObject(shown);
    const other = { deviceId: simulator.deviceIds(stationId)[1] ?? '' };
    const untouched = (await ask('settingsGet', { query: other, body: {} })).data;
    expect(untouched[body.key]).not.toMatchObject(shown);
  });

  test.each<readonly [when: string, body: object, code: number]>([
    ['there is no id, with success', { id: undefined, key: RANGE, value: '1' }, 0],
    ['the id is empty, with success', { id: '', key: RANGE, value: '1' }, 0],
    ['the key is unknown', { id: '', key: 'operatingMode', value: '1' }, 70_134],
    ['there are several settings', { operatingMode: 'x', other: 1 }, 20_101],
    ['there is no key', { value: '1' }, 20_101],
    ['there is no value', { key: RANGE }, 20_101],
    ['the value is yes or no', { key: RANGE, value: true }, 20_101],
    ['the choice is none', { key: RANGE, value: '2' }, 20_101],
    ['the choice is in words', { key: RANGE, value: 'UPS' }, 20_101],
    ['the amount is off its steps', { key: CURRENT, value: '45' }, 20_101],
    ['the amount is too small', { key: CURRENT, value: '0' }, 20_101],
    ['the amount is too large', { key: CURRENT, value: '90' }, 20_101],
    ['the amount is in words', { key: CURRENT, value: 'many' }, 20_101],
    ['the id is another', { id: '1', key: RANGE, value: '1' }, 20_101],
  ])('stay when %s', async (_when, body, code) => {
    const { read, write, deviceId } = await start();
    const before = await read();
    expect(await write({ id: deviceId, ...body })).toMatchObject({ code });
    expect(await read()).toEqual(before);
  });

  test('are not asked for in the specified form, nor by keys that are no texts', async () => {
    const { ask, query } = await start();
    const body = { ...query, key: RANGE, value: '1' };
    const answers = [
      await ask('settingsGet', { body: query }),
      await ask('settingsSet', { body }),
      await ask('settingsGet', { query, body: { keys: 'x' } }),
      await ask('settingsGet', { query, body: { keys: [1] } }),
    ];
    expect(answers.map(({ code }) => code)).toEqual(new Array(4).fill(20_101));
    expect(await ask('settingsGet', { query, body: '' })).toMatchObject({ status: 400 });
  });
});

describe('reading settings from the device', () => {
  test('takes ten seconds, and fills the cache, which a write does not', async () => {
    const { read, write, startReading, ask, clock, deviceId } = await start('pi30', false);
    await write({ id: deviceId, key: RANGE, value: '1' });
    expect(await read()).toEqual({});
    const started = (await startReading({ keys: [RANGE] })).data;
    expect(started).toMatchObject({ deviceId, requestKeys: [RANGE], endAt: null });
    const details = async () =>
      (await ask('settingsReadDetails', { query: { batchReadId: textOf(started['id']) } })).data;
    clock.advance(9_999);
    expect(await details()).toMatchObject({ isFinished: false, configAttributeStates: {} });
    expect(await read()).toEqual({});
    clock.advance(1);
    expect(await details()).toMatchObject({ isFinished: true, endAt: '2026-06-21T04:00:10.000Z' });
    expect((await details())['configAttributeStates']).toMatchObject({ [RANGE]: { value: '1' } });
    expect(Object.keys(await read())).toEqual([RANGE]);
    await write({ id: deviceId, key: RANGE, value: '0' });
    expect((await read())[RANGE]).toMatchObject({ value: '0' });
  });

  test('is refused while it is going on, and reads all when no keys are named', async () => {
    const { read, startReading, clock, ask } = await start('pi30', false);
    const code = async () => (await startReading()).code;
    expect([await code(), await code()]).toEqual([0, 70_021]);
    clock.advance(10_000);
    expect(await code()).toBe(0);
    expect(Object.keys(await read())).toHaveLength(8);
    for (const query of [{}, { batchReadId: '1' }])
      expect(await ask('settingsReadDetails', { query })).toMatchObject({ code: 20_101 });
  });

  test('or writing one needs the device to be online', async () => {
    const { simulator, clock, startReading, write, deviceId } = await start();
    simulator.setOffline(deviceId, clock.nowMs());
    const answers = [await startReading(), await write({ id: deviceId, key: RANGE, value: '1' })];
    expect(answers.map(({ code }) => code)).toEqual([71_000, 71_000]);
  });
});

describe('the specified settings', () => {
  const FACTORY = {
    operatingMode: 'Self-Use',
    batteryPriority: 'Solar First',
    gridChargingEnabled: false,
    gridFeedInEnabled: true,
    backupModeEnabled: false,
    maxChargingCurrent: 60,
  };

  test.each<readonly [change: object, code: number]>([
    [{ operatingMode: 'Backup', gridChargingEnabled: true, maxChargingCurrent: 30 }, 0],
    [{ operatingMode: 'Backup', unknown: 1 }, 70_134],
    [{ operatingMode: '' }, 20_101],
    [{ operatingMode: 1 }, 20_101],
    [{ gridFeedInEnabled: 'no', operatingMode: 'Backup' }, 20_101],
    [{}, 20_101],
    [{ deviceId: '1' }, 20_101],
  ])('take %j whole, or not at all: %d', async (change, code) => {
    const { ask, deviceId } = await startSimulator();
    const answer = await ask('settingsSet', { body: { deviceId, ...change } });
    expect(answer.code).toBe(code);
    const { data } = await ask('settingsGet', { body: { deviceId } });
    expect(data).toEqual(code === 0 ? { ...FACTORY, ...change } : FACTORY);
  });
});
