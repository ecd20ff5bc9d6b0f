import { ConfigError } from '../base/errors.ts';
import { quote } from '../base/shown.ts';
import {
  type DeviceSettings,
  holdsValue,
  isNumeric,
  type Setting,
  type SettingChoice,
  type SettingValue,
  showValue,
} from '../model/settings.ts';
import { didYouMean } from './output.ts';

/** A `key=value` argument in its two parts; the key may be a name. */
export interface TypedChange {
  readonly typed: string;
  readonly text: string;
}

/** Settings with the values to send, by key. */
export type Changes = ReadonlyMap<string, SettingValue>;

/**
 * The specified settings (service.md#settings), at a value of their type: what is known of a device
 * that lists none.
 */
export const INTERFACE_SETTINGS: DeviceSettings = new Map<string, Setting>([
  ['operatingMode', { value: 'Self-Use' }],
  ['batteryPriority', { value: 'Solar First' }],
  ['gridChargingEnabled', { value: false }],
  ['gridFeedInEnabled', { value: false }],
  ['backupModeEnabled', { value: false }],
]);

/** Values that the specification shows of settings of which it has no complete list (service.md#settings). */
const EXAMPLES: ReadonlyMap<string, readonly SettingValue[]> = new Map([
  ['operatingMode', ['Self-Use', 'Backup']],
  ['batteryPriority', ['Solar First', 'Grid First']],
]);

/**
 * Splits `key=value` arguments, before anything is known of the device.
 *
 * @throws ConfigError listing every argument that is none.
 */
export function splitChanges(words: readonly string[]): readonly TypedChange[] {
  return eachOf(words, (word) => {
    const [, typed = '', text = ''] = /^([^=]+)=(.*)$/s.exec(word) ?? [];
    if (typed.trim() !== '') return { typed: typed.trim(), text };
    throw new ConfigError([
      `${quote(word)}: is no change of a setting; accepted: key=value, such as operatingMode=Backup; put words with blanks into quotes`,
    ]);
  });
}

/**
 * Reads changes against the settings that the device lists: each names one of them, by its key or its
 * name, and gives a value that it takes.
 *
 * @throws ConfigError listing every change that the device would not take, and what it would take.
 */
export function readChanges(changes: readonly TypedChange[], listed: DeviceSettings): Changes {
  const keys = new Set<string>();
  return new Map(
    eachOf(changes, ({ typed, text }) => {
      const [key, setting] = findSetting(typed, listed);
      const value = readValue(key, setting, text);
      if (keys.has(key))
        throw new ConfigError([`${key}: is given more than once; accepted: one value`]);
      keys.add(key);
      return [key, value];
    }),
  );
}

/** Reads all of them, however many are refused. */
function eachOf<Given, Read>(given: readonly Given[], read: (one: Given) => Read): readonly Read[] {
  const problems: string[] = [];
  const all = given.flatMap((one) => {
    try {
      return [read(one)];
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      for (const problem of error.problems) problems.push(problem);
      return [];
    }
  });
  if (problems.length > 0) throw new ConfigError(problems);
  return all;
}

/** Finds the setting that a person means, by a key of it or by its name in any case. */
function findSetting(typed: string, listed: DeviceSettings): readonly [string, Setting] {
  const exact = listed.get(typed);
  if (exact !== undefined) return [typed, exact];
  const named = [...listed].filter(([key, { name, writeKey }]) =>
    [key, name, writeKey].some((known) => known?.toLowerCase() === typed.toLowerCase()),
  );
  const [only] = named;
  if (only !== undefined && named.length === 1) return only;
  if (named.length > 1)
    throw new ConfigError([
      `${quote(typed)}: ${named.length} settings have this name; accepted: one of the keys ${named.map(([key]) => key).join(', ')}`,
    ]);
  const keys = new Map(
    [...listed].flatMap(([key, { name }]) => [[key, key] as const, [name ?? key, key] as const]),
  );
  throw new ConfigError([
    `${quote(typed)}: the device has no such setting; ${didYouMean(typed, keys)}accepted: a key or a name that solar-exporter settings get prints`,
  ]);
}

/**
 * Reads the new value of a setting by what is known of it (service.md#settings): a choice by its value or by its
 * label in any case, a number within its limits, `true` or `false` for a switch, else any text.
 */
function readValue(key: string, setting: Setting, text: string): SettingValue {
  const refused = (why: string): ConfigError => new ConfigError([`${key}: ${why}`]);
  if (setting.isWritable === false) throw refused('the device does not let it be changed');
  if (setting.isHidden === true)
    throw refused('the portal hides it from its users, so it is not changed here');
  const taken = takenText(setting, text);
  if (taken === undefined) {
    const accepted = acceptedOf(setting);
    throw refused(
      accepted === ''
        ? 'is empty; accepted: a text such as the current value'
        : `${quote(text)} is not accepted; accepted: ${accepted}`,
    );
  }
  // A bare value keeps its type (service.md#settings); a setting that describes itself is written as text.
  if (setting.isDescribed === true) return taken;
  if (typeof setting.value === 'boolean') return taken === 'true';
  return typeof setting.value === 'number' ? Number(taken) : taken;
}

const SWITCH: readonly SettingChoice[] = ['true', 'false'].map((value) => ({ value, label: '' }));

/** The only values that a setting takes; undefined for a number and a text. */
function choicesOf({ choices, value }: Setting): readonly SettingChoice[] | undefined {
  return choices ?? (typeof value === 'boolean' ? SWITCH : undefined);
}

/** Returns the text to send; undefined for one that the setting does not take. */
function takenText(setting: Setting, text: string): string | undefined {
  const choices = choicesOf(setting);
  if (choices === undefined && isNumeric(setting)) return takenNumber(setting, text);
  if (choices === undefined) return text === '' ? undefined : text;
  if (choices.some(({ value }) => value === text)) return text;
  const byLabel = choices.filter(({ label }) => label.toLowerCase() === text.toLowerCase());
  // A label that two choices share is ambiguous.
  return byLabel.length === 1 ? byLabel[0]?.value : undefined;
}

/** Tolerates the rounding error of a sum of decimal steps. */
const STEP_TOLERANCE = 1e-6;

function takenNumber({ min, max = Infinity, step }: Setting, text: string): string | undefined {
  const wanted = /^[+-]?\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : Number.NaN;
  const steps = step === undefined ? 0 : (wanted - (min ?? 0)) / step;
  const isOnStep = Math.abs(steps - Math.round(steps)) < STEP_TOLERANCE;
  return wanted >= (min ?? -Infinity) && wanted <= max && isOnStep ? String(wanted) : undefined;
}

/** Describes what a setting takes, such as `a number from 10 to 80 A in steps of 10`; empty for any text. */
export function acceptedOf(setting: Setting): string {
  const { isWritable, isHidden, min, max, unit, step } = setting;
  const choices = choicesOf(setting);
  if (isWritable === false) return 'read only';
  if (isHidden === true) return 'hidden by the portal';
  if (choices !== undefined)
    return choices.map(({ value }) => showValue(setting, value)).join(', ');
  if (!isNumeric(setting)) return '';
  return [
    'a number',
    min !== undefined && `from ${min}`,
    max !== undefined && `to ${max}`,
    unit,
    step !== undefined && `in steps of ${step}`,
  ]
    .filter(Boolean)
    .join(' ');
}

/** Returns the keys of the changes of which nothing is known that says whether the device takes their values. */
export function unjudged(changes: Changes, listed: DeviceSettings): readonly string[] {
  const isKnown = (key: string, value: SettingValue): boolean => {
    const setting = listed.get(key) ?? { value };
    const hasLimits = setting.min !== undefined && setting.max !== undefined;
    return (
      hasLimits || choicesOf(setting) !== undefined || EXAMPLES.get(key)?.includes(value) === true
    );
  };
  return [...changes].flatMap(([key, value]) => (isKnown(key, value) ? [] : key));
}

/** Returns the changes whose values the device does not have. */
export function pendingChanges(changes: Changes, held: DeviceSettings): Changes {
  return new Map([...changes].filter(([name, value]) => !holdsValue(held.get(name), value)));
}

/** Shows each change in a row: the setting, the value that the device has, and the wanted one. */
export function changeRows(changes: Changes, held: DeviceSettings): readonly (readonly string[])[] {
  return [...changes].map(([name, value]) => {
    const setting = held.get(name);
    const holds = setting === undefined ? 'unknown' : showValue(setting, setting.value);
    return [name, holds, showValue(setting, value)];
  });
}
