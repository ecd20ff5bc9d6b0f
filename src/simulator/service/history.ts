import { countSamples, samplesBetween } from './device-contact.ts';
import { type Call, illegalArgument, type JsonObject } from './call.ts';

/**
 * Serves a device's time series (service.md#time-series). `count` is the number of
 * points in this page and `total` the number of pages, as the portal means them (service.md#paging).
 * Without keys it serves all the family has there.
 */
export function readHistory(call: Call): JsonObject {
  const { family, options, contact } = call.world;
  const { device, samples, paging } = samplesAsked(call);
  const lastSampleAtMs = contact.lastSampleAtMs(device);
  const fields: Record<string, unknown> = {};
  const formatters: Record<string, unknown> = {};
  for (const key of call.keys() ?? family.history) {
    const field = family.history.includes(key) ? family.fields[key] : undefined;
    if (field === undefined) {
      if (family.lacking === 'all-null') fields[key] = samples.map(() => null);
      continue;
    }
    const lateMs = (family.lateKeys[key] ?? 0) * options.sampleIntervalMs;
    fields[key] = samples.map(({ atMs, state }) =>
      atMs > lastSampleAtMs - lateMs ? null : field.measure(state),
    );
    if (family.hasUnits) formatters[key] = { unit: field.unit };
  }
  const payload = {
    timeSeries: samples.map(({ atMs }) => new Date(atMs).toISOString()),
    fields: samples.length === 0 ? {} : fields,
    formatters,
    fieldInfo: null,
  };
  return { ...paging, payload };
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
  const found = countSamples(spans);
  const size = Math.min(count, mostPoints);
  const start = (page - 1) * size;
  const end = Math.min(page * size, found);
  const numbers = isAscending
    ? samplesBetween(spans, start, end)
    : samplesBetween(spans, found - end, found - start).toReversed();
  const samples = numbers.map((number) => {
    const atMs = number * sampleIntervalMs;
    return { atMs, state: world.inverterState(device, atMs) };
  });
  const paging = { page, count: numbers.length, total: Math.ceil(found / size) };
  return { device, samples, paging };
}
