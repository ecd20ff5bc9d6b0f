import { z } from 'zod';
import { MOST_LISTED, type NoteDropped } from '../base/limits.ts';
import { singleFlight } from '../base/concurrency.ts';
import { isRefusal, ServiceError } from '../base/errors.ts';
import type { Logger } from '../base/log.ts';
import { isEnergyOf, RATED_WATTS } from '../model/bounds.ts';
import type { Device, Station } from '../model/station.ts';
import { scaled } from '../model/units.ts';
import type { Call } from './call.ts';
import * as wire from './exchange/decode.ts';

/** Page size of listings (service.md#paging). */
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

const pageSchema = z.object({ total: wire.quantity, list: z.unknown().optional() });

/** Reports a page whose `list` is not a list; counted as an answer that could not be read. */
export class OddListError extends ServiceError {}

/** Decodes a page of stations (service.md#records). */
export const decodeStationPage = pageOf((record): Station | undefined => {
  const first = wire.readerOf(record);
  const stationId = first(wire.id, 'id', 'stationId');
  if (stationId === undefined) return undefined;
  const timeZone = first(wire.timeZone, 'timezone');
  const unknownTimeZone = timeZone === undefined ? first(wire.zoneText, 'timezone') : undefined;
  return { stationId, name: first(wire.text, 'name'), timeZone, unknownTimeZone };
});

/** Decodes a page of devices (service.md#paging), each dated by the time of the request. */
export const decodeDevicePage = pageOf(deviceOf);

const ratedKilowatts = wire.quantity.transform((value = NaN) => {
  const [lowest, highest] = RATED_WATTS;
  const watts = scaled(value, 3);
  return watts >= lowest && watts <= highest ? watts : undefined;
});

/**
 * Reads a device record (service.md#records). Fields such as `nonNullableProducingPower` are not read, because their 0
 * may stand for null.
 */
function deviceOf(
  record: unknown,
  { nowMs, serviceAheadMs }: wire.AnswerContext,
): Device | undefined {
  const first = wire.readerOf(record);
  const deviceId = first(wire.id, 'id', 'deviceId');
  if (deviceId === undefined) return undefined;
  const ratedPowerWatts = first(ratedKilowatts, 'ratedPower');
  const pvEnergy = (period: 'day' | 'lifetime', field: string): number | undefined => {
    const energyKwh = first(wire.quantity, field) ?? NaN;
    const isPlausible = isEnergyOf(period, 'pvGeneratedKwh', energyKwh, ratedPowerWatts);
    return isPlausible ? scaled(energyKwh, 0) : undefined;
  };
  const stationTimeZone = first(wire.timeZone, 'stationTimezone');
  return {
    deviceId,
    name: first(wire.text, 'name', 'deviceName'),
    serial: first(wire.text, 'serialNumber', 'sn'),
    // The model is often null. Each further field says less about the device than the one before.
    model: first(
      wire.text,
      'model',
      'gatherProtocolNameDisplay',
      'gatherProtocolNumber',
      'deviceSortLocaleText',
      'deviceSortKey',
    ),
    isOnline: first(wire.flag, 'isOnline'),
    dataloggerId: first(wire.id, 'dtuId'),
    dataloggerNumber: first(wire.id, 'dtuDtuid'),
    stationId: first(wire.id, 'stationId'),
    stationName: first(wire.text, 'stationName'),
    stationTimeZone,
    unknownTimeZone:
      stationTimeZone === undefined ? first(wire.zoneText, 'stationTimezone') : undefined,
    ratedPowerWatts,
    pvEnergyTodayKwh: pvEnergy('day', 'dailyProducedQuantity'),
    pvEnergyTotalKwh: pvEnergy('lifetime', 'totalProducedQuantity'),
    lastDataAtMs: first(wire.timestamp, 'lastDataAt'),
    listedAtMs: nowMs,
    serviceAheadMs,
  };
}

/**
 * Makes the decoder of a page. It leaves out records without an id, because they cannot be asked about, and records
 * over the limit of a page. It fails when no record has an id.
 */
function pageOf<T>(
  read: (record: unknown, answer: wire.AnswerContext) => T | undefined,
): wire.Decoder<Page<T>> {
  return (data, answer) => {
    const { path } = answer;
    const { total, list } = wire.parse(pageSchema, data, answer);
    if (list != null && !Array.isArray(list))
      throw new OddListError('SERVICE_PAYLOAD_INVALID', `${path}: the list of the page is none`);
    const records: readonly unknown[] = list ?? [];
    const entries = wire.firstOf(records, answer).flatMap((record) => read(record, answer) ?? []);
    if (entries.length === 0 && records.length > 0)
      throw new ServiceError('SERVICE_PAYLOAD_INVALID', `${path}: no record on the page has an id`);
    return { total, entries, length: records.length };
  };
}

/**
 * Fetches a listing page after page, from page 1 (service.md#paging). Returns each entry once, in order of
 * appearance, and how many were over the limit; at least 1 when more may be there. The listing ends after a page
 * that brings nothing new, after a short page unless `total` promises more entries, and after more than `most`.
 * `promised` is the `total` of a listing that has fewer records, and so fewer pages; absent of others.
 *
 * A total alone does not end a listing, because some services count pages. So a listing whose last page is
 * full costs one more request. A refusal of that request ends the listing, too.
 *
 * @throws ServiceError `SERVICE_PAYLOAD_INVALID` when the listing does not end.
 */
export async function listAllPages<T>(
  fetchPage: (page: number) => Promise<Page<T>>,
  idOf: (entry: T) => string,
  most = Number.POSITIVE_INFINITY,
): Promise<{
  readonly entries: readonly T[];
  readonly dropped: number;
  readonly promised?: number | undefined;
}> {
  const entriesById = new Map<string, T>();
  let [dropped, promised, records] = [0, 0, 0];
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    const knownCount = entriesById.size;
    const fetched = await fetchPage(page).catch((error: unknown): Page<T> => {
      if (page > 1 && isRefusal(error) && knownCount >= promised) return { entries: [], length: 0 };
      throw error;
    });
    // A page without records may say nothing.
    promised = fetched.total ?? promised;
    for (const entry of fetched.entries) {
      if (entriesById.has(idOf(entry))) continue;
      if (entriesById.size < most) entriesById.set(idOf(entry), entry);
      else dropped += 1;
    }
    const { size } = entriesById;
    const entries = [...entriesById.values()];
    if (dropped > 0) return { entries, dropped };
    // A page that repeats another one counts once.
    if (size > knownCount) records += fetched.length;
    const isAtEnd = size === knownCount || (fetched.length < PAGE_SIZE && size >= promised);
    if (isAtEnd) return { entries, dropped, promised: promised > records ? promised : undefined };
  }
  if (entriesById.size < most)
    throw new ServiceError('SERVICE_PAYLOAD_INVALID', `a list of more than ${MAX_PAGES} pages`);
  return { entries: [...entriesById.values()], dropped: 1 };
}

/** A list of the service. */
export interface Listing<T> {
  readonly entries: readonly T[];
  /** Why more may be there. */
  readonly problem?: ServiceError | undefined;
}

/** Lists what the account owns: stations and their devices (service.md#records). */
export interface AccountLists {
  /** Lists the stations of the account; if it has none, the stations that its devices name: others share them. */
  listStations(): Promise<Listing<Station>>;
  listDevices(stationId: string): Promise<Listing<Device>>;
  /** Fetches a page of one device, which says how many there are. */
  firstDevice(stationId: string): Promise<Page<Device>>;
  /**
   * Explains an id that is not a station's: whose id it is, and which one to use. Users confuse the id of a device or
   * a datalogger with that of a station, and the service does not say so (service.md#ids).
   */
  mistakeIn(stationId: string): Promise<string | undefined>;
}

/** Makes {@link AccountLists}. */
export function accountLists(
  call: Call<{ stations: Page<Station>; devices: Page<Device> }>,
  noteDropped: NoteDropped,
  log: Logger,
): AccountLists {
  /** The malformed lists that have been logged. */
  const odd = new Set<string>();
  /** The stations that only devices name: others share them with the account. Undefined before the first list. */
  let shared: ReadonlyMap<string, Station> | undefined;
  const listOnce = singleFlight(async () => {
    await listStations().catch(noneIfRefused);
    shared ??= new Map();
  });

  return {
    listStations,
    listDevices: (stationId) => orOfShared(stationId, devicesOf(stationId), (listing) => listing),
    firstDevice: (stationId) =>
      orOfShared(stationId, devicePage({ page: 1, count: 1, stationId }), ({ entries }) => ({
        total: entries.length,
        entries,
        length: entries.length,
      })),
    async mistakeIn(stationId) {
      const stations = await listStations();
      if (stations.entries.some((station) => station.stationId === stationId)) return undefined;
      return mistakeIn(stationId, (await devicesOf()).entries);
    },
  };

  async function listStations(): Promise<Listing<Station>> {
    const own = await list(
      'stations',
      (page) => orEnd(call('stations', () => ({ body: { page, count: PAGE_SIZE } }))),
      ({ stationId }) => stationId,
    );
    const devices = own.entries.length === 0 ? await devicesOf().catch(noneIfRefused) : NONE;
    shared = stationsNamedBy(devices.entries);
    if (own.entries.length > 0) return own;
    return { entries: [...shared.values()], problem: own.problem ?? devices.problem };
  }

  /** Uses the account's own list for a shared station whose list is empty or refused. */
  async function orOfShared<T extends { readonly entries: readonly Device[] }>(
    stationId: string,
    asked: Promise<T>,
    listOf: (devices: Listing<Device>) => T,
  ): Promise<T> {
    const answer = await asked.catch((error: unknown) => {
      if (!isRefusal(error) || shared?.has(stationId) !== true) throw error;
      return listOf(NONE);
    });
    if (answer.entries.length > 0) return answer;
    // Configured stations have not been listed yet.
    if (shared === undefined) await listOnce();
    if (shared?.has(stationId) !== true) return answer;
    const { entries, problem } = await devicesOf();
    return listOf({ entries: entries.filter((device) => device.stationId === stationId), problem });
  }

  /** Lists the devices of a station, or all of the account. */
  function devicesOf(stationId?: string): Promise<Listing<Device>> {
    const of = stationId === undefined ? 'the account' : `station ${stationId}`;
    return list(
      `devices of ${of}`,
      (page) => devicePage({ page, count: PAGE_SIZE, stationId }),
      ({ deviceId }) => deviceId,
    );
  }

  async function list<T>(
    what: string,
    fetchPage: (page: number) => Promise<Page<T>>,
    idOf: (entry: T) => string,
  ): Promise<Listing<T>> {
    const { entries, dropped, promised } = await listAllPages(fetchPage, idOf, MOST_LISTED);
    if (dropped > 0) noteDropped('devices', dropped, `the list of ${what}`);
    if (promised === undefined) return { entries };
    const message = `the list of ${what} has ${entries.length} of the ${promised} that the service counts`;
    const problem = new ServiceError('SERVICE_PAYLOAD_INVALID', message, {
      remedy:
        'wait: the list is asked for again in five minutes; else compare it with the app of the portal',
    });
    return { entries, problem };
  }

  function devicePage(body: object): Promise<Page<Device>> {
    return orEnd(call('devices', () => ({ body })));
  }

  /** Treats a page without a list as an empty one, which ends the listing (service.md#paging). */
  function orEnd<T>(page: Promise<Page<T>>): Promise<Page<T>> {
    return page.catch((error: unknown) => {
      if (!(error instanceof OddListError)) throw error;
      if (!odd.has(error.message))
        log.warn({ err: error }, 'a page without a list: the list ends there');
      odd.add(error.message);
      return { entries: [], length: 0 };
    });
  }
}

const NONE: Listing<Device> = { entries: [] };

function noneIfRefused(error: unknown): Listing<Device> {
  if (!isRefusal(error)) throw error;
  return NONE;
}

/** Returns the stations that devices name, in the order of the devices, as the first device of each describes it. */
function stationsNamedBy(devices: readonly Device[]): ReadonlyMap<string, Station> {
  const stations = new Map<string, Station>();
  for (const {
    stationId,
    stationName: name,
    stationTimeZone: timeZone,
    unknownTimeZone,
  } of devices)
    if (stationId !== undefined && !stations.has(stationId))
      stations.set(stationId, { stationId, name, timeZone, unknownTimeZone });
  return stations;
}

/** The ids of a device that users confuse with the id of its station. */
const DEVICE_IDS = [
  ['deviceId', 'the id of device'],
  ['serial', 'the serial number of device'],
  ['dataloggerNumber', 'the number of the datalogger of device'],
  ['dataloggerId', 'the id of the datalogger of device'],
] as const;

/** Says which device an id belongs to; undefined where it belongs to none. */
function mistakeIn(id: string, devices: readonly Device[]): string | undefined {
  for (const [field, kind] of DEVICE_IDS) {
    const device = devices.find((one) => one[field] === id);
    if (device === undefined) continue;
    const { deviceId, name = deviceId, stationId } = device;
    const remedy =
      stationId === undefined
        ? 'give the id of its station to --station'
        : `its station is ${stationId}: give that one to --station`;
    return `"${id}" is ${kind} "${name}", not of a station; ${remedy}`;
  }
  return undefined;
}
