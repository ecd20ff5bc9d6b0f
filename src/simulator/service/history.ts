import type { InverterState } from '../physics/inverter.ts';
import { countSamples, samplesBetween } from './device-contact.ts';
import { type Call, illegalArgument, type JsonObject } from './call.ts';
import type { World } from './world.ts';

/**
 * Serves a device's time series (service.md#time-series). `count` is the number of
 * points in this page and `total` the number of pages, as the portal means them (service.md#paging).
 * Without keys it serves all the family has there.
 */
export function readHistory(call: Call): JsonObject {
  const { family } = call.world;
  const page = samplesAsked(call);
  const fields: Record<string, unknown> = {};
  const formatters: Record<string, unknown> = {};
  for (const key of call.keys() ?? family.history) {
    const field = family.history.includes(key) ? family.fields[key] : undefined;
    if (field !== undefined) fields[key] = series(page, key, call.world, field.measure, null);
    else if (family.lacking === 'all-null') fields[key] = page.instants.map(() => null);
    if (field !== undefined && family.hasUnits) formatters[key] = { unit: field.unit };
  }
  return answer(page, fields, formatters);
}

/** Serves every key of a device (service.md#time-series), each element as an object with a text, but of a late key. */
export function readRecords(call: Call): JsonObject {
  const { family } = call.world;
  const page = samplesAsked(call);
  const fields = [...new Set([...family.latest, ...family.history])].map((key) => {
    const vd = (state: InverterState) => ({ vd: String(family.fields[key]?.measure(state)) });
    return [key, series(page, key, call.world, vd, {})] as const;
  });
  return answer(page, Object.fromEntries<unknown>(fields), {});
}

/** One page of a device's samples. */
type SamplePage = ReturnType<typeof samplesAsked>;

function answer({ instants, paging }: SamplePage, fields: JsonObject, formatters: JsonObject) {
  return {
    ...paging,
    payload: {
      timeSeries: instants.map((atMs) => new Date(atMs).toISOString()),
      fields: instants.length === 0 ? {} : fields,
      formatters,
      fieldInfo: null,
    },
  };
}

/** Cuts the page out of a device's samples that a body asks for. */
function samplesAsked(call: Call) {
  const { world } = call;
  const device = call.device(call.text('deviceId'));
  const { page, count } = call.paging();
  // Which order the portal takes when none is named is not known.
  const isAscending = call.body['orderByTimeAsc'] ?? true;
  if (typeof isAscending !== 'boolean') throw illegalArgument('orderByTimeAsc');
  const fromMs = call.instantMs('fromTime');
  const toMs = call.instantMs('toTime');
  const { mostPoints, sampleIntervalMs } = world.options;

  const spans = world.contact.samplesWithin(device, fromMs, toMs);
  const samples = countSamples(spans);
  const size = Math.min(count, mostPoints);
  const start = (page - 1) * size;
  const end = Math.min(page * size, samples);
  const numbers = isAscending
    ? samplesBetween(spans, start, end)
    : samplesBetween(spans, samples - end, samples - start).toReversed();
  const instants = numbers.map((sample) => sample * sampleIntervalMs);
  return {
    device,
    instants,
    states: instants.map((atMs) => world.inverterState(device, atMs)),
    paging: { page, count: numbers.length, total: Math.ceil(samples / size) },
  };
}

/** Measures the series of a key; where it is late, there is the gap's element. */
function series(
  { device, instants, states }: SamplePage,
  key: string,
  world: World,
  measure: (state: InverterState) => unknown,
  gap: unknown,
): readonly unknown[] {
  const lateMs = (world.family.lateKeys[key] ?? 0) * world.options.sampleIntervalMs;
  const lastOnTimeMs = world.contact.lastSampleAtMs(device) - lateMs;
  return states.map((state, index) =>
    (instants[index] ?? 0) > lastOnTimeMs ? gap : measure(state),
  );
}
