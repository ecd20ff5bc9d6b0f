import { knownDevice } from './device-lookup.ts';
import { keysOf } from '../families/family-model.ts';
import { historyFields, historyFormatters, recordFields } from './history-fields.ts';
import { success, type Reply } from './reply.ts';
import {
  booleanField,
  instantField,
  type JsonObject,
  optionalStrings,
  pagingFields,
} from './service-request.ts';
import type { World } from './world.ts';

/**
 * Serves a device's time series (interface endpoint 4, field notes 2.4). `count` is the number of
 * points in this page and `total` the number of pages, as the portal means them. Without keys it
 * serves all the family has there.
 */
export function readHistory(body: JsonObject, world: World): Reply {
  const { history } = world.family;
  const { device, instants, ...page } = instantsAsked(body, world);
  const keys = optionalStrings(body, 'keys') ?? keysOf(world.family, history.keys);
  const payload = {
    timeSeries: instants.map((atMs) => new Date(atMs).toISOString()),
    fields: instants.length === 0 ? {} : historyFields(instants, keys, device, world),
    formatters: historyFormatters(keys, world),
    fieldInfo: null,
  };
  const isNull = history.isNullWhenEmpty && instants.length === 0;
  return success({ ...page, payload: isNull ? null : payload });
}

/**
 * Serves every key of a device, whatever the body asks for (field notes 1.3). Here, and only here,
 * each element is an object with a text (field notes 2.4 and 8.1).
 */
export function readRecords(body: JsonObject, world: World): Reply {
  const { device, instants, ...page } = instantsAsked(body, world);
  const { family } = world;
  const keys = [
    ...new Set([family.latest, family.history.keys].flatMap((some) => keysOf(family, some))),
  ];
  return success({
    ...page,
    payload: {
      timeSeries: instants.map((atMs) => new Date(atMs).toISOString()),
      fields: instants.length === 0 ? {} : recordFields(instants, keys, device, world),
      formatters: {},
      fieldInfo: null,
    },
  });
}

function instantsAsked(body: JsonObject, world: World) {
  const device = knownDevice(body, world);
  const { page, count } = pagingFields(body);
  // Which order the portal takes when none is named is not known.
  const isAscending = booleanField(body, 'orderByTimeAsc', true);
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
  return { device, instants, page, count: instants.length, total: Math.ceil(samples / count) };
}
