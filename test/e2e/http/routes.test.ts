import { gunzipSync } from 'node:zlib';
import { describe, expect, test, vi } from 'vitest';
import { Page } from '../../../src/metrics/render.ts';
import { PAGE_TEXT, startServer } from '../../support/running-server.ts';

describe('the metrics', () => {
  test('are text that Prometheus 2 and 3 read', async () => {
    const { ask } = await startServer();
    const { status, headers, body } = await ask('/metrics');
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(headers['content-length']).toBe(String(PAGE_TEXT.length));
    expect(headers['vary']).toBe('accept-encoding');
    expect(headers).not.toHaveProperty('content-encoding');
    expect(body.toString('utf8')).toBe(PAGE_TEXT);
  });

  test('are compressed for clients that accept it, once for all of them', async () => {
    const page = new Page(PAGE_TEXT.repeat(100));
    const { ask } = await startServer({ scrape: () => Promise.resolve(page) });
    const { headers, body } = await ask('/metrics', { headers: { 'accept-encoding': 'gzip' } });
    expect(headers['content-encoding']).toBe('gzip');
    expect(headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(headers['content-length']).toBe(String(body.length));
    expect(body).toEqual(await page.gzipped());
    expect(gunzipSync(body)).toEqual(page.body);
  });

  test.each([
    { header: undefined, expectedMs: 9500 },
    { header: '5', expectedMs: 4500 },
    { header: 'soon', expectedMs: 9500 },
  ])('wait for $expectedMs ms when Prometheus says $header', async ({ header, expectedMs }) => {
    const { ask, waitsMs } = await startServer();
    const headers = header === undefined ? {} : { 'X-Prometheus-Scrape-Timeout-Seconds': header };
    await ask('/metrics', { headers });
    expect(waitsMs).toEqual([expectedMs]);
  });

  test('are answered at once from a page at hand, without a scrape', async () => {
    const page = new Page('solar_up 0\n');
    const { ask, waitsMs } = await startServer({ current: () => page });
    expect(String((await ask('/metrics')).body)).toBe('solar_up 0\n');
    const compressed = await ask('/metrics', { headers: { 'accept-encoding': 'gzip' } });
    expect(String(gunzipSync(compressed.body))).toBe('solar_up 0\n');
    expect(waitsMs).toEqual([]);
  });

  test('are found under the path that is configured, and there alone', async () => {
    const { ask } = await startServer({ telemetryPath: '/solar/metrics' });
    expect((await ask('/solar/metrics')).body.toString('utf8')).toBe(PAGE_TEXT);
    expect((await ask('/metrics')).status).toBe(404);
    expect((await ask('/')).body.toString('utf8')).toContain('href="./solar/metrics"');
  });

  test('take the place of the status page when configured there', async () => {
    const { ask } = await startServer({ telemetryPath: '/' });
    expect((await ask('/')).body.toString('utf8')).toBe(PAGE_TEXT);
  });

  test.each(['/probe', '/sd', '/api/v1/status', '/-/healthy', '/assets/live.js'])(
    'cannot be where the exporter answers something else: %s',
    async (telemetryPath) => {
      await expect(startServer({ telemetryPath })).rejects.toThrow(
        `--web.telemetry-path: "${telemetryPath}" is a path that the exporter needs itself; accepted: any other`,
      );
    },
  );
});

describe('the other paths', () => {
  test.each([
    { path: '/-/healthy', text: 'Healthy.' },
    { path: '/-/ready', text: 'Ready.' },
  ])('$path answers without asking the service', async ({ path, text }) => {
    const asked = vi.fn(() => Promise.reject(new Error('not to be asked')));
    const { ask } = await startServer({ scrape: asked, readStatus: asked });
    const { status, headers, body } = await ask(path);
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('text/plain; charset=utf-8');
    expect(body.toString('utf8')).toContain(text);
    expect(asked).not.toHaveBeenCalled();
  });
});
