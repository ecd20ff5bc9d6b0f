import { z } from 'zod';
import { boundedMs } from '../../base/instant.ts';
import type { Alarm } from '../../model/station.ts';
import { decodeFiringAlarms } from '../alarms.ts';
import type { FieldSample } from '../dialects/interpret.ts';
import type { RecentSeries } from './series.ts';
import { toNumber, toText } from '../dialects/unit.ts';
import * as wire from '../exchange/decode.ts';

const anything = z.unknown().optional();
const fieldsSchema = wire.anyObject.nullish().catch(undefined);
/** An implausible time is bounded, because a missing time would count as now. */
const timeSchema = wire.instant.transform((atMs) =>
  atMs === undefined ? undefined : boundedMs(atMs),
);
const fieldSchema = z.object({
  key: wire.text,
  unit: wire.text,
  value: anything,
  valueDisplay: wire.text,
});
const codes = wire.anyList.catch([]);
const attributeSchema = z.object({
  key: wire.text,
  unit: wire.text,
  enumValues: codes,
  enumValueDisplays: codes,
});
const stateSchema = z.object({ time: timeSchema, fields: fieldsSchema });
const latestSchema = stateSchema.extend({ firingAlarms: anything });
const flowSchema = z.object({
  time: timeSchema,
  deviceAttributeState: stateSchema.nullish().catch(undefined),
});
const nodeSchema = z.object({ value: anything, extraValues: wire.anyList.catch([]) });

/** The current answer of an endpoint about a device. */
export interface DeviceAnswer {
  readonly samples: readonly FieldSample[];
  /** The time series that the samples are of. */
  readonly recent?: RecentSeries | undefined;
  /** The alarms of a latest state. */
  readonly firingAlarms?: readonly Alarm[];
  /** When the device sent the latest state, by the service's clock; absent where the answer has no time. */
  readonly measuredAtMs?: number | undefined;
}

/** Decodes the last state that a device sent, however long ago; each field has its unit (service.md#latest-state). */
export function decodeLatestState(data: unknown, answer: wire.AnswerContext): DeviceAnswer {
  // A device that has never sent anything has no state.
  const { time: measuredAtMs, fields, firingAlarms } = wire.parse(latestSchema, data ?? {}, answer);
  return {
    samples: entriesOf(fields, answer).flatMap(
      ([key, field]) => sampleOf(field, measuredAtMs, key) ?? [],
    ),
    firingAlarms: decodeFiringAlarms(firingAlarms, answer),
    measuredAtMs,
  };
}

/**
 * Decodes the energy flow (service.md#energy-flow). A node shows any attribute that the vendor chose, so the
 * name of the node is ignored: only the key and the unit of its values count.
 */
export function decodeEnergyFlow(data: unknown, answer: wire.AnswerContext): DeviceAnswer {
  const { deviceAttributeState, time } = wire.parse(flowSchema, data ?? {}, answer);
  const measuredAtMs = deviceAttributeState?.time ?? time;
  const nodes = Object.entries(data ?? {}).filter(
    ([name]) => name !== 'deviceAttributeState' && name !== 'time',
  );
  const values = wire.firstOf(nodes, answer).flatMap(([, candidate]) => {
    const node = nodeSchema.safeParse(candidate).data;
    return node === undefined ? [] : [node.value, ...node.extraValues];
  });
  const samples = new Map<string, FieldSample>();
  const put = (sample: FieldSample | undefined): void => {
    if (sample === undefined || samples.get(sample.key)?.text !== undefined) return;
    samples.set(sample.key, sample);
  };
  for (const value of wire.firstOf(values, answer)) put(sampleOf(value, measuredAtMs));
  for (const [key, field] of entriesOf(deviceAttributeState?.fields, answer))
    put(sampleOf(field, measuredAtMs, key));
  return { samples: [...samples.values()] };
}

/** Decodes the attribute catalogue (service.md#attributes): keys, units and words for codes, without values. */
export function decodeCatalogue(data: unknown, answer: wire.AnswerContext): DeviceAnswer {
  const list = wire.parse(wire.anyList, data ?? [], answer);
  const samples = wire
    .firstOf(list, answer)
    .flatMap((entry) => attributeSchema.safeParse(entry).data ?? [])
    .flatMap(({ key, unit: tag, enumValues, enumValueDisplays }) => {
      const words = [enumValues, enumValueDisplays]
        .flatMap(wire.choicesOf)
        .flatMap(({ value, text: word }) =>
          word === undefined ? [] : [[value.trim(), word] as const],
        );
      return key === undefined
        ? []
        : { key, tag, ...(words.length > 0 && { words: new Map(words) }) };
    });
  return { samples };
}

/** Returns the first keys of an object with their values, up to the limit of an answer. */
function entriesOf(
  fields: Readonly<Record<string, unknown>> | null | undefined,
  answer: wire.AnswerContext,
): readonly (readonly [key: string, value: unknown])[] {
  return wire.firstOf(Object.entries(fields ?? {}), answer);
}

function sampleOf(
  candidate: unknown,
  measuredAtMs: number | undefined,
  name?: string,
): FieldSample | undefined {
  const field = fieldSchema.safeParse(candidate).data;
  const key = name ?? field?.key;
  if (field === undefined || key === undefined) return undefined;
  const { unit: tag, value, valueDisplay } = field;
  const [number, words] = [toNumber(value), toText(value)];
  return {
    key,
    tag,
    number: number === undefined ? undefined : { value: number, measuredAtMs },
    text: words === undefined ? undefined : { value: words, measuredAtMs },
    ...(words !== undefined &&
      valueDisplay !== undefined &&
      valueDisplay !== words && { words: new Map([[words, valueDisplay]]) }),
  };
}
