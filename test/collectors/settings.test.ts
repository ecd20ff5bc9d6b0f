import { expect, test } from 'vitest';
import { settingsCollector } from '../../src/collectors/settings.ts';
import { flatSetting, type Setting } from '../../src/model/settings.ts';
import { pointsOf } from './collector-samples.ts';

const ON_OFF = [
  { value: '0', label: 'Off' },
  { value: '1', label: 'On' },
];

test('bare settings are switches, numbers or text by their type', () => {
  const settings = new Map([
    ['operatingMode', flatSetting('Self-Use')],
    ['reserve', flatSetting(20)],
    ['gridChargingEnabled', flatSetting(true)],
    ['backupModeEnabled', flatSetting(false)],
  ]);
  expect(pointsOf(settingsCollector, settings)).toEqual({
    'solar_device_setting_value{reserve,}': 20,
    'solar_device_setting_info{operatingMode,Self-Use}': 1,
    'solar_device_setting_enabled{gridChargingEnabled}': 1,
    'solar_device_setting_enabled{backupModeEnabled}': 0,
  });
});

test('a setting that describes itself is shown by its label, and by its value where it has none', () => {
  const settings = new Map<string, Setting>([
    ['outputSourcePriority', { value: '1', label: 'SUB', form: 'object' }],
    ['acInputRange', { value: '011', choices: ON_OFF, form: 'object' }],
    ['maxChargeCurrent', { value: 60, unit: 'A', form: 'object' }],
    ['cutOffVoltage', { value: '44.5', unit: 'V', min: 40, max: 48, step: 0.1, form: 'object' }],
    ['powerSaving', { value: true, form: 'object' }],
  ]);
  expect(pointsOf(settingsCollector, settings)).toEqual({
    'solar_device_setting_value{maxChargeCurrent,A}': 60,
    'solar_device_setting_value{cutOffVoltage,V}': 44.5,
    'solar_device_setting_info{outputSourcePriority,SUB}': 1,
    'solar_device_setting_info{acInputRange,011}': 1,
    'solar_device_setting_enabled{powerSaving}': 1,
  });
});

test('a choice between on and off is not taken for a switch', () => {
  const settings = new Map<string, Setting>([
    ['buzzer', { value: '1', label: 'On', choices: ON_OFF, form: 'object' }],
  ]);
  expect(pointsOf(settingsCollector, settings)).toEqual({
    'solar_device_setting_info{buzzer,On}': 1,
  });
});

test('hidden settings give no series', () => {
  const settings = new Map<string, Setting>([
    ['factoryCode', { value: '7', isHidden: true, form: 'object' }],
    ['factoryVoltage', { value: 54, unit: 'V', isHidden: true, form: 'object' }],
    ['factorySwitch', { value: true, isHidden: true, form: 'object' }],
    ['buzzer', { value: false, isHidden: false, form: 'object' }],
  ]);
  expect(pointsOf(settingsCollector, settings)).toEqual({
    'solar_device_setting_enabled{buzzer}': 0,
  });
});

test('a number that changes stays one series', () => {
  const seriesAt = (value: number) =>
    Object.keys(
      pointsOf(settingsCollector, new Map([['cutOff', { ...flatSetting(value), unit: 'V' }]])),
    );
  expect(seriesAt(44)).toEqual(seriesAt(46.5));
});

test('no settings give no series', () => {
  expect(pointsOf(settingsCollector, new Map())).toEqual({});
});
