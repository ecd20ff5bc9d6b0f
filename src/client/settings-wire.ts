import { z } from 'zod';
import { ServiceError } from '../base/errors.ts';
import { ANSWER_LIMITS, firstOf } from '../base/limits.ts';
import {
  type DeviceSettings,
  flatSetting,
  type Setting,
  type SettingChoice,
  type SettingValue,
} from '../model/settings.ts';
import {
  type AnswerContext,
  anyList,
  anyObject,
  flag,
  labelText,
  parse,
  quantity,
  text,
} from './exchange/decode.ts';

/** A choice by its value; its id is internal to the portal. */
const choiceSchema = z
  .object({
    value: z.union([z.string().min(1), z.number(), z.boolean()]).transform(String),
    text,
    localeText: text,
  })
  .transform(({ value, ...wire }): SettingChoice => ({
    value,
    label: wire.text ?? wire.localeText ?? value,
  }));
const choices = anyList.catch([]).transform((list) =>
  list
    .slice(0, ANSWER_LIMITS.choicesPerSetting)
    .map((choice) => choiceSchema.safeParse(choice).data)
    .filter((found) => found !== undefined),
);

/** A setting that describes itself (field notes 2.8); absent without a value. */
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
    const isChoice = known.length > 0;
    const chosen = known.find((choice) => choice.value === String(value));
    return {
      value,
      name: wire.nameDisplay ?? wire.name,
      // A plain number has a `valueDisplay`, too, but no name.
      label: isChoice ? (chosen?.label ?? wire.valueDisplay) : undefined,
      unit: wire.unit,
      choices: isChoice ? known : undefined,
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
const writableSchema = z.looseObject({ isWritableConfigAttribute: z.literal(true) });
const settingsSchema = z.union([anyList, anyObject]);

/**
 * Decodes the settings of a device in every form: bare values by name (interface 2.6), objects by name or
 * in a list (field notes 2.8), and mixtures of these. Leaves out a setting without a value; turns a bare
 * value that is neither text, number nor boolean into JSON text. A setting that is written under another
 * key than it is read under is one setting (field notes 8.2).
 */
export function decodeSettings(data: unknown, answer: AnswerContext): DeviceSettings {
  const found = parse(settingsSchema, data ?? {}, answer);
  const most = ANSWER_LIMITS.settingsPerDevice;
  const named = Array.isArray(found)
    ? firstOf(found, most, 'settings', answer.noteDropped).flatMap((entry): [string, unknown][] => {
        const { data: listed } = listedSchema.safeParse(entry);
        return listed === undefined ? [] : [[listed.key, listed]];
      })
    : firstOf(Object.entries(found), most, 'settings', answer.noteDropped);
  const writable = named.flatMap(([key, wire]): Writable[] => {
    const { data: fields } = writableSchema.safeParse(wire);
    return fields === undefined ? [] : [{ key, subject: subjectOf(key), fields }];
  });
  const settings = new Map<string, Setting>();
  for (const [name, wire] of named) {
    const setting = decodeSetting(wire);
    if (setting !== undefined) settings.set(labelText(name), withWriteKey(name, setting, writable));
  }
  return settings;
}

function decodeSetting(wire: unknown): Setting | undefined {
  if (wire == null) return undefined;
  const isSelfDescribing =
    typeof wire === 'object' && SELF_DESCRIBING.some((field) => Object.hasOwn(wire, field));
  return isSelfDescribing ? settingSchema.parse(wire) : flatSetting(toValue(wire));
}

/** A key under which something can be written. */
interface Writable {
  readonly key: string;
  readonly subject: string;
  readonly fields: object;
}

/** Gives a setting that is not written itself the key under which the same setting can be written. */
function withWriteKey(name: string, setting: Setting, writable: readonly Writable[]): Setting {
  if (setting.isWritable === true || setting.form === 'flat') return setting;
  const subject = subjectOf(name);
  const [same, ...others] = writable.filter((one) => one.key !== name && one.subject === subject);
  if (same === undefined || others.length > 0) return setting;
  // What may be written is said where it is written, often without a value.
  const written = settingSchema.parse({ ...same.fields, value: setting.value });
  return {
    ...setting,
    choices: written?.choices ?? setting.choices,
    min: written?.min ?? setting.min,
    max: written?.max ?? setting.max,
    step: written?.step ?? setting.step,
    isWritable: true,
    writeKey: same.key,
  };
}

/** Returns what a key is about, without the words that say that it is a setting. */
function subjectOf(key: string): string {
  return key
    .replace(/^set(?:ting)?(?:Device)?(?=[A-Z])/, '')
    .replace(/Setting$/, '')
    .toLowerCase();
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

const startedSchema = z.object({
  id: z.union([z.string().trim().min(1), z.number().int()]).transform(String),
});
const detailsSchema = z.object({
  isFinished: z.boolean().catch(false),
  error: z.unknown().optional(),
  configAttributeStates: z.unknown().optional(),
});

/** Decodes the id of a batch read that has just started (field notes 1.5). */
export function decodeBatchReadId(data: unknown, answer: AnswerContext): string {
  return parse(startedSchema, data, answer).id;
}

/**
 * Decodes the progress of a batch read (field notes 1.5); the settings are complete when it is finished.
 *
 * @throws ServiceError `SERVICE_API_REFUSED` when it has finished with an error and without any setting.
 */
export function decodeBatchRead(
  data: unknown,
  answer: AnswerContext,
): { readonly isFinished: boolean; readonly settings: DeviceSettings } {
  const { isFinished, error, configAttributeStates } = parse(detailsSchema, data, answer);
  const settings = decodeSettings(configAttributeStates, answer);
  if (isFinished && settings.size === 0 && Boolean(error))
    throw new ServiceError(
      'SERVICE_API_REFUSED',
      `${answer.path}: the device did not report its settings`,
    );
  return { isFinished, settings };
}
