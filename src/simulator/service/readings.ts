import { knownDevice } from './device-lookup.ts';
import { keysOf } from '../families/family-model.ts';
import { historyFields, historyFormatters } from './history-fields.ts';
import { illegalArgument, success, type Reply } from './reply.ts';
import {
  booleanField,
  type JsonObject,
  optionalStrings,
  pagingFields,
  stringField,
} from './service-request.ts';
import type { World } from './world.ts';

/**
 * Serves a device's time series (interface endpoint 4, field notes 2.4). `count` is the number of
 * points in this page and `total` the number of pages, as the portal means them. Without keys it
 * serves all the family has there.
 */
export function readHistory(body: JsonObject, world: World): Reply {
  const device = knownDevice(body, world);
  const { page, count } = pagingFields(body);
  const isAscending = booleanField(body, 'orderByTimeAsc');
  const { history } = world.family;
  const keys = optionalStrings(body, 'keys') ?? keysOf(world.family, history.keys);
  const intervalMs = world.options.sampleIntervalMs;
  const firstSample = Math.ceil(instantField(body, 'fromTime') / intervalMs);
  // The future has no samples.
  const lastAtMs = Math.min(instantField(body, 'toTime'), world.heardAtMs(device));
  const samples = Math.max(0, Math.floor(lastAtMs / intervalMs) - firstSample + 1);

  const instants: number[] = [];
  for (let index = (page - 1) * count; index < Math.min(page * count, samples); index += 1) {
    const position = isAscending ? index : samples - 1 - index;
    instants.push((firstSample + position) * intervalMs);
  }
  const payload = {
    timeSeries: instants.map((atMs) => new Date(atMs).toISOString()),
    fields: instants.length === 0 ? {} : historyFields(instants, keys, device, world),
    formatters: historyFormatters(keys, world),
    fieldInfo: null,
  };
  return success({
    page,
    count: instants.length,
    total: Math.ceil(samples / count),
    payload: history.isNullWhenEmpty && instants.length === 0 ? null : payload,
  });
}

/** Reads an ISO-8601 instant with an offset and whole seconds (interface section 4, endpoint 4). */
function instantField(body: JsonObject, name: string): number {
  const text = stringField(body, name);
  const isWellFormed = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(Z|[+-]\d\d:\d\d)$/.test(text);
  const atMs = Date.parse(text);
  if (!isWellFormed || Number.isNaN(atMs)) throw illegalArgument(name);
  return atMs;
}
