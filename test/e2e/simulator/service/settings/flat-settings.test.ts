import { describe, expect, test } from 'vitest';
import { dataOf, envelopeOf, PATHS, startSimulator } from '../../running-simulator.ts';

const FACTORY = {
  operatingMode: 'Self-Use',
  batteryPriority: 'Solar First',
  gridChargingEnabled: false,
  gridFeedInEnabled: true,
  backupModeEnabled: false,
  maxChargingCurrent: 60,
};

describe('settings', () => {
  test('come as one flat object', async () => {
    const { ask, deviceId } = await startSimulator();
    expect(dataOf(await ask(PATHS.settingsGet, { deviceId }))).toEqual(FACTORY);
  });

  test('change on the device they were changed on', async () => {
    const { simulator, ask, stationId } = await startSimulator({ devicesPerStation: 2 });
    const [deviceId = '', otherId = ''] = simulator.deviceIds(stationId);
    const changes = { operatingMode: 'Backup', gridChargingEnabled: true, maxChargingCurrent: 40 };
    const answer = await ask(PATHS.settingsSet, { deviceId, ...changes });
    expect(envelopeOf(answer)).toMatchObject({ code: 0 });
    expect(envelopeOf(answer).data).toBeUndefined();
    expect(dataOf(await ask(PATHS.settingsGet, { deviceId }))).toEqual({ ...FACTORY, ...changes });
    expect(dataOf(await ask(PATHS.settingsGet, { deviceId: otherId }))).toEqual(FACTORY);
  });

  test.each<{ when: string; changes: Readonly<Record<string, unknown>>; code: number }>([
    { when: 'a mode that is no text', changes: { operatingMode: 1 }, code: 20_101 },
    { when: 'an empty mode', changes: { operatingMode: '' }, code: 20_101 },
    { when: 'a priority that is null', changes: { batteryPriority: null }, code: 20_101 },
    { when: 'a switch in words', changes: { gridChargingEnabled: 'true' }, code: 20_101 },
    { when: 'a switch in numbers', changes: { gridFeedInEnabled: 1 }, code: 20_101 },
    { when: 'a switch in a list', changes: { backupModeEnabled: [true] }, code: 20_101 },
    { when: 'a setting it does not have', changes: { toString: 'x' }, code: 70_134 },
    { when: 'nothing to change', changes: {}, code: 20_101 },
    { when: 'an unknown device', changes: { deviceId: '1' }, code: 20_101 },
  ])(
    'are refused with code $code, and all stay as they are, for $when',
    async ({ changes, code }) => {
      const { ask, deviceId } = await startSimulator();
      const body = { deviceId, ...changes };
      expect(envelopeOf(await ask(PATHS.settingsSet, body)).code).toBe(code);
      expect(dataOf(await ask(PATHS.settingsGet, { deviceId }))).toEqual(FACTORY);
    },
  );

  test('change together or not at all', async () => {
    const { ask, deviceId } = await startSimulator();
    const body = { deviceId, operatingMode: 'Backup', gridChargingEnabled: 'yes' };
    expect(envelopeOf(await ask(PATHS.settingsSet, body)).code).toBe(20_101);
    expect(dataOf(await ask(PATHS.settingsGet, { deviceId }))).toEqual(FACTORY);
  });

  test('of an unknown device are refused', async () => {
    const { ask } = await startSimulator();
    expect(envelopeOf(await ask(PATHS.settingsGet, { deviceId: '1' })).code).toBe(20_101);
  });
});
