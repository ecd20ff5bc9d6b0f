import type { Device, Station } from '../model/station.ts';
import type { Page } from './paging.ts';
import type { DataCaller } from './data-caller.ts';
import { MistakenStationIds } from './mistaken-station-ids.ts';
import { listAllPages, PAGE_SIZE } from './paging.ts';
import type { ServiceClock } from './service-clock.ts';
import { decodeDevicePage, decodeStationPage } from './wire.ts';

export interface InventoryUrls {
  readonly stations: URL;
  readonly devices: URL;
}

/** What the account owns: stations and their devices (interface endpoint 3, field notes 1.2). */
export class Inventory {
  readonly #caller: DataCaller;
  readonly #serviceClock: Pick<ServiceClock, 'aheadMs'>;
  readonly #urls: InventoryUrls;
  readonly #mistaken: MistakenStationIds;

  constructor(
    caller: DataCaller,
    serviceClock: Pick<ServiceClock, 'aheadMs'>,
    urls: InventoryUrls,
  ) {
    this.#caller = caller;
    this.#serviceClock = serviceClock;
    this.#urls = urls;
    this.#mistaken = new MistakenStationIds({
      listStations: () => this.listStations(),
      listAllDevices: () => this.#listDevices(),
    });
  }

  listStations(): Promise<readonly Station[]> {
    const url = this.#urls.stations;
    return listAllPages(
      (page) =>
        this.#caller.call('stations', () => ({
          url,
          body: { page, count: PAGE_SIZE },
          decode: (data) => decodeStationPage(data, url.pathname, PAGE_SIZE),
        })),
      ({ stationId }) => stationId,
    );
  }

  /** @throws ServiceError `SERVICE_REQUEST_REJECTED` when the id is that of a device or datalogger. */
  listDevices(stationId: string): Promise<readonly Device[]> {
    return this.#mistaken.explain(
      stationId,
      () => this.#listDevices(stationId),
      (devices) => devices.length === 0,
    );
  }

  /** @throws ServiceError `SERVICE_REQUEST_REJECTED` when the id is that of a device or datalogger. */
  listDevicePage(stationId: string, page: number, count: number): Promise<Page<Device>> {
    return this.#mistaken.explain(
      stationId,
      () => this.#devicePage(page, count, stationId),
      ({ entries }) => page === 1 && entries.length === 0,
    );
  }

  /** Those of a station, or all of the account. */
  #listDevices(stationId?: string): Promise<readonly Device[]> {
    return listAllPages(
      (page) => this.#devicePage(page, PAGE_SIZE, stationId),
      ({ deviceId }) => deviceId,
    );
  }

  #devicePage(page: number, count: number, stationId?: string): Promise<Page<Device>> {
    const url = this.#urls.devices;
    return this.#caller.call('devices', ({ nowMs }) => ({
      url,
      body: { page, count, stationId },
      decode: (data) => {
        const { entries, ...rest } = decodeDevicePage(data, url.pathname, count);
        const listed = { listedAtMs: nowMs, serviceAheadMs: this.#serviceClock.aheadMs };
        return { ...rest, entries: entries.map((device) => ({ ...device, ...listed })) };
      },
    }));
  }
}
