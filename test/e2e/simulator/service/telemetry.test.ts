import { describe, expect, test } from 'vitest';
import { dataOf, envelopeOf, PATHS, startSimulator } from '../running-simulator.ts';

interface Latest {
  readonly time: string;
  readonly fields: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly firingAlarms: readonly unknown[];
}

describe('the latest state', () => {
  test('describes every key of classic with its unit', async () => {
    const { simulator, look, deviceId, clock } = await startSimulator();
    clock.advance(123_456);
    const answer = await look(PATHS.latestState, { deviceId, dataSource: '1' });
    const { time, fields, firingAlarms } = dataOf<Latest>(answer);
    expect(time).toBe('2026-06-21T04:00:00.000Z');
    expect(firingAlarms).toEqual([]);
    expect(Object.entries(fields).map(([key, { unit }]) => `${key} ${String(unit)}`)).toEqual([
      'pvInputPower W',
      'acOutputActivePower kW',
      'batteryDischargeCurrent A',
      'batteryChargingCurrent A',
      'batteryVoltage V',
      'feedInPower W',
      'batterySOC %',
    ]);
    const watts = Math.round(simulator.truth(deviceId, Date.parse(time)).pvPowerWatts);
    expect(fields['pvInputPower']).toEqual({
      key: 'pvInputPower',
      unit: 'W',
      value: watts,
      valueDisplay: String(watts),
      name: 'Pv input power',
      nameDisplay: 'Pv input power',
      isHidden: false,
    });
  });

  test('keeps enumerations as the texts they are, leading zeros included', async () => {
    const { look, deviceId } = await startSimulator({ family: 'hpvinv02' });
    const { fields } = dataOf<Latest>(await look(PATHS.latestState, { deviceId }));
    expect(fields['batteryStatus']).toMatchObject({ unit: '', value: '011', valueDisplay: 'Idle' });
    expect(fields['mode']).toMatchObject({ value: 'L', valueDisplay: 'Line Mode' });
    expect(fields['workingMode']).toMatchObject({ value: '1', valueDisplay: 'SBU' });
    expect(fields['batteryRatingVoltage']).toMatchObject({ unit: 'V', value: 230 });
  });

  test('spells numbers as strings where the family does', async () => {
    const { look, deviceId } = await startSimulator({ family: 'sierro' });
    const { fields } = dataOf<Latest>(await look(PATHS.latestState, { deviceId }));
    for (const { value } of Object.values(fields)) expect(value).toMatch(/^-?\d+(\.\d)?$/);
  });

  test.each(['', '1', '2'])('is the same for data source "%s"', async (dataSource) => {
    const { look, deviceId } = await startSimulator();
    expect(await look(PATHS.latestState, { deviceId, dataSource })).toMatchObject({
      text: (await look(PATHS.latestState, { deviceId })).text,
    });
  });

  test.each([
    { when: 'no device', query: {} },
    { when: 'an unknown device', query: { deviceId: '1' } },
    { when: 'an unknown data source', query: { dataSource: 'x' } },
  ])('is refused with code 20101 for $when', async ({ when, query }) => {
    const { look, deviceId } = await startSimulator();
    const device = when === 'no device' ? {} : { deviceId };
    const answer = await look(PATHS.latestState, { ...device, ...query });
    expect(envelopeOf(answer).code).toBe(20_101);
  });
});

describe('the catalogue of attributes', () => {
  test('lists every key of a family with its unit, those of the flow alone too', async () => {
    const { look, deviceId } = await startSimulator({ family: 'uwb1' });
    const query = { deviceId, category: '1', renderIn: '2' };
    const list = dataOf<Record<string, unknown>[]>(await look(PATHS.attributes, query));
    expect(list.map(({ key, unit }) => [key, unit])).toEqual(
      expect.arrayContaining([
        ['pv1Power', 'W'],
        ['generationPower', 'kW'],
        ['aPhaseMainsPower', 'W'],
        ['batteryPercentage', '%'],
      ]),
    );
    expect(list[0]).toEqual({
      key: 'pv1Power',
      name: 'Pv1 power',
      nameDisplay: 'Pv1 power',
      unit: 'W',
      valueType: 2,
      category: 1,
      operationMode: 1,
      isStateAttribute: true,
      isConfigAttribute: false,
      isHidden: false,
      enumValues: [],
    });
  });

  test('tells enumerations and texts from numbers', async () => {
    const { look, deviceId } = await startSimulator({ family: 'a-phase-hybrid' });
    const query = { deviceId, category: '1' };
    const list = dataOf<Record<string, unknown>[]>(await look(PATHS.attributes, query));
    const types = new Map(list.map(({ key, valueType }) => [key, valueType]));
    expect(types.get('workingMode')).toBe(6);
    expect(types.get('firmwareVersion')).toBe(1);
    expect(types.get('batterySOC')).toBe(2);
  });

  test('lists settings in category 3', async () => {
    const { look, deviceId } = await startSimulator({ family: 'fchao' });
    const query = { deviceId, category: '3' };
    const list = dataOf<Record<string, unknown>[]>(await look(PATHS.attributes, query));
    expect(list.map(({ key }) => key)).toContain('chargeSourcePrioirty');
    expect(list[0]).toMatchObject({ isConfigAttribute: true, isStateAttribute: false });
    expect(list[0]).not.toHaveProperty('value');
  });

  test('is refused with code 20101 for another category', async () => {
    const { look, deviceId } = await startSimulator();
    const answer = await look(PATHS.attributes, { deviceId, category: '2' });
    expect(envelopeOf(answer).code).toBe(20_101);
  });
});
