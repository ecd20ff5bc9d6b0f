import { z } from 'zod';
import type { DropLog } from '../base/drop-log.ts';
import { isRefusal, ServiceError } from '../base/errors.ts';
import { ANSWER_LIMITS, firstOf, LIST_LIMITS } from '../base/limits.ts';
import type { Logger } from '../base/log.ts';
import type { Device, Station } from '../model/station.ts';
import { scaled } from '../model/units.ts';
import type { Call } from './endpoints.ts';
import {
  type AnswerContext,
  type Decoder,
  flag,
  id,
  ILLEGAL_ARGUMENT_CODE,
  optional,
  parse,
  quantity,
  text,
  timestamp,
  timeZone,
} from './exchange/decode.ts';
import { isFinalRefusal, isRetryable } from './exchange/retry.ts';

/** Page size of listings (interface 8). */
export const PAGE_SIZE = 50;
/** A longer listing is a fault of the service. */
const MAX_PAGES = 200;

/** One page of a listing. */
export interface Page<T> {
  /** How many entries the whole listing has, or how many pages; absent where the service leaves it out. */
  readonly total?: number | undefined;
  readonly entries: readonly T[];
  /** How many records the service sent, malformed ones included. */
  readonly length: number;
}

const digits = z.string().trim().regex(/^\d+$/).transform(Number);
// Of hundreds of digits, Number makes Infinity, which is no total.
const total = optional(z.union([z.number(), digits.pipe(z.number())]));
const pageSchema = z.object({ total, list: z.unknown().optional() });

const stationSchema = z.object({ id, stationId: id, name: text, timezone: timeZone });

const energyKwh = quantity.transform((value) =>
  value !== undefined && value >= 0 ? scaled(value, 0) : undefined,
);

/**
 * A device record (field notes 2.2). Fields such as `nonNullableProducingPower` are not read, because their 0 may
 * stand for null.
 */
const deviceSchema = z.object({
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
});

/** A page whose `list` is something else than a list: counted as an answer that could not be read. */
export class OddListError extends ServiceError {}

/** Decodes a page of stations (field notes 2.3). */
export const decodeStationPage = pageOf('stations', (record): Station | undefined => {
  const wire = stationSchema.safeParse(record).data;
  const stationId = wire?.id ?? wire?.stationId;
  return stationId === undefined
    ? undefined
    : { stationId, name: wire?.name, timeZone: wire?.timezone };
});

/** Decodes a page of devices (interface 2.3), each dated by the time of the request. */
export const decodeDevicePage = pageOf('devices', deviceOf);

/** Decodes the record of one device (field notes 2.2); absent when there is none. */
export function decodeDeviceRecord(data: unknown, answer: AnswerContext): Device | undefined {
  return deviceOf(parse(z.looseObject({}).nullish(), data, answer), answer);
}

function deviceOf(record: unknown, { nowMs, serviceAheadMs }: AnswerContext): Device | undefined {
  const wire = deviceSchema.safeParse(record).data;
  const deviceId = wire?.id ?? wire?.deviceId;
  if (wire === undefined || deviceId === undefined) return undefined;
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
    ratedPowerWatts: ratedKilowatts > 0 ? scaled(ratedKilowatts, 3) : undefined,
    pvEnergyTodayKwh: wire.dailyProducedQuantity,
    pvEnergyTotalKwh: wire.totalProducedQuantity,
    lastDataAtMs: wire.lastDataAt,
    listedAtMs: nowMs,
    serviceAheadMs,
  };
}

/**
 * Makes the decoder of a page: it leaves out records without an id, which cannot be asked about, and those over the
 * limit of a page; it fails when no record has an id.
 */
function pageOf<T>(
  what: 'stations' | 'devices',
  read: (record: unknown, answer: AnswerContext) => T | undefined,
): Decoder<Page<T>> {
  return (data, answer) => {
    const { path, noteDropped } = answer;
    const { total: stated, list } = parse(pageSchema, data, answer);
    if (list != null && !Array.isArray(list))
      throw new OddListError('SERVICE_PAYLOAD_INVALID', `${path}: the list of the page is none`);
    const records: readonly unknown[] = list ?? [];
    const entries = firstOf(records, ANSWER_LIMITS.recordsPerPage, what, noteDropped)
      .map((record) => read(record, answer))
      .filter((entry) => entry !== undefined);
    if (entries.length === 0 && records.length > 0)
      throw new ServiceError('SERVICE_PAYLOAD_INVALID', `${path}: no record on the page has an id`);
    return { total: stated, entries, length: records.length };
  };
}

/**
 * Fetches a listing page after page, from page 1 (interface 4, rule 2). Returns each entry once, in order of
 * appearance, and how many were over the limit; at least 1 when more may be there. The listing ends after a page
 * that brings nothing new, after a short page unless `total` promises more entries, and after more than `most`.
 *
 * A total alone ends no listing, because some count pages (field notes 1.7). So a listing whose last page is
 * full costs one more request, which some services refuse: that is its end, too.
 *
 * @throws ServiceError `SERVICE_PAYLOAD_INVALID` when the listing does not end.
 */
export async function listAllPages<T>(
  fetchPage: (page: number) => Promise<Page<T>>,
  idOf: (entry: T) => string,
  most = Number.POSITIVE_INFINITY,
): Promise<{ readonly entries: readonly T[]; readonly dropped: number }> {
  const entriesById = new Map<string, T>();
  let [dropped, promised] = [0, 0];
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    const knownCount = entriesById.size;
    const fetched = await fetchPage(page).catch((error: unknown): Page<T> => {
      if (page > 1 && isRefusal(error) && knownCount >= promised) return { entries: [], length: 0 };
      throw error;
    });
    promised = fetched.total ?? 0;
    for (const entry of fetched.entries) {
      if (entriesById.has(idOf(entry))) continue;
      if (entriesById.size < most) entriesById.set(idOf(entry), entry);
      else dropped += 1;
    }
    const { size } = entriesById;
    const isAtEnd = size === knownCount || (fetched.length < PAGE_SIZE && size >= promised);
    if (isAtEnd || dropped > 0) return { entries: [...entriesById.values()], dropped };
  }
  if (entriesById.size < most)
    throw new ServiceError('SERVICE_PAYLOAD_INVALID', `a list of more than ${MAX_PAGES} pages`);
  return { entries: [...entriesById.values()], dropped: 1 };
}

/** Lists what the account owns: stations and their devices (interface endpoint 3, field notes 1.2). */
export class Inventory {
  readonly #call: Call;
  readonly #drops: DropLog;
  readonly #log: Logger;
  /** The lists that were odd, each logged once. */
  readonly #odd = new Set<string>();
  /** The ids of the last station list: none of them is a mistake. Undefined before the first. */
  #stationIds: ReadonlySet<string> | undefined;
  /** What mistaken ids are looked up in; it is asked for once, because a refusal would only come again. */
  #lookUp: { stations?: Promise<unknown>; devices?: Promise<readonly Device[]> } = {};

  constructor(call: Call, drops: DropLog, log: Logger) {
    this.#call = call;
    this.#drops = drops;
    this.#log = log;
  }

  async listStations(): Promise<readonly Station[]> {
    const { entries, dropped } = await listAllPages(
      (page) => this.#orEnd(this.#call('stations', () => ({ body: { page, count: PAGE_SIZE } }))),
      ({ stationId }) => stationId,
      LIST_LIMITS.stations,
    );
    this.#drops.note('stations', 'stations', dropped);
    this.#stationIds = new Set(entries.map(({ stationId }) => stationId));
    return entries;
  }

  /** @throws ServiceError `SERVICE_REQUEST_REJECTED` when the id is that of a device or datalogger. */
  listDevices(stationId: string): Promise<readonly Device[]> {
    return this.#explained(stationId, this.#listDevices(stationId));
  }

  /** Fetches a page of one device, which says how many there are. Throws as {@link listDevices} does. */
  firstDevice(stationId: string): Promise<Page<Device>> {
    return this.#explained(stationId, this.#devicePage({ page: 1, count: 1, stationId }));
  }

  /** Returns the record of a device; absent where the service has none or does not say. */
  async fetchDevice(deviceId: string): Promise<Device | undefined> {
    try {
      return await this.#call('deviceDetails', () => ({ query: { deviceId } }));
    } catch (error) {
      if (isFinalRefusal(error)) return undefined;
      throw error;
    }
  }

  /** Those of a station, or all of the account. */
  async #listDevices(stationId?: string): Promise<readonly Device[]> {
    const { entries, dropped } = await listAllPages(
      (page) => this.#devicePage({ page, count: PAGE_SIZE, stationId }),
      ({ deviceId }) => deviceId,
      LIST_LIMITS.devices,
    );
    this.#drops.note(`devices, station ${stationId ?? 'any'}`, 'devices', dropped);
    return entries;
  }

  #devicePage(body: object): Promise<Page<Device>> {
    return this.#orEnd(this.#call('devices', () => ({ body })));
  }

  /** Takes a page without a list for an empty one, which ends the listing (interface 2.3). */
  async #orEnd<T>(page: Promise<Page<T>>): Promise<Page<T>> {
    try {
      return await page;
    } catch (error) {
      if (!(error instanceof OddListError)) throw error;
      if (!this.#odd.has(error.message))
        this.#log.warn({ err: error }, 'a page without a list: the list ends there');
      this.#odd.add(error.message);
      return { entries: [], length: 0 };
    }
  }

  /**
   * Explains an answer about a station that is empty or refuses an argument. People take the id of a device or a
   * datalogger for that of a station, and the service says no more than that (field notes 4.4, 5). So where the
   * account's list of stations lacks the id, looks up what else it could be.
   *
   * @throws ServiceError `SERVICE_REQUEST_REJECTED` that says whose id it is and which id to use.
   */
  async #explained<T extends { readonly length: number }>(
    stationId: string,
    asked: Promise<T>,
  ): Promise<T> {
    try {
      const answer = await asked;
      if (answer.length === 0) await this.#throwIfMistaken(stationId);
      return answer;
    } catch (error) {
      if (isRefusal(error) && error.serviceCode === ILLEGAL_ARGUMENT_CODE)
        await this.#throwIfMistaken(stationId, error);
      throw error;
    }
  }

  async #throwIfMistaken(id: string, cause?: unknown): Promise<void> {
    const message = await this.#mistakeOf(id);
    if (message !== undefined)
      throw new ServiceError('SERVICE_REQUEST_REJECTED', message, { cause });
  }

  async #mistakeOf(id: string): Promise<string | undefined> {
    try {
      if (this.#stationIds === undefined) await (this.#lookUp.stations ??= this.listStations());
      if (this.#stationIds?.has(id) === true) return undefined;
      return mistakeOf(id, await (this.#lookUp.devices ??= this.#listDevices()));
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      if (isRetryable(error.code)) this.#lookUp = {};
      return undefined;
    }
  }
}

/** The ids of a device that people take for that of its station. */
const DEVICE_IDS = [
  ['deviceId', 'the id of device'],
  ['serial', 'the serial number of device'],
  ['dataloggerNumber', 'the number of the datalogger of device'],
  ['dataloggerId', 'the id of the datalogger of device'],
] as const;

function mistakeOf(id: string, devices: readonly Device[]): string | undefined {
  for (const device of devices) {
    const [, kind] = DEVICE_IDS.find(([field]) => device[field] === id) ?? [];
    if (kind === undefined) continue;
    const { deviceId, name = deviceId, stationId } = device;
    const remedy =
      stationId === undefined
        ? 'give the id of its station to --station'
        : `its station is ${stationId}: give that one to --station`;
    return `"${id}" is ${kind} "${name}", not of a station; ${remedy}`;
  }
  return undefined;
}
