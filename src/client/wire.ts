import { z } from 'zod';
import { ServiceError } from '../errors.ts';
import type { Device, DeviceSettings, SettingValue, Station } from '../model/station.ts';
import type { Page } from './api.ts';
import { isTimeZone } from './time-zone.ts';

/** Ids are strings here, whatever the service sent; long integers arrive as their digits (json.ts). */
const id = z
  .union([z.string(), z.number().int().nonnegative()])
  .transform((value) => String(value).trim())
  .pipe(z.string().min(1));
const optional = <T extends z.ZodType>(schema: T): z.ZodCatch<z.ZodOptional<T>> =>
  schema.optional().catch(undefined);
const text = optional(z.string().trim().min(1));
const timeZone = optional(z.string().trim().refine(isTimeZone));
const total = optional(z.union([z.number(), z.string().regex(/^\d+$/).transform(Number)]));

const deviceSchema = z
  .object({
    id: optional(id),
    deviceId: optional(id),
    name: text,
    deviceName: text,
    serialNumber: text,
    sn: text,
    model: text,
    isOnline: optional(z.boolean()),
    stationName: text,
    stationTimezone: timeZone,
  })
  .transform((wire): Device | undefined => {
    const deviceId = wire.id ?? wire.deviceId;
    if (deviceId === undefined) return undefined;
    return {
      deviceId,
      name: wire.name ?? wire.deviceName,
      serial: wire.serialNumber ?? wire.sn,
      model: wire.model,
      isOnline: wire.isOnline,
      stationName: wire.stationName,
      stationTimeZone: wire.stationTimezone,
    };
  });

const stationSchema = z
  .object({ id: optional(id), stationId: optional(id), name: text, timezone: timeZone })
  .transform((wire): Station | undefined => {
    const stationId = wire.id ?? wire.stationId;
    if (stationId === undefined) return undefined;
    return { stationId, name: wire.name, timeZone: wire.timezone };
  });

const pageSchema = z.object({ total, list: z.array(z.unknown()).catch([]) });
const settingsSchema = z.record(z.string(), z.unknown());

/** Reads a page of devices; `count` is how many were asked for (interface 2.3). */
export function decodeDevicePage(data: unknown, path: string, count: number): Page<Device> {
  return decodePage(data, path, count, deviceSchema);
}

/** Reads a page of stations (field notes 2.3). */
export function decodeStationPage(data: unknown, path: string, count: number): Page<Station> {
  return decodePage(data, path, count, stationSchema);
}

/** Reads the settings object (interface 2.6); what is neither text, number nor boolean is shown as JSON. */
export function decodeSettings(data: unknown, path: string): DeviceSettings {
  const settings = Object.entries(parse(settingsSchema, data ?? {}, path))
    .filter(([, value]) => value != null)
    .map(([name, value]): [string, SettingValue] => [name, toSettingValue(value)]);
  return new Map(settings);
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
  const page = parse(pageSchema, data, path);
  const entries = page.list
    .map((entry) => record.safeParse(entry).data)
    .filter((entry) => entry !== undefined);
  if (entries.length === 0 && page.list.length > 0)
    throw new ServiceError('SERVICE_PAYLOAD_INVALID', `${path}: no record on the page has an id`);
  return { total: page.total, entries, isShort: page.list.length < count };
}

function toSettingValue(value: unknown): SettingValue {
  const isScalar =
    typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
  return isScalar ? value : JSON.stringify(value);
}
