import { describe, expect, test } from 'vitest';
import { ConfigError } from '../../src/base/errors.ts';
import { findDevice } from '../../src/commands/find-device.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { FakeServiceApi } from '../support/fake-service-api.ts';
import { SilentLog } from '../support/silent-log.ts';

const OPTIONS = { stationIds: [], timeZone: undefined };
const CONTEXT = {
  config: OPTIONS,
  runtime: { clock: new FakeClock() },
  log: new SilentLog(),
};

function account(): FakeServiceApi {
  const api = new FakeServiceApi();
  api.stations = [{ stationId: 'house', timeZone: 'Europe/Madrid' }, { stationId: 'barn' }];
  api.devices.set('house', [
    { deviceId: '17', name: 'Roof east', serial: 'SN0017A', dataloggerNumber: '9900' },
    { deviceId: '18', name: 'Twin', serial: 'SN0018A' },
  ]);
  api.devices.set('barn', [{ deviceId: '21', name: 'Twin' }, { deviceId: '22' }]);
  return api;
}

async function problemOf(typed: string, api = account()): Promise<string> {
  try {
    await findDevice(api, CONTEXT, typed);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems.join('\n');
    throw error;
  }
  return 'none';
}

describe('a device', () => {
  test.each([
    { typed: '17', deviceId: '17' },
    { typed: ' 17 ', deviceId: '17' },
    { typed: 'Roof east', deviceId: '17' },
    { typed: 'ROOF EAST', deviceId: '17' },
    { typed: 'sn0018a', deviceId: '18' },
    { typed: '22', deviceId: '22' },
  ])('is found by $typed', async ({ typed, deviceId }) => {
    expect((await findDevice(account(), CONTEXT, typed)).device.deviceId).toBe(deviceId);
  });

  test('comes with its station as the exporter knows it', async () => {
    const { station } = await findDevice(account(), CONTEXT, 'roof east');
    expect(station).toMatchObject({ stationId: 'house', timeZone: 'Europe/Madrid' });
    const chosen = { ...CONTEXT, config: { ...OPTIONS, timeZone: 'Asia/Karachi' } };
    expect((await findDevice(account(), chosen, '17')).station.timeZone).toBe('Asia/Karachi');
  });

  test('that the lists of several stations have is found once', async () => {
    const api = account();
    api.devices.set('barn', api.devices.get('house') ?? []);
    expect((await findDevice(api, CONTEXT, 'roof east')).station.stationId).toBe('house');
  });

  test('that is found by its id is looked for no further', async () => {
    const api = account();
    await findDevice(api, CONTEXT, '18');
    expect(api.questions).toEqual(['stations', 'devices house']);
  });

  test('is looked for in the configured stations only', async () => {
    const api = account();
    await findDevice(api, { ...CONTEXT, config: { ...OPTIONS, stationIds: ['barn'] } }, 'twin');
    expect(api.questions).toEqual(['devices barn']);
  });

  test('whose name several have is refused with the id of each', async () => {
    expect(await problemOf('twin')).toBe(
      '"twin": 2 devices have this name; accepted: one of the ids 18 (Twin, SN0018A), 21 (Twin)',
    );
  });

  test.each([
    { typed: 'Roof wast', says: 'did you mean 17 (Roof east, SN0017A)?' },
    { typed: 'SN0017B', says: 'did you mean 17 (Roof east, SN0017A)?' },
    { typed: 'roof', says: 'did you mean 17 (Roof east, SN0017A)?' },
    { typed: 'something else', says: 'unknown device; accepted: the id, the name or the serial' },
    { typed: 'something else', says: 'solar-exporter devices lists them' },
    { typed: 'house', says: 'is the id of a station; accepted: a device of it, 17 (Roof east,' },
    { typed: '9900', says: 'is the id of a datalogger; accepted: a device of it, 17 (Roof' },
  ])('that nobody has is refused: $typed: $says', async ({ typed, says }) => {
    expect(await problemOf(typed)).toContain(says);
  });

  test('of a station with many is refused with a few of them', async () => {
    const api = account();
    api.devices.set(
      'house',
      Array.from({ length: 9 }, (_, index) => ({ deviceId: `d${index}` })),
    );
    expect(await problemOf('house', api)).toContain('d0, d1, d2, d3, d4, …');
  });

  test('of an account without any is refused', async () => {
    const api = new FakeServiceApi();
    expect(await problemOf('17', api)).toBe('"17": the account shows no device at all');
  });
});
