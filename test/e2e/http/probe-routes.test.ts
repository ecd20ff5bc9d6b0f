import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { ProbeRefusal } from '../../../src/metrics/account-probers.ts';
import { Page } from '../../../src/metrics/render.ts';
import { PAGE_TEXT, startServer } from '../../support/running-server.ts';

const REFUSALS: ReadonlyMap<string, ProbeRefusal> = new Map([
  ['8', 'unknown station'],
  ['9', 'unknown yet'],
  ['10', 'several accounts'],
  ['11', 'unknown account'],
]);

/** Starts a server of one station, which records the probes and their waits. */
async function startOneStation() {
  const probes: [string, string | undefined, number][] = [];
  const waitsMs: number[] = [];
  const { ask } = await startServer({
    listStations: (waitMs) => {
      waitsMs.push(waitMs);
      const station = { stationId: '7', name: 'Home', timeZone: 'Asia/Tokyo' };
      return Promise.resolve([{ station, account: undefined }]);
    },
    probe: (stationId, account, waitMs) => {
      probes.push([stationId, account, waitMs]);
      return Promise.resolve(REFUSALS.get(stationId) ?? new Page(PAGE_TEXT));
    },
  });
  return { ask, probes, waitsMs };
}

describe('a probe', () => {
  test('is answered as the metrics are', async () => {
    const { ask } = await startOneStation();
    const { status, headers, body } = await ask('/probe?target=7');
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(headers['vary']).toBe('accept-encoding');
    expect(headers).not.toHaveProperty('content-encoding');
    expect(String(body)).toBe(PAGE_TEXT);
  });

  test('is compressed for clients that accept it', async () => {
    const { ask } = await startOneStation();
    const { headers, body } = await ask('/probe?target=7', {
      headers: { 'accept-encoding': 'gzip' },
    });
    expect(headers['content-encoding']).toBe('gzip');
    expect(headers['content-length']).toBe(String(body.length));
    expect(String(gunzipSync(body))).toBe(PAGE_TEXT);
  });

  test.each([
    { header: undefined, expectedMs: 9500 },
    { header: '5', expectedMs: 4500 },
  ])('waits for $expectedMs ms when Prometheus says $header', async ({ header, expectedMs }) => {
    const { ask, probes } = await startOneStation();
    const headers = header === undefined ? {} : { 'X-Prometheus-Scrape-Timeout-Seconds': header };
    await ask('/probe?target=7', { headers });
    expect(probes).toEqual([['7', undefined, expectedMs]]);
  });

  test('passes the station id on as it was meant', async () => {
    const { ask, probes } = await startOneStation();
    await ask('/probe?target=a%2Fb%20%26%C3%A4&other=1');
    expect(probes.map(([stationId]) => stationId)).toEqual(['a/b &ä']);
  });

  test.each(['/probe', '/probe?target=', '/probe?target=1&target=2', '/probe?Target=7'])(
    'of no station in particular is a mistake: %s',
    async (path) => {
      const { ask, probes } = await startOneStation();
      expect((await ask(path)).status).toBe(400);
      expect(probes).toEqual([]);
    },
  );

  test('distinguishes an unknown station from stations that are not known yet', async () => {
    const { ask } = await startOneStation();
    expect((await ask('/probe?target=8')).status).toBe(404);
    expect((await ask('/probe?target=9')).status).toBe(503);
  });

  test('names an account, which may be empty', async () => {
    const { ask, probes } = await startOneStation();
    await ask('/probe?target=7&account=roof');
    await ask('/probe?target=7&account=');
    expect(probes.map(([, account]) => account)).toEqual(['roof', undefined]);
    expect((await ask('/probe?target=7&account=a&account=b')).status).toBe(400);
  });

  test('says which account is missing or wrong', async () => {
    const { ask } = await startOneStation();
    const several = await ask('/probe?target=10');
    expect(several.status).toBe(400);
    expect(String(several.body)).toContain('/probe?target=…&account=…');
    const unknown = await ask('/probe?target=11&account=roof');
    expect(unknown.status).toBe(404);
    expect(String(unknown.body)).toContain('no account of this exporter has that name');
  });
});

describe('the service discovery', () => {
  test('lists the stations as Prometheus wants targets listed', async () => {
    const { ask, waitsMs } = await startOneStation();
    const { status, headers, body } = await ask('/sd');
    expect(status).toBe(200);
    // Prometheus refuses any other type.
    expect(headers['content-type']).toMatch(/^application\/json(;|$)/);
    expect(JSON.parse(String(body))).toEqual([
      {
        targets: ['7'],
        labels: {
          __meta_solar_station_name: 'Home',
          __meta_solar_station_time_zone: 'Asia/Tokyo',
          __meta_solar_account: '',
        },
      },
    ]);
    expect(waitsMs).toEqual([9500]);
  });

  test('fails while the stations are not known, so that Prometheus keeps the targets it has', async () => {
    const { ask } = await startServer({ listStations: () => Promise.resolve(undefined) });
    expect((await ask('/sd')).status).toBe(503);
  });
});
