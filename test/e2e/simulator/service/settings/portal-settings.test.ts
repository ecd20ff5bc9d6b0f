import { describe, expect, test } from 'vitest';
import type { Family } from '../../../../../src/simulator/simulator.ts';
import { dataOf, envelopeOf, PATHS, startSimulator } from '../../running-simulator.ts';

type Setting = Readonly<Record<string, unknown>>;

/** Whoever asks for settings here asks a device that somebody has asked before, unless a test says so. */
async function start(family: Family = 'pi30', settingsCached = true) {
  const running = await startSimulator({ family, settingsCached });
  const { ask, deviceId } = running;
  const query = `?deviceId=${deviceId}`;
  return {
    ...running,
    query,
    read: async (body: object = {}) =>
      dataOf<Record<string, Setting>>(await ask(PATHS.settingsGet + query, body)),
    write: (body: object) => ask(PATHS.settingsSet + query, body),
  };
}

describe("the portal's settings", () => {
  test('are a map of described values', async () => {
    const { read } = await start();
    const settings = await read();
    expect(settings['outputSourcePrioritySetting']).toMatchObject({
      key: 'outputSourcePrioritySetting',
      value: '1',
      valueDisplay: 'SUB',
      valueType: 6,
      isConfigAttribute: true,
      enumValues: [
        { id: '1', value: '0', text: 'USO' },
        { id: '2', value: '1', text: 'SUB' },
        { id: '3', value: '2', text: 'SBU' },
      ],
    });
    expect(settings['maxTotalChargeCurrentSetting']).toMatchObject({
      unit: 'A',
      value: 60,
      valueDisplay: '60',
      min: 10,
      max: 80,
      step: 10,
    });
    expect(Object.keys(settings)).toContain('flotingChargingVoltageSetting');
  });

  test('come by key when keys are named, unknown ones left out', async () => {
    const { read } = await start();
    const keys = ['acInputRangeSetting', 'operatingMode'];
    expect(Object.keys(await read({ keys }))).toEqual(['acInputRangeSetting']);
  });

  test('have names of their own on fchao, and are none on a charge controller', async () => {
    expect(Object.keys(await (await start('fchao')).read())).toEqual([
      'setOutputSourcePriority',
      'chargeSourcePrioirty',
      'setMaxChargingCurrent',
      'setUtilityMaxChargingCurrent',
    ]);
    expect(await (await start('charge-controller')).read()).toEqual({});
  });

  test.each([
    { key: 'outputSourcePrioritySetting', value: '2', shown: { value: '2', valueDisplay: 'SBU' } },
    { key: 'maxTotalChargeCurrentSetting', value: '40', shown: { value: 40 } },
    { key: 'bulkChargingVoltageSetting', value: '57.3', shown: { value: 57.3 } },
  ])('take $value for $key', async ({ key, value, shown }) => {
    const { read, write, deviceId } = await start();
    const answer = await write({ id: deviceId, key, value });
    expect(envelopeOf(answer)).toMatchObject({ code: 0 });
    expect((await read())[key]).toMatchObject(shown);
  });

  test('are written to one device', async () => {
    const { simulator, ask } = await startSimulator({
      ...{ family: 'pi30', devicesPerStation: 2, settingsCached: true },
    });
    const [one = '', other = ''] = simulator.deviceIds(simulator.stationIds[0] ?? '');
    const body = { id: one, key: 'acInputRangeSetting', value: '1' };
    await ask(`${PATHS.settingsSet}?deviceId=${one}`, body);
    const read = async (deviceId: string) =>
      dataOf<Record<string, Setting>>(await ask(`${PATHS.settingsGet}?deviceId=${deviceId}`, {}))[
        'acInputRangeSetting'
      ]?.['value'];
    expect([await read(one), await read(other)]).toEqual(['1', '0']);
  });

  const range = { key: 'acInputRangeSetting' };
  const current = { key: 'maxTotalChargeCurrentSetting' };
  test.each<{ when: string; body: object; code: number }>([
    { when: 'an unknown key', body: { key: 'operatingMode', value: '1' }, code: 70_134 },
    { when: 'several settings at once', body: { operatingMode: 'x', other: 1 }, code: 20_101 },
    { when: 'no key', body: { value: '1' }, code: 20_101 },
    { when: 'no value', body: range, code: 20_101 },
    { when: 'a value that is yes or no', body: { ...range, value: true }, code: 20_101 },
    { when: 'a choice that is not one', body: { ...range, value: '2' }, code: 20_101 },
    { when: 'a choice in words', body: { ...range, value: 'UPS' }, code: 20_101 },
    { when: 'an amount off its steps', body: { ...current, value: '45' }, code: 20_101 },
    { when: 'too small an amount', body: { ...current, value: '0' }, code: 20_101 },
    { when: 'too large an amount', body: { ...current, value: '90' }, code: 20_101 },
    { when: 'an amount in words', body: { ...current, value: 'many' }, code: 20_101 },
    { when: 'another id', body: { ...range, value: '1', id: '1' }, code: 20_101 },
  ])('refuse $when with code $code', async ({ body, code }) => {
    const { read, write, deviceId } = await start();
    const before = await read();
    expect(envelopeOf(await write({ id: deviceId, ...body })).code).toBe(code);
    expect(await read()).toEqual(before);
  });

  test.each([
    { when: 'there is no id', body: {} },
    { when: 'the id is empty', body: { id: '' } },
    { when: 'the device is named in another field', body: { deviceId: 'its own' } },
  ])('are not changed when $when, though the answer is success', async ({ body }) => {
    const { read, write, deviceId } = await start();
    const before = await read();
    const named = 'deviceId' in body ? { deviceId } : body;
    const answer = await write({ ...named, key: 'acInputRangeSetting', value: '1' });
    expect(envelopeOf(answer).code).toBe(0);
    expect(await read()).toEqual(before);
  });

  test('refuse an unknown key even without an id', async () => {
    const { write } = await start();
    expect(envelopeOf(await write({ key: 'operatingMode', value: '1' })).code).toBe(70_134);
  });

  test('take a bare number', async () => {
    const { read, write, deviceId } = await start();
    await write({ id: deviceId, key: 'maxTotalChargeCurrentSetting', value: 40 });
    expect((await read())['maxTotalChargeCurrentSetting']).toMatchObject({ value: 40 });
  });

  test("refuse the interface's form, without a query, and an empty body with status 400", async () => {
    const { ask, deviceId, query } = await start();
    expect(envelopeOf(await ask(PATHS.settingsGet, { deviceId })).code).toBe(20_101);
    const flat = { deviceId, key: 'acInputRangeSetting', value: '1' };
    expect(envelopeOf(await ask(PATHS.settingsSet, flat)).code).toBe(20_101);
    expect(envelopeOf(await ask(PATHS.settingsGet + query, { keys: 'x' })).code).toBe(20_101);
    expect(envelopeOf(await ask(PATHS.settingsGet + query, { keys: [1] })).code).toBe(20_101);
    expect((await ask(PATHS.settingsGet + query, '')).status).toBe(400);
  });
});

describe('the cache of settings', () => {
  const key = 'acInputRangeSetting';

  test('is empty until the device was asked, and a written setting does not fill it', async () => {
    const { read, write, deviceId } = await start('pi30', false);
    expect(await read()).toEqual({});
    expect(envelopeOf(await write({ id: deviceId, key, value: '1' })).code).toBe(0);
    expect(await read()).toEqual({});
  });

  test('holds what a reading from the device has brought, once it has finished', async () => {
    const { read, write, ask, query, clock, deviceId } = await start('pi30', false);
    await write({ id: deviceId, key, value: '1' });
    await ask(PATHS.settingsRead + query, {});
    expect(await read()).toEqual({});
    clock.advance(10_000);
    const settings = await read();
    expect(settings[key]).toMatchObject({ value: '1' });
    expect(Object.keys(settings)).toHaveLength(8);
    await write({ id: deviceId, key, value: '0' });
    expect((await read())[key]).toMatchObject({ value: '0' });
  });

  test('holds the finished reading also when the next one has begun', async () => {
    const { read, ask, query, clock } = await start('pi30', false);
    await ask(PATHS.settingsRead + query, { keys: [key] });
    clock.advance(10_000);
    await ask(PATHS.settingsRead + query, {});
    expect(Object.keys(await read())).toEqual([key]);
  });

  test('holds a setting that was read alone, and nothing after it was cleared', async () => {
    const { read, ask, query, deviceId } = await start('pi30', false);
    const readOne = (body: object) => ask(PATHS.settingRead + query, body);
    expect(dataOf<Setting>(await readOne({ id: deviceId, key }))).toMatchObject({
      key,
      value: '0',
    });
    expect(Object.keys(await read())).toEqual([key]);
    expect(envelopeOf(await readOne({ key: 'operatingMode' })).code).toBe(70_134);
    expect(envelopeOf(await ask(PATHS.settingsClear + query, {})).code).toBe(0);
    expect(await read()).toEqual({});
  });

  test('is not read from a device that is offline', async () => {
    const { simulator, ask, query, deviceId, clock } = await start('pi30', false);
    simulator.setOffline(deviceId, clock.nowMs());
    const codes = [PATHS.settingRead, PATHS.settingsRead, PATHS.settingsSet].map(
      async (path) => envelopeOf(await ask(path + query, { id: deviceId, key, value: '1' })).code,
    );
    expect(await Promise.all(codes)).toEqual([71_000, 71_000, 71_000]);
  });
});

interface BatchRead {
  readonly id: string;
  readonly isFinished: boolean;
  readonly configAttributeStates?: Readonly<Record<string, Setting>>;
}

describe('reading settings from the device', () => {
  test('takes ten seconds and then has them all', async () => {
    const { ask, look, deviceId, query, clock } = await start();
    const started = dataOf<BatchRead>(await ask(PATHS.settingsRead + query, { id: deviceId }));
    expect(started).toMatchObject({ deviceId, requestKeys: null, endAt: null, isFinished: false });
    const details = async () =>
      dataOf<BatchRead>(await look(PATHS.settingsReadDetails, { batchReadId: started.id }));
    clock.advance(9_999);
    expect(await details()).toMatchObject({ isFinished: false, configAttributeStates: {} });
    clock.advance(1);
    const finished = await details();
    expect(finished).toMatchObject({ isFinished: true, endAt: '2026-06-21T04:00:10.000Z' });
    expect(finished.configAttributeStates?.['acInputRangeSetting']).toMatchObject({ value: '0' });
  });

  test('reads the keys it is asked for', async () => {
    const { ask, look, query, clock } = await start();
    const keys = ['acInputRangeSetting'];
    const { id } = dataOf<BatchRead>(await ask(PATHS.settingsRead + query, { keys }));
    clock.advance(10_000);
    const { configAttributeStates } = dataOf<BatchRead>(
      await look(PATHS.settingsReadDetails, { batchReadId: id }),
    );
    expect(Object.keys(configAttributeStates ?? {})).toEqual(keys);
  });

  test('is refused with code 70021 while it is going on, and not after', async () => {
    const { ask, query, clock } = await start();
    const code = async () => envelopeOf(await ask(PATHS.settingsRead + query, {})).code;
    expect([await code(), await code()]).toEqual([0, 70_021]);
    clock.advance(10_000);
    expect(await code()).toBe(0);
  });

  test('knows nothing of a reading nobody started', async () => {
    const { look } = await start();
    for (const asked of [{}, { batchReadId: '1' }])
      expect(envelopeOf(await look(PATHS.settingsReadDetails, asked)).code).toBe(20_101);
  });
});
