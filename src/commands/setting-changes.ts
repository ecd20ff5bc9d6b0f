import { ConfigError } from '../errors.ts';
import type { DeviceSettings, SettingValue } from '../model/settings.ts';
import { readSettingText } from './setting-text.ts';

/** The settings that the interface describes (2.6), by the type their value must have. */
const KNOWN_SETTINGS: ReadonlyMap<string, 'text' | 'switch'> = new Map([
  ['operatingMode', 'text'],
  ['batteryPriority', 'text'],
  ['gridChargingEnabled', 'switch'],
  ['gridFeedInEnabled', 'switch'],
  ['backupModeEnabled', 'switch'],
]);

export interface SettingChanges {
  readonly changes: ReadonlyMap<string, SettingValue>;
  /** One sentence for each setting that neither the interface nor the device describes. */
  readonly warnings: readonly string[];
}

/**
 * Reads `key=value` arguments. A setting that describes itself takes what it says it takes. Of the others
 * the five known ones must have their type; the rest is passed through, as the type of the current value.
 *
 * @throws ConfigError that lists every argument that cannot be read.
 */
export function parseSettingChanges(
  arguments_: readonly string[],
  current: DeviceSettings,
): SettingChanges {
  const changes = new Map<string, SettingValue>();
  const warnings: string[] = [];
  const problems: string[] = [];
  for (const argument of arguments_) {
    const [, name = '', text = ''] = /^([^=]+)=(.*)$/s.exec(argument) ?? [];
    const setting = current.get(name);
    const type = KNOWN_SETTINGS.get(name);
    if (name === '') problems.push(`${quoted(argument)}: accepted: key=value`);
    else if (name === 'deviceId') problems.push('deviceId is the device, not one of its settings');
    else if (changes.has(name)) problems.push(`${name}: given more than once`);
    else if (setting?.form === 'object') {
      const read = readSettingText(setting, text);
      if ('problem' in read) problems.push(`${name}: ${read.problem}`);
      else changes.set(name, read.value);
    } else if (type === 'switch' && text !== 'true' && text !== 'false')
      problems.push(`${name}: ${quoted(text)} is not accepted; accepted: true, false`);
    else if (type === 'text' && text === '')
      problems.push(`${name}: is empty; accepted: a text such as the current value`);
    else {
      if (type === undefined)
        warnings.push(`${name} is not a setting of the interface; it is passed through as given`);
      changes.set(name, type === 'text' ? text : typedLike(setting?.value, text, type));
    }
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return { changes, warnings };
}

function typedLike(
  current: SettingValue | undefined,
  text: string,
  type: 'switch' | undefined,
): SettingValue {
  const isSwitch = type === 'switch' || typeof current === 'boolean';
  if (isSwitch && (text === 'true' || text === 'false')) return text === 'true';
  const isNumber =
    typeof current === 'number' && text.trim() !== '' && Number.isFinite(Number(text));
  return isNumber ? Number(text) : text;
}

function quoted(text: string): string {
  return JSON.stringify(text.slice(0, 60));
}
