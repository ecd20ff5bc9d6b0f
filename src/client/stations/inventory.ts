import type { Device, Station } from '../../model/station.ts';
import type { DataCaller } from '../exchange/data-caller.ts';
import { type DataEndpoint, ENDPOINTS } from '../endpoints.ts';
import { listAllPages, type Page, PAGE_SIZE } from '../exchange/paging.ts';
import type { DecodedPage } from './inventory-pages.ts';
import { StationIdCheck } from './station-id-check.ts';

/** What the account owns: stations and their devices (interface endpoint 3, field notes 1.2). */
export class Inventory {
  readonly #caller: DataCaller;
  readonly #idCheck: StationIdCheck;

  constructor(caller: DataCaller) {
    this.#caller = caller;
    this.#idCheck = new StationIdCheck({
      listStations: () => this.listStations(),
      listAllDevices: () => this.#listDevices(),
    });
  }

  listStations(): Promise<readonly Station[]> {
    return listAllPages(
      (page) => this.#page(ENDPOINTS.stations, { page, count: PAGE_SIZE }),
      ({ stationId }) => stationId,
    );
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

  /** Those of a station, or all of the account. */
  #listDevices(stationId?: string): Promise<readonly Device[]> {
    return listAllPages(
      (page) => this.#page(ENDPOINTS.devices, { page, count: PAGE_SIZE, stationId }),
      ({ deviceId }) => deviceId,
    );
  }

  async #page<T>(
    endpoint: DataEndpoint<DecodedPage<T>>,
    body: {
      readonly page: number;
      readonly count: number;
      readonly stationId?: string | undefined;
    },
  ): Promise<Page<T>> {
    const { length, ...page } = await this.#caller.call(endpoint, () => ({ body }));
    return { ...page, isShort: length < body.count };
  }
}
