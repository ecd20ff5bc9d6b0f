import { describe, expect, test } from 'vitest';
import { parseSettingChanges } from '../../src/commands/setting-changes.ts';
import { ConfigError } from '../../src/base/errors.ts';
import { flatSetting, type Setting } from '../../src/model/settings.ts';

const CURRENT = new Map<string, Setting>([
  ['operatingMode', flatSetting('Self-Use')],
  ['gridChargingEnabled', flatSetting(false)],
  ['maxChargingCurrent', flatSetting(60)],
  ['quietHours', flatSetting(true)],
  ['label', flatSetting('east')],
  [
    'outputSourcePriority',
    {
      value: '1',
      choices: [
        { value: '0', label: 'USO' },
        { value: '1', label: 'SUB' },
      ],
      form: 'object',
    },
  ],
  ['backupReserve', { value: 60, max: 80, form: 'object' }],
]);
const passedThrough = (name: string): string[] => [
  `${name} is not a setting of the interface; it is passed through as given`,
];

function problemsOf(arguments_: readonly string[]): readonly string[] {
  try {
    parseSettingChanges(arguments_, CURRENT);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

describe('a change of a setting', () => {
  test.each([
    { argument: 'operatingMode=Backup', name: 'operatingMode', value: 'Backup' },
    { argument: 'operatingMode=true', name: 'operatingMode', value: 'true' },
    { argument: 'batteryPriority=a=b', name: 'batteryPriority', value: 'a=b' },
    { argument: 'gridChargingEnabled=true', name: 'gridChargingEnabled', value: true },
    { argument: 'gridFeedInEnabled=false', name: 'gridFeedInEnabled', value: false },
    { argument: 'backupModeEnabled=true', name: 'backupModeEnabled', value: true },
  ])('$argument is read in the type of the interface', ({ argument, name, value }) => {
    const { changes, warnings } = parseSettingChanges([argument], CURRENT);
    expect([...changes]).toEqual([[name, value]]);
    expect(warnings).toEqual([]);
  });

  test.each([
    { argument: 'maxChargingCurrent=50', name: 'maxChargingCurrent', value: 50 },
    { argument: 'maxChargingCurrent=fast', name: 'maxChargingCurrent', value: 'fast' },
    { argument: 'maxChargingCurrent=', name: 'maxChargingCurrent', value: '' },
    { argument: 'quietHours=false', name: 'quietHours', value: false },
    { argument: 'quietHours=later', name: 'quietHours', value: 'later' },
    { argument: 'label=50', name: 'label', value: '50' },
    { argument: 'unheardOf=true', name: 'unheardOf', value: 'true' },
    { argument: 'unheardOf=line\nbreak', name: 'unheardOf', value: 'line\nbreak' },
  ])('$argument, which the interface does not know, takes the type it has now', (row) => {
    const { changes, warnings } = parseSettingChanges([row.argument], CURRENT);
    expect([...changes]).toEqual([[row.name, row.value]]);
    expect(warnings).toEqual(passedThrough(row.name));
  });

  test.each([
    { argument: 'outputSourcePriority=uso', name: 'outputSourcePriority', value: '0' },
    { argument: 'outputSourcePriority=1', name: 'outputSourcePriority', value: '1' },
    { argument: 'backupReserve=80', name: 'backupReserve', value: '80' },
  ])('$argument is read as the device describes it', ({ argument, name, value }) => {
    const { changes, warnings } = parseSettingChanges([argument], CURRENT);
    expect([...changes]).toEqual([[name, value]]);
    expect(warnings).toEqual([]);
  });

  test.each([
    { argument: 'gridChargingEnabled', problem: '"gridChargingEnabled": accepted: key=value' },
    { argument: '=true', problem: '"=true": accepted: key=value' },
    { argument: '', problem: '"": accepted: key=value' },
    {
      argument: 'gridChargingEnabled=yes',
      problem: 'gridChargingEnabled: "yes" is not accepted; accepted: true, false',
    },
    {
      argument: 'backupModeEnabled=',
      problem: 'backupModeEnabled: "" is not accepted; accepted: true, false',
    },
    {
      argument: 'operatingMode=',
      problem: 'operatingMode: is empty; accepted: a text such as the current value',
    },
    {
      argument: 'outputSourcePriority=SBU',
      problem: 'outputSourcePriority: "SBU" is not accepted; accepted: USO (0), SUB (1)',
    },
    {
      argument: 'backupReserve=Solar First',
      problem: 'backupReserve: "Solar First" is not accepted; accepted: a number to 80',
    },
    { argument: 'deviceId=1', problem: 'deviceId is the device, not one of its settings' },
  ])('$argument is refused', ({ argument, problem }) => {
    expect(problemsOf([argument])).toEqual([problem]);
  });

  test('is refused together with all other unreadable ones', () => {
    expect(problemsOf(['nonsense', 'gridFeedInEnabled=1', 'label=a', 'label=b'])).toEqual([
      '"nonsense": accepted: key=value',
      'gridFeedInEnabled: "1" is not accepted; accepted: true, false',
      'label: given more than once',
    ]);
  });
});
