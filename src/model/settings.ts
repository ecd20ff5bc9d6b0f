import { scaled } from './units.ts';

/** The value of a setting as the service holds it; text keeps its leading zeros. */
export type SettingValue = string | number | boolean;

export interface SettingChoice {
  readonly value: string;
  readonly label: string;
}

/** One setting of a device; fields other than the value are absent where the service does not send them. */
export interface Setting {
  readonly value: SettingValue;
  /** What the portal calls the setting; its key where that is absent. */
  readonly name?: string | undefined;
  /** The key for writing, where it differs from the key for reading. */
  readonly writeKey?: string | undefined;
  /** The name of the value for people; absent for plain numbers and text. */
  readonly label?: string | undefined;
  readonly unit?: string | undefined;
  /** The only values it accepts; absent where it accepts any number or text. */
  readonly choices?: readonly SettingChoice[] | undefined;
  readonly min?: number | undefined;
  readonly max?: number | undefined;
  readonly step?: number | undefined;
  readonly isWritable?: boolean | undefined;
  /** Whether the portal hides it from its users. */
  readonly isHidden?: boolean | undefined;
  /** Whether it is an object that describes itself (service.md#settings), and not a bare value. */
  readonly isDescribed?: boolean;
}

/** Settings by the service's own names. */
export type DeviceSettings = ReadonlyMap<string, Setting>;

/** A number as people write one; text with leading zeros is a code. */
const DECIMAL = /^[+-]?(?:0|[1-9]\d*)(?:\.\d+)?$/;

/** Whether a setting holds a number that is neither a switch nor one of several choices. */
export function isNumeric({ value, choices, min, max, step, unit }: Setting): boolean {
  if (choices !== undefined || typeof value === 'boolean') return false;
  if (typeof value === 'number' || (min ?? max ?? step) !== undefined) return true;
  return unit !== undefined && DECIMAL.test(value);
}

/** Returns the number that a setting holds, in its own unit; absent for a switch, a choice and a text. */
export function numberOf(setting: Setting): number | undefined {
  const number = isNumeric(setting) ? Number(setting.value) : NaN;
  if (!Number.isFinite(number)) return undefined;
  // A whole number may be a date or a code of many digits, none of them noise.
  return Number.isInteger(number) ? number : scaled(number, 0);
}

/**
 * Whether a setting holds the wanted value. In an object `1` equals `"1"`, and a number may come back as
 * `52.0`; a bare value must have the same type as well.
 */
export function holdsValue(setting: Setting | undefined, wanted: SettingValue): boolean {
  if (setting === undefined) return false;
  if (setting.isDescribed !== true) return setting.value === wanted;
  if (String(setting.value) === String(wanted)) return true;
  return isNumeric(setting) && Number(setting.value) === Number(wanted);
}

/** Formats a value as its name with the raw value after it, `SUB (1)`; without a name, as the raw value. */
export function showValue(setting: Setting | undefined, value: SettingValue): string {
  const text = String(value);
  const chosen = setting?.choices?.find((choice) => choice.value === text)?.label;
  const label = chosen ?? (setting?.value === value ? setting.label : undefined);
  return label === undefined || label === text ? text : `${label} (${text})`;
}
