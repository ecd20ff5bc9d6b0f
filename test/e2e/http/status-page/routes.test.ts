import { describe, expect, test } from 'vitest';
import { MINUTE_MS, startBoth } from '../../../doors/house.ts';
import { EMPTY_STATUS, startServer } from '../../../support/running-server.ts';
import {
  sampleDevice,
  sampleStation,
  sampleStatus,
} from '../../../http/status-page/sample-status.ts';

const CONTENT_SECURITY_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** What a browser loads for a page: every address in it, and every script that a script imports. */
async function loadAll(url: string): Promise<ReadonlyMap<string, string>> {
  const loaded = new Map<string, string>();
  const load = async (address: URL): Promise<void> => {
    if (loaded.has(address.pathname)) return;
    const response = await fetch(address);
    expect(response.status, address.pathname).toBe(200);
    const text = await response.text();
    loaded.set(address.pathname, text);
    const references = address.pathname.endsWith('.js')
      ? text.matchAll(/^\s*(?:import|export)\b[^;]*?'(\.[^']+)'/gm)
      : text.matchAll(/<(?:script|link|img)\b[^>]*(?:src|href)="([^"]+)"/g);
    for (const [, reference = ''] of references) await load(new URL(reference, address));
  };
  await load(new URL(url));
  return loaded;
}

describe('the status page', () => {
  test('is HTML that loads nothing from elsewhere, runs nothing inline and is kept by nobody', async () => {
    const { ask } = await startServer();
    const { status, headers } = await ask('/');
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': CONTENT_SECURITY_POLICY,
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
    });
  });

  test('has nothing inline that its own policy would refuse', async () => {
    const { ask } = await startServer({ readStatus: () => Promise.resolve(sampleStatus()) });
    const text = String((await ask('/')).body);
    expect(text).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=|javascript:/i);
    expect(text).not.toMatch(/(?:src|href)="(?:[a-z]+:)?\/\//i);
  });

  test('has its status as JSON beside it', async () => {
    const { ask } = await startServer();
    const { status, headers, body } = await ask('/api/v1/status');
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    });
    expect(JSON.parse(String(body))).toEqual(EMPTY_STATUS);
  });

  test.each([
    { path: '/assets/live.js', type: 'text/javascript; charset=utf-8' },
    { path: '/assets/style.css', type: 'text/css; charset=utf-8' },
    { path: '/assets/icon.svg', type: 'image/svg+xml; charset=utf-8' },
    { path: '/assets/icon-192.png', type: 'image/png' },
    { path: '/assets/icon-512.png', type: 'image/png' },
    { path: '/assets/app.webmanifest', type: 'application/manifest+json; charset=utf-8' },
  ])('serves $path as $type, asked for again each time', async ({ path, type }) => {
    const { ask } = await startServer();
    const { status, headers } = await ask(path);
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': type,
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-cache',
    });
  });

  test.each(['/', '/api/v1/status', '/assets/live.js'])(
    'answers HEAD of %s as GET without the body, and nothing else',
    async (path) => {
      const { ask } = await startServer();
      const got = await ask(path);
      const headOnly = await ask(path, { method: 'HEAD' });
      expect(headOnly.body).toHaveLength(0);
      expect(headOnly.headers['content-length']).toBe(String(got.body.length));
      expect(headOnly.status).toBe(200);
      expect((await ask(path, { method: 'POST' })).status).toBe(405);
    },
  );

  test.each([
    '/assets/',
    '/assets/document.ts',
    '/assets/../document.ts',
    '/assets/%2e%2e/reply.ts',
  ])('does not serve %s', async (path) => {
    const { ask } = await startServer();
    expect((await ask(path)).status).toBe(404);
  });

  test('waits for the service no longer than a person does, nor than a scrape may', async () => {
    const waitsMs: number[] = [];
    const readStatus = (waitMs: number) => {
      waitsMs.push(waitMs);
      return Promise.resolve(EMPTY_STATUS);
    };
    const patient = await startServer({ readStatus });
    await patient.ask('/');
    await patient.ask('/api/v1/status');
    const hasty = await startServer({ readStatus, scrapeTimeoutMs: 1000 });
    await hasty.ask('/');
    expect(waitsMs).toEqual([3000, 3000, 1000]);
  });

  test('is less than 50 KB with everything that it loads', async () => {
    const { url, clock } = await startBoth({
      now: '2026-03-14T04:02:20Z',
      simulator: { family: 'hpvinv02', devicesPerStation: 2 },
    });
    await loadAll(url);
    clock.advance(MINUTE_MS);
    const loaded = await loadAll(url);
    expect(loaded.has('/assets/live.js')).toBe(true);
    expect(loaded.has('/assets/style.css')).toBe(true);
    expect(loaded.get('/')).toContain('data-value=');
    expect(loaded.get('/')).toContain('class="curve sun"');
    const bytes = [...loaded]
      .filter(([path]) => !path.endsWith('.png'))
      .reduce((sum, [, text]) => sum + Buffer.byteLength(text), 0);
    expect(bytes).toBeLessThan(50_000);
  });

  test('grows by less than 1,500 bytes per device', async () => {
    const sizeOf = async (count: number): Promise<number> => {
      const devices = Array.from({ length: count }, (_, index) =>
        sampleDevice({ deviceId: `10000000000000${index}` }),
      );
      const status = sampleStatus({ stations: [sampleStation({ devices })] });
      const { ask } = await startServer({ readStatus: () => Promise.resolve(status) });
      return (await ask('/')).body.length;
    };
    expect(((await sizeOf(1001)) - (await sizeOf(1))) / 1000).toBeLessThan(1500);
  });
});
