import { describe, expect, test } from 'vitest';
import { ConfigError } from '../../../src/base/errors.ts';
import {
  INTERFACE_SETTINGS,
  readChanges,
  splitChanges,
} from '../../../src/commands/setting-changes.ts';
import { type DeviceSettings, flatSetting, type Setting } from '../../../src/model/settings.ts';

/** A device with bare values (interface 2.6). */
const FLAT: DeviceSettings = new Map<string, Setting>([
  ['operatingMode', flatSetting('Self-Use')],
  ['gridChargingEnabled', flatSetting(false)],
  ['maxChargingCurrent', flatSetting(60)],
  ['label', flatSetting('east')],
]);

/** A device whose settings describe themselves (field notes 2.8). */
const DESCRIBED: DeviceSettings = new Map<string, Setting>([
  [
    'outputSourcePriority',
    {
      value: '1',
      name: 'Output source priority',
      choices: [
        { value: '0', label: 'USO' },
        { value: '1', label: 'SUB' },
      ],
      isWritable: true,
      writeKey: 'settingDeviceOutputSourcePriority',
      form: 'object',
    },
  ],
  ['backupReserve', { value: 60, name: 'Reserve', max: 80, form: 'object' }],
  ['reserveOfGrid', { value: 60, name: 'reserve', form: 'object' }],
  ['firmware', { value: '0103', isWritable: false, form: 'object' }],
  ['buzzer', { value: '1', isHidden: true, form: 'object' }],
]);

function problemsOf(arguments_: readonly string[], listed = DESCRIBED): readonly string[] {
  try {
    readChanges(splitChanges(arguments_), listed);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

const read = (argument: string, listed: DeviceSettings) => [
  ...readChanges(splitChanges([argument]), listed),
];

describe('a change of a setting', () => {
  test.each([
    { argument: 'operatingMode=Backup', name: 'operatingMode', value: 'Backup' },
    { argument: 'operatingMode=a=b', name: 'operatingMode', value: 'a=b' },
    { argument: 'OPERATINGMODE=Backup', name: 'operatingMode', value: 'Backup' },
    { argument: 'gridChargingEnabled=true', name: 'gridChargingEnabled', value: true },
    { argument: 'maxChargingCurrent=50', name: 'maxChargingCurrent', value: 50 },
    { argument: 'label=50', name: 'label', value: '50' },
    { argument: 'label=line\nbreak', name: 'label', value: 'line\nbreak' },
  ])('$argument takes the type that a bare value has now', ({ argument, name, value }) => {
    expect(read(argument, FLAT)).toEqual([[name, value]]);
  });

  test.each([
    { argument: 'outputSourcePriority=uso', value: '0' },
    { argument: 'outputSourcePriority=1', value: '1' },
    { argument: 'Output source priority=USO', value: '0' },
    { argument: 'settingDeviceOutputSourcePriority=0', value: '0' },
  ])('$argument names a setting by its key, its name or its other key', ({ argument, value }) => {
    expect(read(argument, DESCRIBED)).toEqual([['outputSourcePriority', value]]);
  });

  test.each([
    { argument: 'operatingMode=Backup', expected: [['operatingMode', 'Backup']] },
    { argument: 'gridFeedInEnabled=true', expected: [['gridFeedInEnabled', true]] },
  ])('$argument is one of the interface where a device lists none', ({ argument, expected }) => {
    expect(read(argument, INTERFACE_SETTINGS)).toEqual(expected);
  });

  test.each([
    {
      argument: 'outputSourcePriorit=0',
      problem:
        '"outputSourcePriorit": the device has no such setting; did you mean outputSourcePriority? accepted: a key or a name that solar-exporter settings get prints',
    },
    {
      argument: 'Output sauce priority=0',
      problem:
        '"Output sauce priority": the device has no such setting; did you mean outputSourcePriority? accepted: a key or a name that solar-exporter settings get prints',
    },
    {
      argument: 'unheardOf=1',
      problem:
        '"unheardOf": the device has no such setting; accepted: a key or a name that solar-exporter settings get prints',
    },
    {
      argument: 'deviceId=1',
      problem:
        '"deviceId": the device has no such setting; accepted: a key or a name that solar-exporter settings get prints',
    },
    {
      argument: 'reserve=1',
      problem:
        '"reserve": 2 settings have this name; accepted: one of the keys backupReserve, reserveOfGrid',
    },
    {
      argument: 'outputSourcePriority=SBU',
      problem: 'outputSourcePriority: "SBU" is not accepted; accepted: USO (0), SUB (1)',
    },
    {
      argument: 'backupReserve=Solar First',
      problem: 'backupReserve: "Solar First" is not accepted; accepted: a number to 80',
    },
    { argument: 'firmware=1', problem: 'firmware: the device does not let it be changed' },
    {
      argument: 'buzzer=0',
      problem: 'buzzer: the portal hides it from its users, so it is not changed here',
    },
  ])('$argument is refused', ({ argument, problem }) => {
    expect(problemsOf([argument])).toEqual([problem]);
  });

  test.each([
    { argument: 'gridChargingEnabled=yes', accepted: 'true, false' },
    { argument: 'gridChargingEnabled=', accepted: 'true, false' },
    { argument: 'maxChargingCurrent=fast', accepted: 'a number' },
    { argument: 'operatingMode=', accepted: 'a text such as the current value' },
  ])('$argument is refused where values are bare', ({ argument, accepted }) => {
    expect(problemsOf([argument], FLAT)).toEqual([
      expect.stringContaining(`accepted: ${accepted}`),
    ]);
  });

  test.each(['gridChargingEnabled', '=true', '', ' =1'])('%j is none', (argument) => {
    expect(problemsOf([argument])).toEqual([
      `${JSON.stringify(argument)}: is no change of a setting; accepted: key=value, such as operatingMode=Backup; put words with blanks into quotes`,
    ]);
  });

  test('is refused together with all others that are', () => {
    expect(problemsOf(['label=a', 'label=b', 'gridChargingEnabled=1'], FLAT)).toEqual([
      'label: is given more than once; accepted: one value',
      'gridChargingEnabled: "1" is not accepted; accepted: true, false',
    ]);
  });
});
