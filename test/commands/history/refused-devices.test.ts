import { describe, expect, test } from 'vitest';
import { refusedDevices, without } from '../../../src/commands/history/refused-devices.ts';
import type { PlannedPart } from '../../../src/history/run/run-history.ts';
import { FakeServiceApi } from '../../support/fake-service-api.ts';

const HOUSE = { stationId: 'house', timeZone: 'Europe/Berlin' };
const INVERTER = { deviceId: 'inverter' };
const METER = { deviceId: 'meter', name: 'Meter' };

const planned = (month: string, ...devices: PlannedPart['devices']): PlannedPart => {
  const fromMs = Date.parse(`${month}-01`);
  const part = { station: HOUSE, month, fromMs, toMs: fromMs + 86_400_000, isWhole: false };
  return { part, devices };
};
const PLAN = [planned('2026-08', INVERTER, METER), planned('2026-09', INVERTER, METER)];
const patiently = <T>(ask: () => Promise<T>): Promise<T> => ask();

describe('devices whose past is refused', () => {
  test('are found with one question for each device', async () => {
    const api = new FakeServiceApi();
    api.fail('past meter', 'SERVICE_API_REFUSED');
    const refused = await refusedDevices(api, PLAN, patiently);
    expect(refused.map(({ device, error }) => [device, error.code])).toEqual([
      [METER, 'SERVICE_API_REFUSED'],
    ]);
    expect(api.questions).toEqual(['past inverter', 'past meter']);
    expect(api.timeZones.get('past inverter')).toBe('Europe/Berlin');
  });

  test('end the run when there are no others', async () => {
    const api = new FakeServiceApi();
    api.fail('past meter', 'SERVICE_API_REFUSED');
    await expect(refusedDevices(api, [planned('2026-08', METER)], patiently)).rejects.toMatchObject(
      {
        code: 'SERVICE_API_REFUSED',
      },
    );
  });

  test.each(['SERVICE_UNREACHABLE', 'SERVICE_AUTH_REJECTED'] as const)(
    'are not those for which the service fails with %s',
    async (code) => {
      const api = new FakeServiceApi();
      api.fail('past inverter', code);
      await expect(refusedDevices(api, PLAN, patiently)).rejects.toMatchObject({ code });
    },
  );

  test('are asked for nothing where nothing is wanted', async () => {
    const api = new FakeServiceApi();
    expect(await refusedDevices(api, [], patiently)).toEqual([]);
    expect(api.questions).toEqual([]);
  });

  test('are left out of what is wanted, with the parts that were theirs alone', async () => {
    const api = new FakeServiceApi();
    api.fail('past meter', 'SERVICE_API_REFUSED');
    const wanted = [...PLAN, planned('2026-10', METER)];
    const refused = await refusedDevices(api, wanted, patiently);
    expect(without(wanted, refused)).toEqual([
      planned('2026-08', INVERTER),
      planned('2026-09', INVERTER),
    ]);
  });
});
