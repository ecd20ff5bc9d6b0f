import { describe, expect, test } from 'vitest';
import {
  INTERFACE_SETTINGS,
  readChanges,
  splitChanges,
  unjudged,
} from '../../../src/commands/setting-changes.ts';
import type { DeviceSettings, Setting } from '../../../src/model/settings.ts';
import { problemsOf } from '../../support/refusals.ts';

const described = (setting: Setting): Setting => ({ ...setting, isDescribed: true });
const choices = (...labels: readonly (readonly [value: string, label: string])[]) =>
  labels.map(([value, label]) => ({ value, label }));
const OF_PORTAL = choices(['010', 'Utility first'], ['011', 'Solar first']);
const number = (limits: Omit<Setting, 'form' | 'value'>): Setting =>
  described({ value: 1, ...limits });

/** A device with bare values (service.md#settings). */
const FLAT: DeviceSettings = new Map<string, Setting>([
  ['operatingMode', { value: 'Self-Use' }],
  ['gridChargingEnabled', { value: false }],
  ['maxChargingCurrent', { value: 60 }],
  ['label', { value: 'east' }],
]);

const PRIORITIES = described({
  value: '1',
  name: 'Output source priority',
  choices: choices(['0', 'USO'], ['1', 'SUB']),
  isWritable: true,
  writeKey: 'settingDeviceOutputSourcePriority',
});
const TWISTED = choices(['0', '1'], ['1', 'Same'], ['2', 'same']);

/** A device whose settings describe themselves (service.md#settings). */
const DESCRIBED: DeviceSettings = new Map<string, Setting>([
  ['outputSourcePriority', PRIORITIES],
  ['backupReserve', described({ value: 60, name: 'Reserve', max: 80 })],
  ['reserveOfGrid', described({ value: 60, name: 'reserve' })],
  ['firmware', described({ value: '0103', isWritable: false })],
  ['buzzer', described({ value: '1', isHidden: true })],
  ['priority', described({ value: '011', choices: OF_PORTAL })],
  ['twisted', described({ value: '0', choices: TWISTED })],
  ['current', described({ value: 60, unit: 'A', min: 10, max: 80, step: 10 })],
  ['any', number({})],
  ['toFive', number({ max: 5 })],
  ['inTenths', number({ step: 0.1 })],
  ['inTensFromFive', number({ min: 5, step: 10 })],
  ['fromFive', number({ min: 5 })],
  ['toMinusFive', number({ max: -5 })],
  ['inSteps', number({ step: 0.7 })],
  ['switch', described({ value: true })],
  ['text', described({ value: 'east' })],
]);

const changesOf = (words: readonly string[], listed: DeviceSettings) => [
  ...readChanges(splitChanges(words), listed),
];
const refusalsOf = (words: readonly string[], listed: DeviceSettings) =>
  problemsOf(() => changesOf(words, listed));

describe('a change of a setting', () => {
  test.each<[listed: DeviceSettings, word: string, key: string, value: unknown]>([
    [FLAT, 'operatingMode=Backup', 'operatingMode', 'Backup'],
    [FLAT, 'operatingMode=a=b', 'operatingMode', 'a=b'],
    [FLAT, 'OPERATINGMODE=Backup', 'operatingMode', 'Backup'],
    [FLAT, 'gridChargingEnabled=true', 'gridChargingEnabled', true],
    [FLAT, 'maxChargingCurrent=50', 'maxChargingCurrent', 50],
    [FLAT, 'label=50', 'label', '50'],
    [FLAT, 'label=line\nbreak', 'label', 'line\nbreak'],
    [INTERFACE_SETTINGS, 'gridFeedInEnabled=true', 'gridFeedInEnabled', true],
    [DESCRIBED, 'Output source priority=USO', 'outputSourcePriority', '0'],
    [DESCRIBED, 'settingDeviceOutputSourcePriority=0', 'outputSourcePriority', '0'],
    [DESCRIBED, 'priority=010', 'priority', '010'],
    [DESCRIBED, 'priority=SOLAR FIRST', 'priority', '011'],
    // The label of another choice.
    [DESCRIBED, 'twisted=1', 'twisted', '1'],
    [DESCRIBED, 'current=10', 'current', '10'],
    [DESCRIBED, 'current=080', 'current', '80'],
    [DESCRIBED, 'current= 20.0 ', 'current', '20'],
    [DESCRIBED, 'any=-3.5', 'any', '-3.5'],
    [DESCRIBED, 'toFive=-100', 'toFive', '-100'],
    [DESCRIBED, 'inTenths=52.3', 'inTenths', '52.3'],
    [DESCRIBED, 'inTensFromFive=15', 'inTensFromFive', '15'],
    [DESCRIBED, 'switch=true', 'switch', 'true'],
    [DESCRIBED, 'text=007', 'text', '007'],
  ])('%# is taken by its key or name, in the type of its setting', (listed, word, key, value) => {
    expect(changesOf([word], listed)).toEqual([[key, value]]);
  });

  const NONE = ': the device has no such setting; ';
  const MEANT = `${NONE}did you mean outputSourcePriority? accepted: a key or a name that`;
  test.each([
    ['outputSourcePriorit=0', `"outputSourcePriorit"${MEANT}`],
    ['Output sauce priority=0', `"Output sauce priority"${MEANT}`],
    ['unheardOf=1', `"unheardOf"${NONE}accepted: a key or a name that solar-exporter settings get`],
    ['deviceId=1', `"deviceId"${NONE}accepted: a key or a name that solar-exporter settings get`],
    ['reserve=1', '"reserve": 2 settings have this name; accepted: one of the keys backupReserve,'],
    ['firmware=1', 'firmware: the device does not let it be changed'],
    ['buzzer=0', 'buzzer: the portal hides it from its users, so it is not changed here'],
    ['text=', 'text: is empty; accepted: a text such as the current value'],
  ])('%s is refused: %s', async (word, problem) => {
    expect(await refusalsOf([word], DESCRIBED)).toEqual([expect.stringContaining(problem)]);
  });

  const CURRENTS = 'a number from 10 to 80 A in steps of 10';
  test.each<[key: string, texts: readonly string[], accepted: string, listed?: DeviceSettings]>([
    ['outputSourcePriority', ['SBU'], 'USO (0), SUB (1)'],
    ['backupReserve', ['Solar First'], 'a number to 80'],
    ['priority', ['10', 'Solar', '', ' 010'], 'Utility first (010), Solar first (011)'],
    ['twisted', ['same'], '1 (0), Same (1), same (2)'],
    ['current', ['0', '90', '15', 'many', '', '1e1', 'NaN'], CURRENTS],
    ['any', ['x'], 'a number'],
    ['fromFive', ['1'], 'a number from 5'],
    ['toMinusFive', ['1'], 'a number to -5'],
    ['inSteps', ['1'], 'a number in steps of 0.7'],
    ['switch', ['1'], 'true, false'],
    ['gridChargingEnabled', ['yes', ''], 'true, false', FLAT],
    ['maxChargingCurrent', ['fast'], 'a number', FLAT],
  ])('of %s to any of %j is refused; accepted: %s', async (key, texts, accepted, listed) => {
    for (const typed of texts)
      expect(await refusalsOf([`${key}=${typed}`], listed ?? DESCRIBED)).toEqual([
        `${key}: ${JSON.stringify(typed)} is not accepted; accepted: ${accepted}`,
      ]);
  });

  test.each(['gridChargingEnabled', '=true', '', ' =1'])('%j is none', async (word) => {
    const problem = `${JSON.stringify(word)}: is no change of a setting; accepted: key=value`;
    expect(await refusalsOf([word], DESCRIBED)).toEqual([expect.stringContaining(problem)]);
  });

  test('is refused together with all others that are', async () => {
    expect(await refusalsOf(['label=a', 'label=b', 'gridChargingEnabled=1'], FLAT)).toEqual([
      'label: is given more than once; accepted: one value',
      'gridChargingEnabled: "1" is not accepted; accepted: true, false',
    ]);
  });

  test.each<[isJudged: boolean, word: string, listed: DeviceSettings]>([
    [true, 'operatingMode=Backup', FLAT],
    [true, 'batteryPriority=Grid First', INTERFACE_SETTINGS],
    [true, 'gridChargingEnabled=true', FLAT],
    [false, 'operatingMode=backup', FLAT],
    // An example of another setting.
    [false, 'operatingMode=Solar First', FLAT],
    [false, 'maxChargingCurrent=61', FLAT],
    [false, 'label=west', FLAT],
    [true, 'current=70', DESCRIBED],
    [true, 'priority=010', DESCRIBED],
    [true, 'switch=false', DESCRIBED],
    [false, 'fromFive=6', DESCRIBED],
    [false, 'toFive=5', DESCRIBED],
    [false, 'inTenths=1', DESCRIBED],
  ])('is judged (%s) by what is known of its setting: %s', (isJudged, word, listed) => {
    const changes = readChanges(splitChanges([word]), listed);
    expect(unjudged(changes, listed)).toEqual(isJudged ? [] : [...changes.keys()]);
  });
});
