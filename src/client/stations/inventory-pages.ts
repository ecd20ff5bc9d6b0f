import { z } from 'zod';
import { ServiceError } from '../../base/errors.ts';
import { ANSWER_LIMITS, type DropReason, firstOf, type NoteDropped } from '../../base/limits.ts';
import type { Device, Station } from '../../model/station.ts';
import { kilowattsToWatts, scaled } from '../../model/units.ts';
import {
  type AnswerTime,
  flag,
  id,
  optional,
  parse,
  quantity,
  text,
  timestamp,
  timeZone,
} from '../exchange/decode.ts';

const digits = z.string().trim().regex(/^\d+$/).transform(Number);
// Of hundreds of digits, Number makes Infinity, which is no total.
const total = optional(z.union([z.number(), digits.pipe(z.number())]));

const stationSchema = z
  .object({ id, stationId: id, name: text, timezone: timeZone })
  .transform((wire): Station | undefined => {
    const stationId = wire.id ?? wire.stationId;
    if (stationId === undefined) return undefined;
    return { stationId, name: wire.name, timeZone: wire.timezone };
  });

const energyKwh = quantity.transform((value) =>
  value !== undefined && value >= 0 ? scaled(value, 0) : undefined,
);

/**
 * A device record (field notes 2.2); absent without an id. Fields such as `nonNullableProducingPower`
 * are not read, because their 0 may stand for null.
 */
const deviceSchema = z
  .object({
    id,
    deviceId: id,
    name: text,
    deviceName: text,
    serialNumber: text,
    sn: text,
    model: text,
    gatherProtocolNameDisplay: text,
    gatherProtocolNumber: text,
    deviceSortLocaleText: text,
    deviceSortKey: text,
    isOnline: flag,
    dtuId: id,
    dtuDtuid: id,
    stationId: id,
    stationName: text,
    stationTimezone: timeZone,
    ratedPower: quantity,
    dailyProducedQuantity: energyKwh,
    totalProducedQuantity: energyKwh,
    lastDataAt: timestamp,
  })
  .transform((wire): Device | undefined => {
    const deviceId = wire.id ?? wire.deviceId;
    if (deviceId === undefined) return undefined;
    const { ratedPower: ratedKilowatts = 0 } = wire;
    return {
      deviceId,
      name: wire.name ?? wire.deviceName,
      serial: wire.serialNumber ?? wire.sn,
      // The model is often null; each of the others says less about the device than the one before.
      model:
        wire.model ??
        wire.gatherProtocolNameDisplay ??
        wire.gatherProtocolNumber ??
        wire.deviceSortLocaleText ??
        wire.deviceSortKey,
      isOnline: wire.isOnline,
      dataloggerId: wire.dtuId,
      dataloggerNumber: wire.dtuDtuid,
      stationId: wire.stationId,
      stationName: wire.stationName,
      stationTimeZone: wire.stationTimezone,
      ratedPowerWatts: ratedKilowatts > 0 ? kilowattsToWatts(ratedKilowatts) : undefined,
      pvEnergyTodayKwh: wire.dailyProducedQuantity,
      pvEnergyTotalKwh: wire.totalProducedQuantity,
      lastDataAtMs: wire.lastDataAt,
    };
  });

const pageSchema = z.object({ total, list: z.unknown().optional() });

/**
 * A page whose `list` is something else than a list: it ends the listing as empty (interface 2.3), and is
 * counted as an answer that could not be read.
 */
export class OddListError extends ServiceError {
  constructor(path: string) {
    super('SERVICE_PAYLOAD_INVALID', `${path}: the list of the page is none`);
  }
}

/** What a page of a listing holds. */
export interface DecodedPage<T> {
  /** How long the whole listing is, where the service says so; some count pages (field notes 1.7). */
  readonly total?: number | undefined;
  readonly entries: readonly T[];
  /** How many records the service sent, malformed ones included. */
  readonly length: number;
}

/** Decodes a page of devices and dates each by the time of the request. */
export function decodeDeviceList(
  data: unknown,
  path: string,
  { nowMs, serviceAheadMs }: AnswerTime,
  noteDropped?: NoteDropped,
): DecodedPage<Device> {
  const { entries, ...rest } = decodeDevicePage(data, path, noteDropped);
  // Not by spreading: V8 would give each of these objects, kept per device, a hidden class of its own.
  const dated = entries.map((device) =>
    Object.assign({}, device, { listedAtMs: nowMs, serviceAheadMs }),
  );
  return { ...rest, entries: dated };
}

/** Decodes a page of devices (interface 2.3). */
export function decodeDevicePage(
  data: unknown,
  path: string,
  noteDropped?: NoteDropped,
): DecodedPage<Device> {
  return decodePage(data, path, deviceSchema, 'devices', noteDropped);
}

/** Decodes a page of stations (field notes 2.3). */
export function decodeStationPage(
  data: unknown,
  path: string,
  _time?: AnswerTime,
  noteDropped?: NoteDropped,
): DecodedPage<Station> {
  return decodePage(data, path, stationSchema, 'stations', noteDropped);
}

/** Decodes the record of one device (field notes 2.2); absent when there is none. */
export function decodeDeviceRecord(
  data: unknown,
  path: string,
  { nowMs, serviceAheadMs }: AnswerTime,
): Device | undefined {
  if (data == null) return undefined;
  const device = parse(deviceSchema, data, path);
  return device && { ...device, listedAtMs: nowMs, serviceAheadMs };
}

/**
 * Leaves out records without an id, which cannot be asked about, and those over the limit of a page; fails
 * when no record has an id.
 *
 * @throws OddListError when there is something else in the place of the list.
 */
function decodePage<T>(
  data: unknown,
  path: string,
  record: z.ZodType<T | undefined>,
  reason: DropReason,
  noteDropped: NoteDropped = () => undefined,
): DecodedPage<T> {
  const { total: stated, list } = parse(pageSchema, data, path);
  if (list != null && !Array.isArray(list)) throw new OddListError(path);
  const records: readonly unknown[] = list ?? [];
  const entries = firstOf(records, ANSWER_LIMITS.recordsPerPage, reason, noteDropped)
    .map((entry) => record.safeParse(entry).data)
    .filter((entry) => entry !== undefined);
  if (entries.length === 0 && records.length > 0)
    throw new ServiceError('SERVICE_PAYLOAD_INVALID', `${path}: no record on the page has an id`);
  return { total: stated, entries, length: records.length };
}
