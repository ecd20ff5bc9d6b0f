import { expect, test } from 'vitest';
import { settingsCollector } from '../../src/collectors/settings.ts';
import { pointsOf } from './collector-samples.ts';

test('settings are switches when they are boolean, and text otherwise', () => {
  const settings = new Map<string, string | number | boolean>([
    ['operatingMode', 'Self-Use'],
    ['reserve', 20],
    ['gridChargingEnabled', true],
    ['backupModeEnabled', false],
  ]);
  expect(pointsOf(settingsCollector, settings)).toEqual({
    'solar_device_setting_info{operatingMode,Self-Use}': 1,
    'solar_device_setting_info{reserve,20}': 1,
    'solar_device_setting_enabled{gridChargingEnabled}': 1,
    'solar_device_setting_enabled{backupModeEnabled}': 0,
  });
});

test('no settings give no series', () => {
  expect(pointsOf(settingsCollector, new Map())).toEqual({});
});
