import { quote } from '../base/shown.ts';
import { isNumeric, type Setting, type SettingChoice, showValue } from '../model/settings.ts';

/** Tolerates the rounding error of a sum of decimal steps. */
const STEP_TOLERANCE = 1e-6;

/** The value to send for a text that a person typed, or why the setting does not take the text. */
export type ReadText = { readonly value: string } | { readonly problem: string };

/**
 * Reads the new value of a setting by what is known of it (field notes 2.8): a choice by its value or by its
 * label in any case, a number within its limits, `true` or `false` for a switch, else any text.
 */
export function readSettingText(setting: Setting, text: string): ReadText {
  if (setting.isWritable === false) return { problem: 'the device does not let it be changed' };
  if (setting.choices !== undefined) return readChoice(setting, setting.choices, text);
  if (isNumeric(setting)) return readNumber(setting, text);
  if (typeof setting.value === 'boolean' && text !== 'true' && text !== 'false')
    return notAccepted(text, acceptedOf(setting));
  return text === ''
    ? { problem: 'is empty; accepted: a text such as the current value' }
    : { value: text };
}

function readChoice(setting: Setting, choices: readonly SettingChoice[], text: string): ReadText {
  const byValue = choices.filter(({ value }) => value === text);
  const byLabel = choices.filter(({ label }) => label.toLowerCase() === text.toLowerCase());
  // A label that two choices share is ambiguous; a value never is, so it goes first.
  const [chosen, ...others] = byValue.length > 0 ? byValue : byLabel;
  if (chosen !== undefined && others.length === 0) return { value: chosen.value };
  return notAccepted(text, acceptedOf(setting));
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

/** Describes what a setting takes; empty for one that takes any text. */
export function acceptedOf(setting: Setting): string {
  if (setting.isWritable === false) return 'read only';
  if (setting.isHidden === true) return 'hidden by the portal';
  if (setting.choices !== undefined)
    return setting.choices.map(({ value }) => showValue(setting, value)).join(', ');
  if (isNumeric(setting)) return limitsOf(setting);
  return typeof setting.value === 'boolean' ? 'true, false' : '';
}

function notAccepted(text: string, accepted: string): ReadText {
  return { problem: `${quote(text)} is not accepted; accepted: ${accepted}` };
}
