import { isNumeric, type Setting, type SettingChoice, showValue } from '../model/settings.ts';

/** A sum of decimal steps misses by less than this. */
const STEP_TOLERANCE = 1e-6;

/** What to send for a text that a person typed, or why the setting does not take it. */
export type ReadText = { readonly value: string } | { readonly problem: string };

/**
 * Reads what a person wants a self-describing setting (field notes 2.8) to be: a choice by its value or
 * by its label in any case, a number within its limits, `true` or `false` for a switch, else any text.
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
  // A label that two choices share says nothing; the value, which goes first, does.
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

/** Such as `a number from 10 to 80 A in steps of 10`. */
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
  return { problem: `${JSON.stringify(text.slice(0, 60))} is not accepted; accepted: ${accepted}` };
}
