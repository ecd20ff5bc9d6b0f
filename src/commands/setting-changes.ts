import { ConfigError } from '../base/errors.ts';
import { quote } from '../base/shown.ts';
import {
  type DeviceSettings,
  isNumeric,
  type Setting,
  type SettingChoice,
  type SettingValue,
  showValue,
} from '../model/settings.ts';

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
  /** A sentence for each setting that neither the interface nor the device describes. */
  readonly warnings: readonly string[];
}

/**
 * Reads `key=value` arguments. A setting that describes itself is checked against its description. One of
 * the five known settings must have its type. Any other takes the type of its current value.
 *
 * @throws ConfigError listing every argument that cannot be read.
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
    if (name === '') problems.push(`${quote(argument)}: accepted: key=value`);
    else if (name === 'deviceId') problems.push('deviceId is the device, not one of its settings');
    else if (changes.has(name)) problems.push(`${name}: given more than once`);
    else if (setting?.form === 'object') {
      const read = readSettingText(setting, text);
      if ('problem' in read) problems.push(`${name}: ${read.problem}`);
      else changes.set(name, read.value);
    } else if (type === 'switch' && text !== 'true' && text !== 'false')
      problems.push(`${name}: ${quote(text)} is not accepted; accepted: true, false`);
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

/** Tolerates the rounding error of a sum of decimal steps. */
const STEP_TOLERANCE = 1e-6;

/** The value to send for a text that a person typed, or why the setting does not take the text. */
export type ReadText = { readonly value: string } | { readonly problem: string };

/**
 * Reads the new value of a self-describing setting (field notes 2.8): a choice by its value or by its
 * label in any case, a number within its limits, `true` or `false` for a switch, else any text.
 */
export function readSettingText(setting: Setting, text: string): ReadText {
  if (setting.isWritable === false) return { problem: 'the device does not let it be changed' };
  if (setting.choices !== undefined) return readChoice(setting, setting.choices, text);
  if (isNumeric(setting)) return readNumber(setting, text);
  if (typeof setting.value === 'boolean' && text !== 'true' && text !== 'false')
    return notAccepted(text, 'true, false');
  return text === '' ? { problem: 'is empty' } : { value: text };
}

function readChoice(setting: Setting, choices: readonly SettingChoice[], text: string): ReadText {
  const byValue = choices.filter(({ value }) => value === text);
  const byLabel = choices.filter(({ label }) => label.toLowerCase() === text.toLowerCase());
  // A label that two choices share is ambiguous; a value never is, so it goes first.
  const [chosen, ...others] = byValue.length > 0 ? byValue : byLabel;
  if (chosen !== undefined && others.length === 0) return { value: chosen.value };
  return notAccepted(text, choices.map(({ value }) => showValue(setting, value)).join(', '));
}

function readNumber(setting: Setting, text: string): ReadText {
  const { min = -Infinity, max = Infinity, step } = setting;
  const wanted = /^[+-]?\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : Number.NaN;
  const steps = step === undefined ? 0 : (wanted - (setting.min ?? 0)) / step;
  const isOnStep = Math.abs(steps - Math.round(steps)) < STEP_TOLERANCE;
  const isAccepted = wanted >= min && wanted <= max && isOnStep;
  return isAccepted ? { value: String(wanted) } : notAccepted(text, limitsOf(setting));
}

/** Describes what a number may be: `a number from 10 to 80 A in steps of 10`. */
function limitsOf({ min, max, step, unit }: Setting): string {
  const bounds = [
    min === undefined ? '' : `from ${min}`,
    max === undefined ? '' : `to ${max}`,
    unit ?? '',
    step === undefined ? '' : `in steps of ${step}`,
  ];
  return ['a number', ...bounds].filter((part) => part !== '').join(' ');
}

function notAccepted(text: string, accepted: string): ReadText {
  return { problem: `${quote(text)} is not accepted; accepted: ${accepted}` };
}
