import type { IncomingMessage } from 'node:http';
import { describe, expect, test } from 'vitest';
import { MOST_DEVICES } from '../../../src/http/status-page/device-view.ts';
import { renderDocument } from '../../../src/http/status-page/document.ts';
import { statusRoutes } from '../../../src/http/status-routes.ts';
import type { StationPageStatus } from '../../../src/status/status.ts';
import { startServer } from '../../support/running-server.ts';
import { sampleDevice, sampleStation, sampleStatus } from '../../support/sample-status.ts';
import { devicesAnswering } from '../device-answers.ts';
import { HOUR_MS, MINUTE_MS, openHouse, SECOND_MS, startBoth } from '../house.ts';
import {
  ACCOUNT,
  CLASSIC,
  deviceList,
  latest,
  liveHistory,
  type PortalAnswer,
  type Script,
  type TaggedFields,
} from '../scripted-service.ts';

/** Longer than a name is shown, which would be cut between the halves of a character. */
const LONG_NAME = `xxx${'Söller ☀🔋 '.repeat(30)}`;

/** The energies of a summary: a value of each quantity at each of these times. */
function energies(points: Readonly<Record<string, number>>): PortalAnswer {
  const others = ['consume', 'charge', 'discharge'].map((name) => `${name}ElectricityQuantity`);
  const keys = ['pvGeneratedEnergy', 'buyElectricityQuantity', 'sellElectricityQuantity'];
  const properties = [...keys, ...others].map((key, index) => ({
    property: { key, unit: 'kWh' },
    hasRealTimePoints: true,
    timePoints: Object.entries(points).map(([time, value]) => ({
      time,
      value: value + index,
      isRealValue: true,
    })),
  }));
  return { data: { properties } };
}

const expiry = { accessTokenWillExpiredInMillis: 2 * HOUR_MS };
const TOKENS: PortalAnswer = {
  data: { accessToken: 'access', refreshToken: 'refresh', ...expiry },
};

const EVERYTHING: Script = {
  summary: energies({ '2026-07': 80, '2026-08': 100 }),
  summaryDays: energies({ '2026-08-23': 20, '2026-08-24': 12.5 }),
  summaryYears: energies({ '2025': 1000, '2026': 2400 }),
  settingsGet: { data: { operatingMode: 'Backup' } },
  login: TOKENS,
};

/** As text: the order of the fields is recorded as well. */
async function expectRecorded(answer: unknown, name: string): Promise<void> {
  const answered = JSON.stringify(answer, null, 2);
  // The port of the scripted service is another one each time.
  const text = `${answered.replaceAll(/127\.0\.0\.1:\d+/g, 'service.example')}\n`;
  await expect(text).toMatchFileSnapshot(`../../fixtures/status/${name}.json`);
}

describe('the answer of /api/v1/status is as recorded', () => {
  test('when a station has devices of all kinds', async () => {
    // The logger was away for half an hour, which is more than a gap between two readings.
    const isAway = (atMs: number) =>
      atMs % HOUR_MS > 5 * MINUTE_MS && atMs % HOUR_MS < 35 * MINUTE_MS;
    const day = liveHistory((atMs) => (isAway(atMs) ? {} : { ...CLASSIC, pvInputPower: 1234.5 }));
    // Soon after midnight at the station, so that the day has few points yet.
    const time = '2026-08-23T21:40:00.000Z';
    const family: TaggedFields = {
      generationPower: [0.9, 'kW'],
      outputActivePower: [0.45, 'kW'],
      batteryCapacity: [50, '%'],
      mode: ['Battery Mode', ''],
      inverterTemperature: [255, '°C'],
      bmsCommunicationNormal: ['1', ''],
    };
    const house = await openHouse(
      {
        ...EVERYTHING,
        ...devicesAnswering({
          71: { series: day, record: { name: 'Roof\nSouth', dailyProducedQuantity: 12.5 } },
          72: {
            latest: latest(family, { time }),
            record: { name: 'Barn', model: '', isOnline: true },
          },
          73: {
            latest: latest({ workMode: ['17', ''], pv1Power: [5, 'W'], pv2Power: [null, 'W'] }),
            record: { name: LONG_NAME },
          },
          74: { record: { name: '', isOnline: false } },
        }),
        alarms: ({ body }) => {
          const alarm = { deviceId: '72', key: 'lineLoss', level: 2, disappearedAt: null };
          const asked = body['deviceId'] ?? body['deviceIds'];
          const all = [
            { ...alarm, deviceId: '73', key: LONG_NAME, level: 1 },
            alarm,
            { ...alarm, key: 'batteryLow', level: 3 },
          ].filter(({ deviceId }) => asked === undefined || String(asked).includes(deviceId));
          return { data: { total: all.length, list: all } };
        },
      },
      { env: ACCOUNT, now: '2026-08-23T21:46:00Z', flags: { 'collect.settings': 'true' } },
    );
    await house.scrape();
    await expectRecorded(await house.status(), 'full-station');
  });

  test('when the service fails and values have been withdrawn', async () => {
    const house = await openHouse({
      devices: deviceList({ id: 'silent', dailyProducedQuantity: 3 }, { id: 'gone', name: 'Gone' }),
    });
    await house.scrape();
    house.answers.readings = { status: 503 };
    house.answers.devices = deviceList({ id: 'silent' });
    await house.scrapeAfter(HOUR_MS + MINUTE_MS);
    house.answers.devices = { status: 503 };
    await house.scrapeAfter(16 * MINUTE_MS);
    await expectRecorded(await house.status(), 'stations-in-trouble');
  });

  test('when the service refuses everything from the start', async () => {
    const house = await openHouse({ stations: { status: 401 } });
    await house.scrape();
    await expectRecorded(await house.status(), 'nothing-known');
  });
});

/** Noon of the stations, days after they were installed: the simulator then has little energy to sum up. */
const NOW = '2024-01-02T04:02:20Z';

async function startPage({ now = NOW, ...setup }: Parameters<typeof startBoth>[0] = {}) {
  const both = await startBoth({ now, ...setup });
  const look = async () => {
    // The page does not wait for long; a scrape before it makes everything known, however long that takes.
    await both.scrape();
    const page = await (await fetch(both.url)).text();
    const [, notices = ''] = /<div id="notices"[^>]*>(.*?)<\/div>/s.exec(page) ?? [];
    const shown = (place: string): string | undefined =>
      new RegExp(`class="node ${place}[^>]*>[^]*?data-value="([^"]*)"`).exec(page)?.[1];
    const row = (deviceId: string): string =>
      page.split('<tr>').find((each) => each.includes(`<bdi>${deviceId}</bdi>`)) ?? '';
    return { page, notices: notices.replace(/<[^>]*>/g, ''), shown, row };
  };
  const lookAfter = (durationMs: number) => {
    both.clock.advance(durationMs);
    return look();
  };
  return Object.assign(both, { look, lookAfter });
}

describe('the status page', () => {
  test('says what /metrics says, in less than 50 KB with its files', async () => {
    const simulator = { family: 'hpvinv02', devicesPerStation: 2, parallel: true } as const;
    const { look, scrape, url } = await startPage({ now: '2026-03-14T04:02:20Z', simulator });
    const { shown, row, page } = await look();
    const metrics = await scrape();
    const power = (flow: string) => metrics.value('solar_station_power_watts', { flow });
    expect(Number(shown('sun'))).toBe(power('pv'));
    expect(Number(shown('house'))).toBe(power('load'));
    expect(Number(shown('battery'))).toBe(power('battery_charge'));
    for (const { labels } of metrics.all('solar_device_info')) {
      const device = { device_id: labels['device_id'] ?? '' };
      const cells = [...row(device.device_id).matchAll(/<data value="([^"]*)"/g)];
      expect(cells.map(([, value]) => Number(value))).toEqual([
        metrics.value('solar_pv_power_watts', device),
        metrics.value('solar_load_power_watts', device),
        metrics.value('solar_battery_soc_ratio', device),
        metrics.value('solar_battery_power_watts', device),
      ]);
    }
    const [generated = ''] = />PV<\/th>[^]*?<\/tr>/.exec(page) ?? [];
    expect([...generated.matchAll(/value="([^"]*)"/g)].map(([, kwh]) => Number(kwh))).toEqual(
      ['today', 'yesterday', 'month', 'year'].map((period) =>
        metrics.value(`solar_energy_${period}_kwh`, { flow: 'pv' }),
      ),
    );

    expect(page).toContain('class="curve sun"');
    const loaded = new Set(page.match(/(?<=(?:src|href)=")assets\/[^"]*/g));
    let bytes = Buffer.byteLength(page);
    const types = [];
    for (const path of loaded) {
      const file = await fetch(new URL(path, url));
      bytes += (await file.bytes()).length;
      const { 'content-type': type, ...headers } = Object.fromEntries(file.headers);
      types.push(type?.replace('; charset=utf-8', ''));
      const kept = { 'x-content-type-options': 'nosniff', 'cache-control': 'no-cache' };
      expect(headers).toMatchObject(kept);
    }
    expect(bytes).toBeLessThan(50_000);
    expect(types).toEqual(['text/css', 'text/javascript']);
  });

  test('says that the service is down, all once it is back, then the last', async () => {
    const { simulator, deviceId, clock, look, lookAfter } = await startPage();
    await simulator.stop();
    expect((await look()).notices).toMatch(/no station can be read.*SERVICE_UNREACHABLE/);
    await simulator.start();
    const back = await lookAfter(MINUTE_MS);
    expect(back.notices).toBe('');
    expect(back.page).toContain('<strong><bdi>all is well</bdi></strong>');
    const stationIds = [...back.page.matchAll(/id="station-(\d+)"/g)].map(([, id]) => id);
    expect(stationIds).toEqual(simulator.stationIds);
    expect(back.row(deviceId)).not.toContain('class="old"');
    simulator.setFault('*', { kind: 'reply', status: 500 });
    const failing = await lookAfter(9 * MINUTE_MS);
    expect(failing.page).toContain('badge warn"><bdi>cannot be refreshed: readings<');
    expect(failing.notices).toMatch(/SERVICE_SERVER_ERROR.*the service has a fault of its own/);
    expect(failing.shown('sun')).toBe(back.shown('sun'));
    expect(failing.row(deviceId)).toMatch(/class="old"><time[^>]*>1[0-4] min ago/);
    // The values go with their age; what stations are called, and where they are, stays.
    const away = await lookAfter(3 * HOUR_MS);
    expect(away.page).not.toContain('data-value');
    const headingsOf = (page: string) => page.match(/<h2>.*?<\/h2>|Asia\/\w+|Europe\/\w+/g);
    expect(headingsOf(away.page)).toEqual(headingsOf(back.page));
    simulator.setFault('*', undefined);
    simulator.setOffline(deviceId, clock.nowMs());
    const gone = await lookAfter(24 * MINUTE_MS);
    expect(gone.row(deviceId)).toMatch(/class="old"><time[^>]*>2\d min ago[^]*>silent</);
    // Never a zero.
    expect(gone.row(deviceId)).not.toContain('<data');
    expect(gone.page).toContain('0 of 1 devices reporting');
  });

  test('loads nothing from elsewhere, runs nothing inline, works below a path', async () => {
    const { ask } = await startServer({ readStatus: () => Promise.resolve(sampleStatus()) });
    const { status, headers, body } = await ask('/');
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy':
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
    });
    const page = String(body);
    expect(page).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=|javascript:/i);
    const addresses = [...page.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, address]) => address);
    expect(addresses.length).toBeGreaterThan(6);
    for (const address of addresses) expect(address).not.toMatch(/^(?:[a-z]+:|\/)/);
  });

  test('has the first 200 devices of a station, in 1,500 bytes each', () => {
    const pageOf = (count: number) =>
      renderDocument(sampleStatus({ stations: [stationOf(count)] }));
    const page = pageOf(MOST_DEVICES + 2);
    const [, caption, body = ''] =
      /<caption>(Devices[^<]*)<[^]*?<tbody>([^]*?)<\/tbody>/.exec(page) ?? [];
    expect(caption).toBe('Devices: the first 200 of 202, the JSON has all');
    expect(body.split('<tr>').length - 1).toBe(MOST_DEVICES);
    expect((page.length - pageOf(1).length) / (MOST_DEVICES - 1)).toBeLessThan(1500);
  });

  test('waits no longer than a person does, nor than a scrape may', async () => {
    const waitsMs: number[] = [];
    const readStatus = (waitMs: number) => {
      waitsMs.push(waitMs);
      return Promise.resolve(sampleStatus());
    };
    const patient = await startServer({ readStatus });
    await patient.ask('/');
    await patient.ask('/api/v1/status');
    const hasty = await startServer({ readStatus, scrapeTimeoutMs: SECOND_MS });
    await hasty.ask('/');
    expect(waitsMs).toEqual([3000, 3000, 1000]);
  });
});

/** A station of so many devices. */
function stationOf(count: number): StationPageStatus {
  const ids = Array.from({ length: count }, (_, index) => `10000000000000${index}`);
  return sampleStation({ devices: ids.map((deviceId) => sampleDevice({ deviceId })) });
}

test.each(['/', '/api/v1/status'] as const)('%s is made once of each status', async (path) => {
  let status = sampleStatus();
  const readStatus = () => Promise.resolve(status);
  const route = statusRoutes({ scrapeTimeoutMs: 9500, readStatus })[path];
  const look = async (query = '') =>
    (await route?.({ url: `${path}${query}`, headers: {} } as IncomingMessage))?.body;
  const first = await look();
  for (const query of ['', '?', '?x', '?x=1&y', '?target=none', '?account=roof'])
    expect(await look(query), query).toBe(first);
  const { stations } = status;
  const ofStation = await look(`?target=${stations[0]?.stationId ?? ''}`);
  expect(await look(`?x&target=${stations[0]?.stationId ?? ''}`)).toBe(ofStation);
  status = sampleStatus({ version: '2.0.0', stations: [stationOf(MOST_DEVICES + 1)] });
  expect(String(await look())).toContain('2.0.0');
  if (path !== '/') expect(String(await look())).toBe(JSON.stringify(status));
});
