import { describe, expect, test } from 'vitest';
import type { Status } from '../../../src/status/status.ts';
import { FakeProcess } from '../../doors/commands/fake-process.ts';
import { MINUTE_MS, type PageSample, scrapePage, openHouse } from '../../doors/house.ts';
import {
  CLASSIC,
  deviceList,
  history,
  NOW,
  type PortalRequest,
} from '../../doors/scripted-service.ts';

const COUNT = 20;
const PV_WATTS = COUNT * CLASSIC.pvInputPower;
const STATION_IDS = Array.from({ length: COUNT }, (_, index) => String(3000 + index));
const DEVICE_IDS = STATION_IDS.map((stationId) => `1${stationId}`);
const [FIRST_STATION = ''] = STATION_IDS;
const LAST_STATION = STATION_IDS.at(-1) ?? '';
// Counting asks for readings as well, for itself.
const EVERYWHERE = { flags: { 'scrape.timeout': '5m', 'collect.energy': 'false' } };

type Devices = Readonly<Record<string, readonly string[]>>;

/** Twenty devices, whatever station is asked for; where they count, and where when only single pages are asked for. */
const CASES = [
  {
    records: 'that name their station',
    list: DEVICE_IDS.map((id, index) => ({ id, stationId: STATION_IDS[index] })),
    at: Object.fromEntries(STATION_IDS.map((id, index) => [id, [DEVICE_IDS[index] ?? '']])),
  },
  {
    records: 'that name no station',
    list: DEVICE_IDS.map((id) => ({ id })),
    at: { [FIRST_STATION]: DEVICE_IDS },
    atFirstAsked: { [LAST_STATION]: DEVICE_IDS },
  },
];

const start = (list: readonly object[], stationIds = STATION_IDS) =>
  openHouse(
    {
      stations: { data: { total: COUNT, list: stationIds.map((id) => ({ id })) } },
      devices: deviceList(...list),
      readings: history(CLASSIC),
      settingsGet: { data: { outputPriority: { value: '1', valueDisplay: 'SUB' } } },
    },
    EVERYWHERE,
  );

/** How often each of these was asked for. */
function asked(requests: readonly PortalRequest[]) {
  const count = (endpoint: PortalRequest['endpoint']): number =>
    requests.filter((request) => request.endpoint === endpoint).length;
  return { stations: count('stations'), devices: count('devices'), readings: count('readings') };
}

const ONCE_EACH = { stations: 1, devices: COUNT, readings: COUNT };

/** Device ids by station. */
function byStation(pairs: readonly { stationId?: string; deviceId?: string }[]): Devices {
  const listed: Record<string, string[]> = {};
  for (const { stationId = '', deviceId = '' } of pairs) (listed[stationId] ??= []).push(deviceId);
  return listed;
}

const labelled = (samples: readonly PageSample[]): Devices =>
  byStation(
    samples.map(({ labels }) => ({
      stationId: labels['station_id'] ?? '',
      deviceId: labels['device_id'] ?? '',
    })),
  );

const sumOf = (samples: readonly PageSample[]): number =>
  samples.reduce((sum, { value }) => sum + value, 0);

describe.each(CASES)(
  'a service that lists 20 devices at each of 20 stations, in records $records',
  ({ list, at, atFirstAsked = at }) => {
    test('has each on the page once, read once', async () => {
      const { url, requests, scrapeAfter } = await start(list);
      const page = await scrapePage(url);
      expect(labelled(page.all('solar_pv_power_watts'))).toEqual(at);
      expect(sumOf(page.all('solar_pv_power_watts'))).toBe(PV_WATTS);
      expect(sumOf(page.all('solar_station_devices'))).toBe(COUNT);
      expect(page.all('solar_device_info')).toHaveLength(COUNT);
      expect(page.all('solar_up').map(({ value }) => value)).toEqual(STATION_IDS.map(() => 1));
      expect(asked(requests)).toEqual(ONCE_EACH);
      requests.length = 0;
      const later = await scrapeAfter(6 * MINUTE_MS);
      expect(labelled(later.all('solar_pv_power_watts'))).toEqual(at);
      expect(asked(requests)).toEqual({ stations: 0, devices: 0, readings: COUNT });
    });

    test('has each once in the status and on the pages of one station', async () => {
      const { url, requests } = await start(list);
      await scrapePage(url);
      const status = (await (await fetch(new URL('/api/v1/status', url))).json()) as Status;
      const ofStations = status.stations.flatMap(({ stationId, devices }) =>
        devices.map(({ deviceId }) => ({ stationId, deviceId })),
      );
      expect(byStation(ofStations)).toEqual(at);
      const pvWatts = status.stations.map(({ flow }) => flow.pvPowerWatts ?? 0);
      expect(pvWatts.reduce((sum, value) => sum + value, 0)).toBe(PV_WATTS);
      const pages = await Promise.all(STATION_IDS.map((id) => scrapePage(url, {}, probeOf(id))));
      expect(labelled(pages.flatMap((page) => page.all('solar_pv_power_watts')))).toEqual(at);
      expect(asked(requests)).toEqual(ONCE_EACH);
    });

    test('has each once on the pages of one station, asked for last station first', async () => {
      const { url, requests, scrapeAfter } = await start(list);
      const samples: PageSample[] = [];
      for (const stationId of STATION_IDS.toReversed())
        samples.push(
          ...(await scrapePage(url, {}, probeOf(stationId))).all('solar_pv_power_watts'),
        );
      expect(labelled(samples)).toEqual(atFirstAsked);
      expect(asked(requests)).toEqual(ONCE_EACH);
      const page = await scrapeAfter(6 * MINUTE_MS);
      expect(labelled(page.all('solar_pv_power_watts'))).toEqual(at);
      expect(asked(requests)).toEqual({ ...ONCE_EACH, readings: 2 * COUNT });
    });

    test('has each once in the answers of commands', async () => {
      const { serviceUrl, requests } = await start(list);
      const shell = new FakeProcess();
      shell.env = { SOLAR_ACCESS_TOKEN: 'made-up-token', SOLAR_BASE_URL: serviceUrl };
      shell.clock.advance(Date.parse(NOW) - shell.clock.nowMs());
      const devicesOf = async (command: string) => {
        requests.length = 0;
        const { out } = await shell.run(command, '--json');
        return byStation((JSON.parse(out) as { devices: object[] }).devices);
      };
      expect(await devicesOf('devices')).toEqual(at);
      expect(asked(requests)).toEqual({ ...ONCE_EACH, readings: 0 });
      expect(await devicesOf('readings')).toEqual(at);
      expect(asked(requests)).toEqual(ONCE_EACH);
      expect(await shell.run('settings', 'get', DEVICE_IDS[3] ?? '')).toMatchObject({ status: 0 });
    });
  },
);

describe('a station without devices that is listed before the others', () => {
  test.each([
    { owners: 'one other station', list: DEVICE_IDS.map((id) => ({ id, stationId: '2' })) },
    { owners: 'several others', list: CASES[0]?.list ?? [] },
  ])('does not get those of $owners, nor does a command think so', async ({ list }) => {
    const { url, serviceUrl } = await start(list, ['1', '2', ...STATION_IDS]);
    const page = await scrapePage(url);
    expect(sumOf(page.all('solar_station_devices'))).toBe(COUNT);
    expect(page.value('solar_station_devices', { station_id: '1' })).toBe(0);
    const shell = new FakeProcess();
    shell.env = { SOLAR_ACCESS_TOKEN: 'made-up-token', SOLAR_BASE_URL: serviceUrl };
    const { out } = await shell.run('devices', '--json');
    const { devices } = JSON.parse(out) as { devices: { stationId: string }[] };
    expect(devices).toHaveLength(COUNT);
    expect(devices.map(({ stationId }) => stationId)).not.toContain('1');
  });
});

function probeOf(stationId: string): string {
  return `/probe?target=${stationId}`;
}
