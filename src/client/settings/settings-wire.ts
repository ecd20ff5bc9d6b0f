import { z } from 'zod';
import { ANSWER_LIMITS, firstOf, type NoteDropped } from '../../base/limits.ts';
import {
  type DeviceSettings,
  flatSetting,
  type Setting,
  type SettingChoice,
  type SettingValue,
} from '../../model/settings.ts';
import {
  type AnswerTime,
  anyList,
  anyObject,
  labelText,
  optional,
  parse,
  text,
} from '../exchange/decode.ts';

const flag = optional(z.boolean());
const quantity = optional(
  z.union([
    z.number(),
    z
      .string()
      .trim()
      .regex(/^-?\d+(\.\d+)?$/)
      .transform(Number),
  ]),
);

/** A choice by its value; its id is internal to the portal. */
const choiceSchema = z
  .object({
    value: z.union([z.string().min(1), z.number(), z.boolean()]).transform(String),
    text,
    localeText: text,
  })
  .transform((wire): SettingChoice => ({
    value: wire.value,
    label: wire.text ?? wire.localeText ?? wire.value,
  }));
const choices = anyList.catch([]).transform((list) =>
  list
    .slice(0, ANSWER_LIMITS.choicesPerSetting)
    .map((choice) => choiceSchema.safeParse(choice).data)
    .filter((found) => found !== undefined),
);

const settingSchema = z
  .object({
    name: text,
    nameDisplay: text,
    value: z.unknown().optional(),
    valueDisplay: text,
    unit: text,
    enumValues: choices,
    enumValueDisplays: choices,
    min: quantity,
    max: quantity,
    step: quantity,
    isWritableConfigAttribute: flag,
    isHidden: flag,
  })
  .transform((wire): Setting | undefined => {
    if (wire.value == null || wire.value === '') return undefined;
    const value = toValue(wire.value);
    const known = [...wire.enumValues, ...wire.enumValueDisplays];
    return {
      value,
      name: wire.nameDisplay ?? wire.name,
      label: labelOf(value, known, wire.valueDisplay),
      unit: wire.unit,
      choices: known.length > 0 ? known : undefined,
      min: wire.min,
      max: wire.max,
      step: wire.step !== undefined && wire.step > 0 ? wire.step : undefined,
      isWritable: wire.isWritableConfigAttribute,
      isHidden: wire.isHidden,
      form: 'object',
    };
  });

/** Fields that only a setting with a description has; any other object is a value. */
const SELF_DESCRIBING = ['key', 'value', 'valueDisplay'] as const;

const listedSchema = z.looseObject({ key: z.string().min(1) });
const settingsSchema = z.union([anyList, anyObject]);

/**
 * Decodes the settings of a device in every form: bare values by name (interface 2.6), objects by name or
 * in a list (field notes 2.8), and mixtures of these. Leaves out a setting without a value; turns a bare
 * value that is neither text, number nor boolean into JSON text. A setting that is written under another
 * key than it is read under is one setting (field notes 8.2).
 */
export function decodeSettings(
  data: unknown,
  path: string,
  _time?: AnswerTime,
  noteDropped: NoteDropped = () => undefined,
): DeviceSettings {
  const found = parse(settingsSchema, data ?? {}, path);
  const most = ANSWER_LIMITS.settingsPerDevice;
  const named = isList(found)
    ? firstOf(found, most, 'settings', noteDropped).flatMap(listed)
    : firstOf(Object.entries(found), most, 'settings', noteDropped);
  const settings = named.flatMap(([name, wire]): [string, Setting][] => {
    const setting = decodeSetting(wire);
    return setting === undefined ? [] : [[labelText(name), setting]];
  });
  return withWriteKeys(new Map(settings), named);
}

const writableSchema = z.object({ isWritableConfigAttribute: z.literal(true) });

/** Gives each setting that is not written itself the key under which the same setting can be written. */
function withWriteKeys(
  settings: DeviceSettings,
  named: readonly (readonly [name: string, wire: unknown])[],
): DeviceSettings {
  const writable = named.filter(([, wire]) => writableSchema.safeParse(wire).success);
  if (writable.length === 0) return settings;
  return new Map(
    [...settings].map(([name, setting]) => {
      if (setting.isWritable === true || setting.form === 'flat') return [name, setting];
      const same = writable.filter(([key]) => key !== name && subjectOf(key) === subjectOf(name));
      const [[writeKey, wire] = [], ...others] = same;
      if (writeKey === undefined || others.length > 0) return [name, setting];
      // What may be written is said where it is written, often without a value.
      const written = settingSchema.safeParse({ ...asObject(wire), value: setting.value }).data;
      return [name, { ...setting, ...limitsOf(written), isWritable: true, writeKey }];
    }),
  );
}

function limitsOf(setting: Setting | undefined): Partial<Setting> {
  const { choices, min, max, step } = setting ?? {};
  const known = Object.entries({ choices, min, max, step }).filter(
    ([, limit]) => limit !== undefined,
  );
  return Object.fromEntries(known);
}

function asObject(wire: unknown): object {
  return typeof wire === 'object' && wire !== null ? wire : {};
}

/** Returns what a key is about, without the words that say that it is a setting. */
function subjectOf(key: string): string {
  return key
    .replace(/^set(?:ting)?(?:Device)?(?=[A-Z])/, '')
    .replace(/Setting$/, '')
    .toLowerCase();
}

function isList(found: readonly unknown[] | object): found is readonly unknown[] {
  return Array.isArray(found);
}

function listed(entry: unknown): [string, unknown][] {
  const { data } = listedSchema.safeParse(entry);
  return data === undefined ? [] : [[data.key, data]];
}

function decodeSetting(wire: unknown): Setting | undefined {
  if (wire == null) return undefined;
  const isSelfDescribing =
    typeof wire === 'object' && SELF_DESCRIBING.some((field) => Object.hasOwn(wire, field));
  return isSelfDescribing ? settingSchema.parse(wire) : flatSetting(toValue(wire));
}

/** Returns the name of a value among its choices. A plain number has a `valueDisplay`, too, but no name. */
function labelOf(
  value: SettingValue,
  known: readonly SettingChoice[],
  valueDisplay: string | undefined,
): string | undefined {
  if (known.length === 0) return undefined;
  return known.find((choice) => choice.value === String(value))?.label ?? valueDisplay;
}

function toValue(value: unknown): SettingValue {
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  return labelText(typeof value === 'string' ? value : asJson(value));
}

/** Writes a value as JSON; a value that is nested too deeply for that is not a real setting. */
function asJson(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch {
    return '…';
  }
}
