import type { IncomingMessage } from 'node:http';
import { describe, expect, test } from 'vitest';
import { MOST_DEVICES } from '../../../src/http/status-page/device-view.ts';
import { renderDocument } from '../../../src/http/status-page/document.ts';
import { statusRoutes } from '../../../src/http/status-routes.ts';
import type { StationPageStatus } from '../../../src/status/status.ts';
import { startServer } from '../../support/running-server.ts';
import { sampleDevice, sampleStation, sampleStatus } from '../../support/sample-status.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS, startBoth } from '../house.ts';

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

describe('the status page says', () => {
  test('what /metrics says', async () => {
    const simulator = { family: 'hpvinv02', devicesPerStation: 2, parallel: true } as const;
    const { look, scrape } = await startPage({ now: '2026-03-14T04:02:20Z', simulator });
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
  });

  test('that a reading grows old, then that there is none, and never a zero', async () => {
    const { simulator, deviceId, clock, look, lookAfter } = await startPage();
    expect((await look()).row(deviceId)).not.toContain('class="old"');
    simulator.setOffline(deviceId, clock.nowMs());
    const old = await lookAfter(9 * MINUTE_MS);
    expect(old.row(deviceId)).toMatch(/class="old"><time[^>]*>1[0-4] min ago/);
    expect(old.shown('sun')).toBeDefined();
    const gone = await lookAfter(15 * MINUTE_MS);
    expect(gone.row(deviceId)).toMatch(/class="old"><time[^>]*>2\d min ago[^]*>silent</);
    expect(gone.row(deviceId)).not.toContain('<data');
    expect(gone.page).not.toContain('data-value');
    expect(gone.page).toContain('0 of 1 devices reporting');
  });

  test('that the service is down, everything once it is back, then the last', async () => {
    const { simulator, look, lookAfter } = await startPage({ simulator: { stations: 2 } });
    await simulator.stop();
    expect((await look()).notices).toMatch(/no station can be read.*SERVICE_UNREACHABLE/);
    await simulator.start();
    const back = await lookAfter(MINUTE_MS);
    expect(back.notices).toBe('');
    expect(back.page).toContain('<strong><bdi>all is well</bdi></strong>');
    const stationIds = [...back.page.matchAll(/id="station-(\d+)"/g)].map(([, id]) => id);
    expect(stationIds).toEqual(simulator.stationIds);
    simulator.setFault('*', { kind: 'reply', status: 500 });
    const failing = await lookAfter(6 * MINUTE_MS);
    expect(failing.page).toContain('badge warn"><bdi>cannot be refreshed: readings<');
    expect(failing.notices).toContain('the service has a fault of its own');
    expect(failing.page).toContain('SERVICE_SERVER_ERROR');
    expect(failing.shown('sun')).toBe(back.shown('sun'));
    // The values go with their age; what the stations are called, and where they are, stays.
    const away = (await lookAfter(3 * HOUR_MS)).page;
    expect(away).not.toContain('data-value');
    const headingsOf = (page: string) => page.match(/<h2>.*?<\/h2>|Asia\/\w+|Europe\/\w+/g);
    expect(headingsOf(away)).toEqual(headingsOf(back.page));
  });
});

describe('the status page', () => {
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

  test('is less than 50 KB with its files, and 1,500 bytes for a device more', async () => {
    const { url, lookAfter } = await startPage({ simulator: { family: 'hpvinv02' } });
    const { page } = await lookAfter(MINUTE_MS);
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
    const sizeOf = (count: number) =>
      renderDocument(sampleStatus({ stations: [stationOf(count)] })).length;
    expect((sizeOf(MOST_DEVICES) - sizeOf(1)) / (MOST_DEVICES - 1)).toBeLessThan(1500);
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
function stationOf(count: number, changes: Partial<StationPageStatus> = {}): StationPageStatus {
  const ids = Array.from({ length: count }, (_, index) => `10000000000000${index}`);
  return sampleStation({ devices: ids.map((deviceId) => sampleDevice({ deviceId })), ...changes });
}

test.each([
  [1, MOST_DEVICES, 'Devices', MOST_DEVICES],
  [1, MOST_DEVICES + 2, 'Devices: the first 200 of 202, the JSON has all', MOST_DEVICES],
])('of %i stations with %i devices, the page has "%s"', (stations, devices, caption, rows) => {
  const page = renderDocument(
    sampleStatus({ stations: Array.from({ length: stations }, () => stationOf(devices)) }),
  );
  const [, found, body = ''] =
    /<caption>(Devices[^<]*)<[^]*?<tbody>([^]*?)<\/tbody>/.exec(page) ?? [];
  expect(found).toBe(caption);
  expect(body.split('<tr>').length - 1).toBe(rows);
  expect(page.length).toBeLessThan(400_000);
});

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
