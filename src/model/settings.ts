/** One setting's value as the service holds it; text keeps its leading zeros. */
export type SettingValue = string | number | boolean;

/** A value that a setting may take, and what people call it. */
export interface SettingChoice {
  readonly value: string;
  readonly label: string;
}

/** One setting of a device; beside its value, everything is absent where the service does not say. */
export interface Setting {
  readonly value: SettingValue;
  /** What people call the value; absent for plain numbers and text. */
  readonly label?: string | undefined;
  readonly unit?: string | undefined;
  /** The only values it takes; absent where any number or text is taken. */
  readonly choices?: readonly SettingChoice[] | undefined;
  readonly min?: number | undefined;
  readonly max?: number | undefined;
  readonly step?: number | undefined;
  readonly isWritable?: boolean | undefined;
  /** Whether the portal keeps it from its users. */
  readonly isHidden?: boolean | undefined;
  /** A bare value (interface 2.6), or an object that describes itself (field notes 2.8). */
  readonly form: 'flat' | 'object';
}

/** The settings of a device by the service's own names. */
export type DeviceSettings = ReadonlyMap<string, Setting>;

/** Makes a setting of a bare value, as the interface has them. */
export function flatSetting(value: SettingValue): Setting {
  return { value, form: 'flat' };
}

/** Whether a setting holds a quantity: not text, not a switch and not one of its choices. */
export function isNumeric({ value, choices, min, max, step }: Setting): boolean {
  if (choices !== undefined || typeof value === 'boolean') return false;
  return typeof value === 'number' || (min ?? max ?? step) !== undefined;
}

/**
 * Whether a setting holds the wanted value. The object form answers with `1` or `"1"` alike, and a
 * quantity may come back as `52.0`; a bare value has to have the same type, too.
 */
export function holdsValue(setting: Setting | undefined, wanted: SettingValue): boolean {
  if (setting === undefined) return false;
  if (setting.form === 'flat') return setting.value === wanted;
  if (String(setting.value) === String(wanted)) return true;
  return isNumeric(setting) && Number(setting.value) === Number(wanted);
}

/** Shows a value as people call it, with the raw one after it: `SUB (1)`; a value without a name as it is. */
export function showValue(setting: Setting | undefined, value: SettingValue): string {
  const text = String(value);
  const chosen = setting?.choices?.find((choice) => choice.value === text)?.label;
  const label = chosen ?? (setting?.value === value ? setting.label : undefined);
  return label === undefined || label === text ? text : `${label} (${text})`;
}
