import { keysOf } from '../../families/family-model.ts';
import { historyFields, historyFormatters, recordFields } from './history-fields.ts';
import { success, type Reply } from '../reply.ts';
import { samplesAsked } from './sample-page.ts';
import { type JsonObject, optionalStrings } from '../service-request.ts';
import type { World } from '../world.ts';

/**
 * Serves a device's time series (interface endpoint 4, field notes 2.4). `count` is the number of
 * points in this page and `total`, unless the options say otherwise, the number of pages, as the
 * portal means them. Without keys it serves all the family has there.
 */
export function readHistory(body: JsonObject, world: World): Reply {
  const { history } = world.family;
  const { device, instants, paging } = samplesAsked(body, world);
  const keys = optionalStrings(body, 'keys') ?? keysOf(world.family, history.keys);
  const payload = {
    timeSeries: instants.map((atMs) => new Date(atMs).toISOString()),
    fields: instants.length === 0 ? {} : historyFields(instants, keys, device, world),
    formatters: historyFormatters(keys, world),
    fieldInfo: null,
  };
  const isNull = history.isNullWhenEmpty && instants.length === 0;
  return success({ ...paging, payload: isNull ? null : payload });
}

/**
 * Serves every key of a device, whatever the body asks for (field notes 1.3). Here, and only here,
 * each element is an object with a text (field notes 2.4 and 8.1).
 */
export function readRecords(body: JsonObject, world: World): Reply {
  const { device, instants, paging } = samplesAsked(body, world);
  const { family } = world;
  const keys = [
    ...new Set([family.latest, family.history.keys].flatMap((some) => keysOf(family, some))),
  ];
  return success({
    ...paging,
    payload: {
      timeSeries: instants.map((atMs) => new Date(atMs).toISOString()),
      fields: instants.length === 0 ? {} : recordFields(instants, keys, device, world),
      formatters: {},
      fieldInfo: null,
    },
  });
}
