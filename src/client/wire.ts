import { z } from 'zod';
import { ServiceError } from '../errors.ts';
import type { Device, Station } from '../model/station.ts';
import type { Page } from './paging.ts';
import { deviceSchema } from './device-record.ts';
import { id, optional, text, timeZone } from './wire-fields.ts';

const total = optional(z.union([z.number(), z.string().trim().regex(/^\d+$/).transform(Number)]));

const stationSchema = z
  .object({ id, stationId: id, name: text, timezone: timeZone })
  .transform((wire): Station | undefined => {
    const stationId = wire.id ?? wire.stationId;
    if (stationId === undefined) return undefined;
    return { stationId, name: wire.name, timeZone: wire.timezone };
  });

const pageSchema = z.object({ total, list: z.array(z.unknown()).nullish() });

/** Reads a page of devices; `count` is how many were asked for (interface 2.3). */
export function decodeDevicePage(data: unknown, path: string, count: number): Page<Device> {
  return decodePage(data, path, count, deviceSchema);
}

/** Reads a page of stations (field notes 2.3). */
export function decodeStationPage(data: unknown, path: string, count: number): Page<Station> {
  return decodePage(data, path, count, stationSchema);
}

/** Runs a schema over a payload; rejects what does not fit as `SERVICE_PAYLOAD_INVALID`. */
export function parse<T>(schema: z.ZodType<T>, data: unknown, path: string): T {
  const result = schema.safeParse(data);
  if (result.success) return result.data;
  // The issues name fields and types, never values.
  const [issue] = result.error.issues;
  const place = issue === undefined ? '' : `${issue.path.join('.')} ${issue.message}`.trim();
  throw new ServiceError('SERVICE_PAYLOAD_INVALID', `${path}: unexpected answer: ${place}`, {
    cause: result.error,
  });
}

/** A record without an id can be neither named nor asked: it is passed over, unless all are like that. */
function decodePage<T>(
  data: unknown,
  path: string,
  count: number,
  record: z.ZodType<T | undefined>,
): Page<T> {
  const { total: stated, list } = parse(pageSchema, data, path);
  const records = list ?? [];
  const entries = records
    .map((entry) => record.safeParse(entry).data)
    .filter((entry) => entry !== undefined);
  if (entries.length === 0 && records.length > 0)
    throw new ServiceError('SERVICE_PAYLOAD_INVALID', `${path}: no record on the page has an id`);
  return { total: stated, entries, isShort: records.length < count };
}
