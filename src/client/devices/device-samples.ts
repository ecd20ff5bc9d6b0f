import { z } from 'zod';
import { boundedMs } from '../../base/instant.ts';
import { ANSWER_LIMITS, firstOf, type NoteDropped } from '../../base/limits.ts';
import type { Alarm } from '../../model/station.ts';
import { decodeFiringAlarms } from '../alarms.ts';
import type { FieldSample } from '../dialects/interpret.ts';
import { toNumber, toText } from '../dialects/unit.ts';
import {
  type AnswerContext,
  anyList,
  anyObject,
  optional,
  parse,
  parseTimestamp,
  text,
} from '../exchange/decode.ts';

const anything = z.unknown().optional();
const fieldSchema = z.object({ key: text, unit: text, value: anything, valueDisplay: text });
const enumValueSchema = z.object({ value: z.union([z.string(), z.number()]), text: z.string() });
const enumValuesSchema = z.object({
  enumValues: anyList.nullish().catch(undefined),
  enumValueDisplays: anyList.nullish().catch(undefined),
});
const fieldsSchema = anyObject.nullish().catch(undefined);
const timeSchema = optional(z.union([z.string(), z.number()]));
const latestSchema = z.object({
  time: timeSchema,
  fields: fieldsSchema,
  firingAlarms: anything,
});
const flowSchema = z.looseObject({
  time: timeSchema,
  deviceAttributeState: z
    .object({ time: timeSchema, fields: fieldsSchema })
    .nullish()
    .catch(undefined),
});
const nodeSchema = z.object({
  value: anything,
  extraValues: anyList.catch([]),
});
const catalogueSchema = anyList;

/** The last state that a device sent, however long ago (field notes 2.5). */
export interface LatestState {
  readonly samples: readonly FieldSample[];
  readonly firingAlarms: readonly Alarm[];
  /** When the device sent the state; absent where the answer does not say. */
  readonly measuredAtMs?: number | undefined;
}

/** Decodes the latest state, where every field has its own unit. */
export function decodeLatestState(data: unknown, answer: AnswerContext): LatestState {
  // A device that has never sent anything has no state.
  const { time, fields, firingAlarms } = parse(latestSchema, data ?? {}, answer);
  const measuredAtMs = instantOf(time);
  return {
    samples: samplesOf(fields, measuredAtMs, answer.noteDropped),
    firingAlarms: decodeFiringAlarms(firingAlarms, answer.noteDropped),
    measuredAtMs,
  };
}

/**
 * Decodes the energy flow (field notes 2.6). A node shows any attribute that the vendor chose, so the
 * name of the node is ignored: only the key and the unit of its values count.
 */
export function decodeEnergyFlow(data: unknown, answer: AnswerContext): readonly FieldSample[] {
  const { deviceAttributeState, time, ...nodes } = parse(flowSchema, data ?? {}, answer);
  const measuredAtMs = instantOf(deviceAttributeState?.time ?? time);
  const samples = new Map<string, FieldSample>();
  const values = firstKeys(nodes, answer.noteDropped).flatMap(([, candidate]) => {
    const node = nodeSchema.safeParse(candidate).data;
    return node === undefined ? [] : [node.value, ...node.extraValues];
  });
  for (const value of firstOf(values, ANSWER_LIMITS.keysPerDevice, 'keys', answer.noteDropped)) {
    const sample = sampleOf(value, undefined, measuredAtMs);
    if (sample !== undefined && !samples.has(sample.key)) samples.set(sample.key, sample);
  }
  for (const sample of samplesOf(deviceAttributeState?.fields, measuredAtMs, answer.noteDropped))
    if (samples.get(sample.key)?.text === undefined) samples.set(sample.key, sample);
  return [...samples.values()];
}

/** Decodes the attribute catalogue (field notes 2.10): keys, units and words for codes, without values. */
export function decodeCatalogue(data: unknown, answer: AnswerContext): readonly FieldSample[] {
  const list = parse(catalogueSchema, data ?? [], answer);
  return firstOf(list, ANSWER_LIMITS.keysPerDevice, 'keys', answer.noteDropped).flatMap((entry) => {
    const field = fieldSchema.safeParse(entry).data;
    if (field?.key === undefined) return [];
    return [{ key: field.key, tag: field.unit, ...wordsOf(entry) }];
  });
}

/** Returns the words of an attribute for its codes. */
function wordsOf(entry: unknown): Pick<FieldSample, 'words'> {
  const { enumValues, enumValueDisplays } = enumValuesSchema.safeParse(entry).data ?? {};
  const words = [enumValues, enumValueDisplays]
    .flatMap((list) => list?.slice(0, ANSWER_LIMITS.choicesPerSetting) ?? [])
    .flatMap((value) => enumValueSchema.safeParse(value).data ?? [])
    .map(({ value, text: shown }) => [String(value).trim(), shown.trim()] as const);
  return words.length === 0 ? {} : { words: new Map(words) };
}

function samplesOf(
  fields: Readonly<Record<string, unknown>> | null | undefined,
  measuredAtMs: number | undefined,
  noteDropped: NoteDropped,
): readonly FieldSample[] {
  return firstKeys(fields, noteDropped)
    .map(([key, field]) => sampleOf(field, key, measuredAtMs))
    .filter((sample) => sample !== undefined);
}

/** Returns the first keys of an object with their values, as many as are read of a device. */
function firstKeys(
  fields: Readonly<Record<string, unknown>> | null | undefined,
  noteDropped: NoteDropped,
): readonly (readonly [key: string, value: unknown])[] {
  return firstOf(Object.entries(fields ?? {}), ANSWER_LIMITS.keysPerDevice, 'keys', noteDropped);
}

function sampleOf(
  candidate: unknown,
  name: string | undefined,
  measuredAtMs: number | undefined,
): FieldSample | undefined {
  const field = fieldSchema.safeParse(candidate).data;
  const key = name ?? field?.key;
  if (field === undefined || key === undefined) return undefined;
  const [number, words] = [toNumber(field.value), toText(field.value)];
  return {
    key,
    tag: field.unit,
    number: number === undefined ? undefined : { value: number, measuredAtMs },
    text: words === undefined ? undefined : { value: words, measuredAtMs },
    ...(words !== undefined &&
      field.valueDisplay !== undefined &&
      field.valueDisplay !== words && { words: new Map([[words, field.valueDisplay]]) }),
  };
}

/** Reads ISO 8601, or seconds or milliseconds since the Unix epoch as number or text (field notes 2.5). */
function instantOf(time: string | number | undefined): number | undefined {
  if (time === undefined) return undefined;
  const epoch = Number(time);
  if (!Number.isFinite(epoch) || String(time).trim() === '') return boundedTime(String(time));
  return boundedMs(epoch > HIGHEST_SECONDS ? epoch : epoch * 1000);
}

function boundedTime(text: string): number | undefined {
  const atMs = parseTimestamp(text);
  return atMs === undefined ? undefined : boundedMs(atMs);
}

/** As seconds this is in the year 5138; as milliseconds, in 1973. */
const HIGHEST_SECONDS = 100_000_000_000;
