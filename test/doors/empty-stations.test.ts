import { describe, expect, test } from 'vitest';
import { MINUTE_MS, scrapeHouse } from './house.ts';
import { deviceList, type PortalRequest } from './scripted-service.ts';

const STATIONS = 400;
const stationIds = Array.from({ length: STATIONS }, (_, index) => String(1000 + index));
const NO_DEVICES = { data: { total: 0, list: [] } };

/** A page of the list of stations, as it was asked for. */
function stationPage({ body }: PortalRequest) {
  const { page, count } = body as { page: number; count: number };
  const ids = stationIds.slice((page - 1) * count, page * count);
  return { data: { total: STATIONS, list: ids.map((id) => ({ id })) } };
}

/** Counts the requests for lists, and tells device lists of a station from those of the account. */
function listRequests(requests: readonly PortalRequest[]) {
  const lists = requests.filter(({ endpoint }) => endpoint === 'devices');
  return {
    stations: requests.filter(({ endpoint }) => endpoint === 'stations').length,
    devices: lists.filter(({ body }) => body['stationId'] !== undefined).length,
    allDevices: lists.filter(({ body }) => body['stationId'] === undefined).length,
  };
}

describe('400 stations without devices', () => {
  test('that the account lists cost the pages of that list and one device list each', async () => {
    const { page, scrapeAfter, requests } = await scrapeHouse(
      { stations: stationPage, devices: NO_DEVICES },
      { flags: { 'scrape.timeout': '5m' } },
    );
    expect(listRequests(requests)).toEqual({ stations: 8, devices: STATIONS, allDevices: 0 });
    expect(page.all('solar_station_devices').map(({ value }) => value)).toEqual(
      stationIds.map(() => 0),
    );
    requests.length = 0;
    await scrapeAfter(MINUTE_MS);
    expect(listRequests(requests)).toEqual({ stations: 0, devices: STATIONS, allDevices: 0 });
  });

  test('that are configured cost one look-up for all of them, and the mistaken ones are explained', async () => {
    const { page, log, requests, scrapeAfter } = await scrapeHouse(
      {
        stations: stationPage,
        devices: ({ body }) =>
          body['stationId'] === undefined
            ? deviceList({ id: '7', stationId: '1000' }, { id: '8', stationId: '1000' })
            : NO_DEVICES,
      },
      { flags: { 'scrape.timeout': '5m', station: [...stationIds, '7', '8'].join(',') } },
    );
    expect(listRequests(requests)).toEqual({ stations: 8, devices: STATIONS + 2, allDevices: 1 });
    const failed = page
      .all('solar_collector_success')
      .filter(({ labels, value }) => labels['collector'] === 'devices' && value === 0);
    expect(failed.map(({ labels }) => labels['station_id'])).toEqual(['7', '8']);
    const explained = log.lines.map(({ fields }) => (fields['err'] as Error | undefined)?.message);
    for (const id of ['7', '8'])
      expect(explained).toContain(
        `"${id}" is the id of device "Garage inverter", not of a station; its station is 1000: give that one to --station`,
      );
    requests.length = 0;
    await scrapeAfter(MINUTE_MS);
    expect(listRequests(requests)).toMatchObject({ stations: 0, allDevices: 0 });
  });
});
