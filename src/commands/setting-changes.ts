import { ConfigError } from '../base/errors.ts';
import { quote } from '../base/shown.ts';
import { nearest } from '../config/nearest.ts';
import {
  type DeviceSettings,
  holdsValue,
  type Setting,
  type SettingValue,
  showValue,
} from '../model/settings.ts';
import { readSettingText } from './setting-text.ts';

/** A `key=value` argument in its two parts; the key may be a name. */
export interface TypedChange {
  readonly typed: string;
  readonly text: string;
}

/** Checks a value against what is known of a setting: the value to send, or why it is refused. */
type ReadValue = { readonly value: SettingValue } | { readonly problem: string };

/**
 * The settings that the interface describes (2.6), at a value of their type: what is known of a device
 * that lists none.
 */
export const INTERFACE_SETTINGS: DeviceSettings = new Map<string, Setting>([
  ['operatingMode', { value: 'Self-Use' }],
  ['batteryPriority', { value: 'Solar First' }],
  ['gridChargingEnabled', { value: false }],
  ['gridFeedInEnabled', { value: false }],
  ['backupModeEnabled', { value: false }],
]);

/**
 * Splits `key=value` arguments, before anything is known of the device.
 *
 * @throws ConfigError listing every argument that is none.
 */
export function splitChanges(arguments_: readonly string[]): readonly TypedChange[] {
  const problems: string[] = [];
  const changes = arguments_.flatMap((argument): TypedChange[] => {
    const [, typed = '', text = ''] = /^([^=]+)=(.*)$/s.exec(argument) ?? [];
    if (typed.trim() !== '') return [{ typed: typed.trim(), text }];
    problems.push(
      `${quote(argument)}: is no change of a setting; accepted: key=value, such as operatingMode=Backup; put words with blanks into quotes`,
    );
    return [];
  });
  if (problems.length > 0) throw new ConfigError(problems);
  return changes;
}

/**
 * Reads changes against the settings that the device lists: each names one of them, by its key or its
 * name, and gives a value that it takes.
 *
 * @throws ConfigError listing every change that the device would not take, and what it would take.
 */
export function readChanges(
  changes: readonly TypedChange[],
  listed: DeviceSettings,
): ReadonlyMap<string, SettingValue> {
  const read = new Map<string, SettingValue>();
  const problems: string[] = [];
  for (const { typed, text } of changes) {
    const found = findSetting(typed, listed);
    if ('problem' in found) {
      problems.push(found.problem);
      continue;
    }
    const { key, setting } = found;
    const value = readValue(setting, text);
    if ('problem' in value) problems.push(`${key}: ${value.problem}`);
    else if (read.has(key)) problems.push(`${key}: is given more than once; accepted: one value`);
    else read.set(key, value.value);
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return read;
}

type FoundSetting =
  { readonly key: string; readonly setting: Setting } | { readonly problem: string };

/** Finds the setting that a person means, by a key of it or by its name in any case. */
function findSetting(typed: string, listed: DeviceSettings): FoundSetting {
  const exact = listed.get(typed);
  if (exact !== undefined) return { key: typed, setting: exact };
  const named = [...listed].filter(([key, { name, writeKey }]) =>
    [key, name, writeKey].some((known) => known?.toLowerCase() === typed.toLowerCase()),
  );
  const [only, ...others] = named;
  if (only !== undefined && others.length === 0) return { key: only[0], setting: only[1] };
  if (named.length > 1)
    return {
      problem: `${quote(typed)}: ${named.length} settings have this name; accepted: one of the keys ${named.map(([key]) => key).join(', ')}`,
    };
  const keys = new Map(
    [...listed].flatMap(([key, { name }]) => [[key, key] as const, [name ?? key, key] as const]),
  );
  const meant = keys.get(nearest(typed, [...keys.keys()]) ?? '');
  const hint = meant === undefined ? '' : `did you mean ${meant}? `;
  return {
    problem: `${quote(typed)}: the device has no such setting; ${hint}accepted: a key or a name that solar-exporter settings get prints`,
  };
}

function readValue(setting: Setting, text: string): ReadValue {
  if (setting.isHidden === true && setting.isWritable !== false)
    return { problem: 'the portal hides it from its users, so it is not changed here' };
  const read = readSettingText(setting, text);
  if ('problem' in read || setting.isDescribed === true) return read;
  // A bare value keeps its type (interface 2.6); a setting that describes itself is written as text.
  if (typeof setting.value === 'boolean') return { value: read.value === 'true' };
  return { value: typeof setting.value === 'number' ? Number(read.value) : read.value };
}

/** Returns the changes whose values the device does not have. */
export function pendingChanges(
  changes: ReadonlyMap<string, SettingValue>,
  held: DeviceSettings,
): ReadonlyMap<string, SettingValue> {
  return new Map([...changes].filter(([name, value]) => !holdsValue(held.get(name), value)));
}

/** Shows each change in a row: the setting, the value that the device has, and the wanted one. */
export function changeRows(
  changes: ReadonlyMap<string, SettingValue>,
  held: DeviceSettings,
): readonly (readonly string[])[] {
  return [...changes].map(([name, value]) => {
    const setting = held.get(name);
    const holds = setting === undefined ? 'unknown' : showValue(setting, setting.value);
    return [name, holds, showValue(setting, value)];
  });
}
