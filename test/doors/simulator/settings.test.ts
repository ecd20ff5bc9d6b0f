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
    read: async (body: object = {}) => (await ask('settings-get', { query, body })).data,
    write: (body: object | string) => ask('settings-set', { query, body }),
    startReading: (body: object = {}) => ask('settings-read', { query, body }),
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
    {
      family: 'fchao',
      keys: [
        'setOutputSourcePriority',
        'chargeSourcePrioirty',
        'setMaxChargingCurrent',
        'setUtilityMaxChargingCurrent',
      ],
    },
    { family: 'charge-controller', keys: [] },
  ] as const)('of $family are $keys', async ({ family, keys }) => {
    const service = await startSimulator({ family, portal: true, settingsCached: true });
    const query = { deviceId: service.deviceId };
    expect(Object.keys((await service.ask('settings-get', { query, body: {} })).data)).toEqual(
      keys,
    );
  });

  test.each([
    {
      what: 'a choice',
      body: { key: 'outputSourcePrioritySetting', value: '2' },
      shown: { value: '2', valueDisplay: 'SBU' },
    },
    { what: 'an amount', body: { key: CURRENT, value: '40' }, shown: { value: 40 } },
    { what: 'a bare number', body: { key: CURRENT, value: 40 }, shown: { value: 40 } },
    {
      what: 'a tenth',
      body: { key: 'bulkChargingVoltageSetting', value: '57.3' },
      shown: { value: 57.3 },
    },
  ])('take $what, on one device', async ({ body, shown }) => {
    const { read, write, ask, simulator, stationId, deviceId } = await start();
    expect(await write({ id: deviceId, ...body })).toMatchObject({ code: 0 });
    expect((await read())[body.key]).toMatchObject(shown);
    const other = { deviceId: simulator.deviceIds(stationId)[1] ?? '' };
    const untouched = (await ask('settings-get', { query: other, body: {} })).data;
    expect(untouched[body.key]).not.toMatchObject(shown);
  });

  test.each<{ when: string; body: object; code: number }>([
    {
      when: 'there is no id, with success,',
      body: { id: undefined, key: RANGE, value: '1' },
      code: 0,
    },
    { when: 'the id is empty, with success,', body: { id: '', key: RANGE, value: '1' }, code: 0 },
    {
      when: 'the key is unknown',
      body: { id: '', key: 'operatingMode', value: '1' },
      code: 70_134,
    },
    { when: 'there are several settings', body: { operatingMode: 'x', other: 1 }, code: 20_101 },
    { when: 'there is no key', body: { value: '1' }, code: 20_101 },
    { when: 'there is no value', body: { key: RANGE }, code: 20_101 },
    { when: 'the value is yes or no', body: { key: RANGE, value: true }, code: 20_101 },
    { when: 'the choice is none', body: { key: RANGE, value: '2' }, code: 20_101 },
    { when: 'the choice is in words', body: { key: RANGE, value: 'UPS' }, code: 20_101 },
    { when: 'the amount is off its steps', body: { key: CURRENT, value: '45' }, code: 20_101 },
    { when: 'the amount is too small', body: { key: CURRENT, value: '0' }, code: 20_101 },
    { when: 'the amount is too large', body: { key: CURRENT, value: '90' }, code: 20_101 },
    { when: 'the amount is in words', body: { key: CURRENT, value: 'many' }, code: 20_101 },
    { when: 'the id is another', body: { id: '1', key: RANGE, value: '1' }, code: 20_101 },
  ])('stay when $when and the code is $code', async ({ body, code }) => {
    const { read, write, deviceId } = await start();
    const before = await read();
    expect(await write({ id: deviceId, ...body })).toMatchObject({ code });
    expect(await read()).toEqual(before);
  });

  test("are not asked for in the interface's form, nor by keys that are no texts", async () => {
    const { ask, query } = await start();
    expect(await ask('settings-get', { body: query })).toMatchObject({ code: 20_101 });
    expect(await ask('settings-set', { body: { ...query, key: RANGE, value: '1' } })).toMatchObject(
      { code: 20_101 },
    );
    expect(await ask('settings-get', { query, body: { keys: 'x' } })).toMatchObject({
      code: 20_101,
    });
    expect(await ask('settings-get', { query, body: { keys: [1] } })).toMatchObject({
      code: 20_101,
    });
    expect(await ask('settings-get', { query, body: '' })).toMatchObject({ status: 400 });
  });
});

describe('reading settings from the device', () => {
  test('takes ten seconds, and fills the cache, which a write does not', async () => {
    const { read, write, startReading, ask, clock, deviceId } = await start('pi30', false);
    await write({ id: deviceId, key: RANGE, value: '1' });
    expect(await read()).toEqual({});
    const started = (await startReading({ keys: [RANGE] })).data;
    expect(started).toMatchObject({
      deviceId,
      requestKeys: [RANGE],
      endAt: null,
      isFinished: false,
    });
    const details = async () =>
      (await ask('settings-read-details', { query: { batchReadId: textOf(started['id']) } })).data;
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
      expect(await ask('settings-read-details', { query })).toMatchObject({ code: 20_101 });
  });

  test('or writing one needs the device to be online', async () => {
    const { simulator, clock, startReading, write, deviceId } = await start();
    simulator.setOffline(deviceId, clock.nowMs());
    const answers = [await startReading(), await write({ id: deviceId, key: RANGE, value: '1' })];
    expect(answers.map(({ code }) => code)).toEqual([71_000, 71_000]);
  });
});

describe("the interface's settings", () => {
  const FACTORY = {
    operatingMode: 'Self-Use',
    batteryPriority: 'Solar First',
    gridChargingEnabled: false,
    gridFeedInEnabled: true,
    backupModeEnabled: false,
    maxChargingCurrent: 60,
  };

  test.each<{ change: object; code: number }>([
    {
      change: { operatingMode: 'Backup', gridChargingEnabled: true, maxChargingCurrent: 30 },
      code: 0,
    },
    { change: { operatingMode: 'Backup', unknown: 1 }, code: 70_134 },
    { change: { operatingMode: '' }, code: 20_101 },
    { change: { operatingMode: 1 }, code: 20_101 },
    { change: { gridFeedInEnabled: 'no', operatingMode: 'Backup' }, code: 20_101 },
    { change: {}, code: 20_101 },
    { change: { deviceId: '1' }, code: 20_101 },
  ])('take $change whole, or not at all: $code', async ({ change, code }) => {
    const { ask, deviceId } = await startSimulator();
    const answer = await ask('settings-set', { body: { deviceId, ...change } });
    expect(answer.code).toBe(code);
    const { data } = await ask('settings-get', { body: { deviceId } });
    expect(data).toEqual(code === 0 ? { ...FACTORY, ...change } : FACTORY);
  });
});
