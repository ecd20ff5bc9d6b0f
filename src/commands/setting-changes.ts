import { ConfigError } from '../errors.ts';
import type { DeviceSettings, SettingValue } from '../model/station.ts';

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
  /** One sentence for each setting that the interface does not describe. */
  readonly warnings: readonly string[];
}

/**
 * Reads `key=value` arguments. The five known settings must have their type; others are passed through,
 * as the type that their current value has.
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
    const type = KNOWN_SETTINGS.get(name);
    if (name === '') problems.push(`${quoted(argument)}: accepted: key=value`);
    else if (name === 'deviceId') problems.push('deviceId is the device, not one of its settings');
    else if (changes.has(name)) problems.push(`${name}: given more than once`);
    else if (type === 'switch' && text !== 'true' && text !== 'false')
      problems.push(`${name}: ${quoted(text)} is not accepted; accepted: true, false`);
    else if (type === 'text' && text === '')
      problems.push(`${name}: is empty; accepted: a text such as the current value`);
    else {
      if (type === undefined)
        warnings.push(`${name} is not a setting of the interface; it is passed through as given`);
      changes.set(name, type === 'text' ? text : typedLike(current.get(name), text, type));
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
