import { z } from 'zod';
import type { DropLog } from '../base/drop-log.ts';
import { isRefusal, ServiceError } from '../base/errors.ts';
import { ANSWER_LIMITS, type DropReason, firstOf, LIST_LIMITS } from '../base/limits.ts';
import type { Logger } from '../base/log.ts';
import type { Device, Station } from '../model/station.ts';
import { scaled } from '../model/units.ts';
import type { Call } from './endpoints.ts';
import {
  type AnswerContext,
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
import { listAllPages, type Page, PAGE_SIZE } from './exchange/paging.ts';
import { isFinalRefusal, isRetryable } from './exchange/retry.ts';

const digits = z.string().trim().regex(/^\d+$/).transform(Number);
// Of hundreds of digits, Number makes Infinity, which is no total.
const total = optional(z.union([z.number(), digits.pipe(z.number())]));
const pageSchema = z.object({ total, list: z.unknown().optional() });

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
      ratedPowerWatts: ratedKilowatts > 0 ? scaled(ratedKilowatts, 3) : undefined,
      pvEnergyTodayKwh: wire.dailyProducedQuantity,
      pvEnergyTotalKwh: wire.totalProducedQuantity,
      lastDataAtMs: wire.lastDataAt,
    };
  });

/**
 * A page whose `list` is something else than a list: it ends the listing as empty (interface 2.3), and is
 * counted as an answer that could not be read.
 */
export class OddListError extends ServiceError {
  constructor(path: string) {
    super('SERVICE_PAYLOAD_INVALID', `${path}: the list of the page is none`);
  }
}

/** Decodes a page of devices (interface 2.3) and dates each by the time of the request. */
export function decodeDevicePage(data: unknown, answer: AnswerContext): Page<Device> {
  const { entries, ...page } = decodePage(data, deviceSchema, 'devices', answer);
  return { ...page, entries: entries.map((device) => dated(device, answer)) };
}

/** Decodes a page of stations (field notes 2.3). */
export function decodeStationPage(data: unknown, answer: AnswerContext): Page<Station> {
  return decodePage(data, stationSchema, 'stations', answer);
}

/** Decodes the record of one device (field notes 2.2); absent when there is none. */
export function decodeDeviceRecord(data: unknown, answer: AnswerContext): Device | undefined {
  const device = data == null ? undefined : parse(deviceSchema, data, answer);
  return device && dated(device, answer);
}

function dated(device: Device, { nowMs, serviceAheadMs }: AnswerContext): Device {
  // Not by spreading: V8 would give each of these objects, kept per device, a hidden class of its own.
  return Object.assign({}, device, { listedAtMs: nowMs, serviceAheadMs });
}

/**
 * Leaves out records without an id, which cannot be asked about, and those over the limit of a page; fails
 * when no record has an id.
 *
 * @throws OddListError when there is something else in the place of the list.
 */
function decodePage<T>(
  data: unknown,
  record: z.ZodType<T | undefined>,
  reason: DropReason,
  answer: AnswerContext,
): Page<T> {
  const { total: stated, list } = parse(pageSchema, data, answer);
  if (list != null && !Array.isArray(list)) throw new OddListError(answer.path);
  const records: readonly unknown[] = list ?? [];
  const entries = firstOf(records, ANSWER_LIMITS.recordsPerPage, reason, answer.noteDropped)
    .map((entry) => record.safeParse(entry).data)
    .filter((entry) => entry !== undefined);
  if (entries.length === 0 && records.length > 0)
    throw new ServiceError(
      'SERVICE_PAYLOAD_INVALID',
      `${answer.path}: no record on the page has an id`,
    );
  return { total: stated, entries, length: records.length };
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
  /** What is wrong with each other id that was looked up; undefined where nothing was found. */
  readonly #mistakes = new Map<string, string | undefined>();
  /** How many questions about stations are under way, and what they look up together. */
  #asking = 0;
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
    const ask = () => this.#listDevices(stationId);
    return this.#explained(stationId, ask, (devices) => devices.length === 0);
  }

  /** @throws ServiceError `SERVICE_REQUEST_REJECTED` when the id is that of a device or datalogger. */
  listDevicePage(stationId: string, page: number, count: number): Promise<Page<Device>> {
    const ask = () => this.#devicePage({ page, count, stationId });
    return this.#explained(stationId, ask, ({ length }) => page === 1 && length === 0);
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

  /** Takes a page without a list for an empty one. */
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
   * Asks about a station. People take the id of a device or a datalogger for that of a station, and the service
   * only refuses it or answers with an empty list (field notes 4.4, 5). Then, and where the account's list of
   * stations lacks the id, looks up what else it could be. When that finds nothing, the answer or the refusal
   * stands.
   *
   * @throws ServiceError `SERVICE_REQUEST_REJECTED` that says whose id it is and which id to use.
   */
  async #explained<T>(
    stationId: string,
    ask: () => Promise<T>,
    isEmpty: (answer: T) => boolean,
  ): Promise<T> {
    this.#asking += 1;
    try {
      const answer = await ask();
      if (isEmpty(answer)) await this.#throwIfMistaken(stationId);
      return answer;
    } catch (error) {
      if (isRefusal(error) && error.serviceCode === ILLEGAL_ARGUMENT_CODE)
        await this.#throwIfMistaken(stationId, error);
      throw error;
    } finally {
      this.#asking -= 1;
      // One look-up serves all questions that overlap; to keep it for longer would take megabytes.
      if (this.#asking === 0) this.#lookUp = {};
    }
  }

  async #throwIfMistaken(stationId: string, cause?: unknown): Promise<void> {
    if (!this.#mistakes.has(stationId)) await this.#judge(stationId);
    const message = this.#mistakes.get(stationId);
    if (message !== undefined)
      throw new ServiceError('SERVICE_REQUEST_REJECTED', message, { cause });
  }

  async #judge(stationId: string): Promise<void> {
    try {
      if (this.#stationIds === undefined) await (this.#lookUp.stations ??= this.listStations());
      if (this.#stationIds?.has(stationId) === true) return;
      const devices = await (this.#lookUp.devices ??= this.#listDevices());
      this.#mistakes.set(stationId, mistakeOf(stationId, devices));
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      // Look again after a passing failure. A refusal would only come again, and explains nothing.
      if (!isRetryable(error.code)) this.#mistakes.set(stationId, undefined);
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
