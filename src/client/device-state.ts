import { z } from 'zod';
import type { Alarm } from '../model/alarm.ts';
import { type FieldSample, toNumber, toText } from './dialects/field-sample.ts';
import { isInstant, parseTimestamp } from './timestamp.ts';
import { decodeFiringAlarms } from './alarm-wire.ts';
import { parse } from './wire.ts';
import { optional, text } from './wire-fields.ts';

const anything = z.unknown().optional();
const fieldSchema = z.object({ key: text, unit: text, value: anything });
const fieldsSchema = z.record(z.string(), z.unknown()).nullish().catch(undefined);
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
  extraValues: z.array(z.unknown()).catch([]),
});
const catalogueSchema = z.array(z.unknown());

/** What a device last sent, however long ago (field notes 2.5). */
export interface LatestState {
  readonly samples: readonly FieldSample[];
  readonly firingAlarms: readonly Alarm[];
  /** When the device sent all this; absent where the answer does not say. */
  readonly measuredAtMs?: number | undefined;
}

/** Reads the latest state: every field carries its own unit. */
export function decodeLatestState(data: unknown, path: string): LatestState {
  // A device that never sent anything has no state.
  const { time, fields, firingAlarms } = parse(latestSchema, data ?? {}, path);
  const measuredAtMs = instantOf(time);
  return {
    samples: samplesOf(fields, measuredAtMs),
    firingAlarms: decodeFiringAlarms(firingAlarms),
    measuredAtMs,
  };
}

/**
 * Reads the energy flow (field notes 2.6). Its nodes show whatever attribute the vendor chose, so a
 * node's name says nothing: only the key and the unit of its values count.
 */
export function decodeEnergyFlow(data: unknown, path: string): readonly FieldSample[] {
  const { deviceAttributeState, time, ...nodes } = parse(flowSchema, data ?? {}, path);
  const measuredAtMs = instantOf(deviceAttributeState?.time ?? time);
  const samples = new Map<string, FieldSample>();
  for (const candidate of Object.values(nodes)) {
    const node = nodeSchema.safeParse(candidate).data;
    for (const value of node === undefined ? [] : [node.value, ...node.extraValues]) {
      const sample = sampleOf(value, undefined, measuredAtMs);
      if (sample !== undefined && !samples.has(sample.key)) samples.set(sample.key, sample);
    }
  }
  for (const sample of samplesOf(deviceAttributeState?.fields, measuredAtMs))
    if (samples.get(sample.key)?.text === undefined) samples.set(sample.key, sample);
  return [...samples.values()];
}

/** Reads the attribute catalogue (field notes 2.10): keys and units, without values. */
export function decodeCatalogue(data: unknown, path: string): readonly FieldSample[] {
  return parse(catalogueSchema, data ?? [], path)
    .map((entry) => fieldSchema.safeParse(entry).data)
    .flatMap((field) => (field?.key === undefined ? [] : [{ key: field.key, tag: field.unit }]));
}

function samplesOf(
  fields: Readonly<Record<string, unknown>> | null | undefined,
  measuredAtMs: number | undefined,
): readonly FieldSample[] {
  return Object.entries(fields ?? {})
    .map(([key, field]) => sampleOf(field, key, measuredAtMs))
    .filter((sample) => sample !== undefined);
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
  };
}

/** ISO 8601, or seconds or milliseconds since the Unix epoch, as number or text (field notes 2.5). */
function instantOf(time: string | number | undefined): number | undefined {
  if (time === undefined) return undefined;
  const epoch = Number(time);
  if (!Number.isFinite(epoch) || String(time).trim() === '') return parseTimestamp(String(time));
  const atMs = epoch > MOST_SECONDS ? epoch : epoch * 1000;
  return isInstant(atMs) ? atMs : undefined;
}

/** In seconds this is the year 5138; in milliseconds, 1973. */
const MOST_SECONDS = 100_000_000_000;
