import { type DropReason, LIST_LIMITS, type ListLimits } from '../../base/limits.ts';
import type { Logger } from '../../base/log.ts';
import type { Device, Station } from '../../model/station.ts';
import type { DataCaller } from '../exchange/data-caller.ts';
import { type DataEndpoint, ENDPOINTS } from '../endpoints.ts';
import { listAllPages, type Page, PAGE_SIZE } from '../exchange/paging.ts';
import { isFinalRefusal } from '../exchange/retry.ts';
import { type DecodedPage, OddListError } from './inventory-pages.ts';
import { StationIdCheck } from './station-id-check.ts';

/** What the account owns: stations and their devices (interface endpoint 3, field notes 1.2). */
export class Inventory {
  readonly #caller: DataCaller;
  readonly #log: Logger;
  readonly #limits: ListLimits;
  readonly #idCheck: StationIdCheck;
  /** The lists that were odd, each logged once. */
  readonly #odd = new Set<string>();

  constructor(caller: DataCaller, log: Logger, limits = LIST_LIMITS) {
    this.#caller = caller;
    this.#log = log;
    this.#limits = limits;
    this.#idCheck = new StationIdCheck({
      listStations: () => this.#listStations(),
      listAllDevices: () => this.#listDevices(),
    });
  }

  async listStations(): Promise<readonly Station[]> {
    const stations = await this.#listStations();
    this.#idCheck.stationsListed(stations);
    return stations;
  }

  /** @throws ServiceError `SERVICE_REQUEST_REJECTED` when the id is that of a device or datalogger. */
  listDevices(stationId: string): Promise<readonly Device[]> {
    return this.#idCheck.explain(
      stationId,
      () => this.#listDevices(stationId),
      (devices) => devices.length === 0,
    );
  }

  /** @throws ServiceError `SERVICE_REQUEST_REJECTED` when the id is that of a device or datalogger. */
  listDevicePage(stationId: string, page: number, count: number): Promise<Page<Device>> {
    return this.#idCheck.explain(
      stationId,
      () => this.#page(ENDPOINTS.devices, { page, count, stationId }),
      ({ entries }) => page === 1 && entries.length === 0,
    );
  }

  /** Returns the record of a device; absent where the service has none or does not say. */
  async fetchDevice(deviceId: string): Promise<Device | undefined> {
    try {
      return await this.#caller.call(ENDPOINTS.deviceDetails, () => ({ query: { deviceId } }));
    } catch (error) {
      if (isFinalRefusal(error)) return undefined;
      throw error;
    }
  }

  async #listStations(): Promise<readonly Station[]> {
    const listing = await listAllPages(
      (page) => this.#page(ENDPOINTS.stations, { page, count: PAGE_SIZE }),
      ({ stationId }) => stationId,
      this.#limits.stations,
    );
    this.#noteDropped('stations', 'stations', listing.dropped);
    return listing.entries;
  }

  /** Those of a station, or all of the account. */
  async #listDevices(stationId?: string): Promise<readonly Device[]> {
    const listing = await listAllPages(
      (page) => this.#page(ENDPOINTS.devices, { page, count: PAGE_SIZE, stationId }),
      ({ deviceId }) => deviceId,
      this.#limits.devices,
    );
    this.#noteDropped(`devices, station ${stationId ?? 'any'}`, 'devices', listing.dropped);
    return listing.entries;
  }

  #noteDropped(list: string, reason: DropReason, dropped: number): void {
    this.#caller.drops.note(list, reason, dropped);
  }

  async #page<T>(
    endpoint: DataEndpoint<DecodedPage<T>>,
    body: {
      readonly page: number;
      readonly count: number;
      readonly stationId?: string | undefined;
    },
  ): Promise<Page<T>> {
    try {
      const { length, ...page } = await this.#caller.call(endpoint, () => ({ body }));
      return { ...page, isShort: length < body.count };
    } catch (error) {
      if (!(error instanceof OddListError)) throw error;
      this.#warnOnce(endpoint.operation, error);
      return { entries: [], isShort: true };
    }
  }

  #warnOnce(operation: string, error: OddListError): void {
    if (this.#odd.has(operation)) return;
    this.#odd.add(operation);
    this.#log.warn({ err: error }, 'a page without a list: the list ends there');
  }
}
