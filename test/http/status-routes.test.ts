import type { IncomingMessage } from 'node:http';
import { describe, expect, test } from 'vitest';
import { renderDocument } from '../../src/http/status-page/document.ts';
import { statusRoutes } from '../../src/http/status-routes.ts';
import type { Status } from '../../src/status/status.ts';
import { sampleDevice, sampleStation, sampleStatus } from './status-page/sample-status.ts';

const PATHS = ['/', '/api/v1/status'];

/** Asks the routes for bodies; the status may be replaced. */
function routesOf(status: Status) {
  const now = { status };
  const routes = new Map(
    statusRoutes({ scrapeTimeoutMs: 9500, readStatus: () => Promise.resolve(now.status) }),
  );
  const bodyOf = async (path: string, encoding = 'identity') => {
    const request = { headers: { 'accept-encoding': encoding } } as unknown as IncomingMessage;
    return (await routes.get(path)?.(request))?.body;
  };
  return { now, bodyOf };
}

/** A station of so many devices. */
function stationOf(devices: number) {
  return sampleStation({
    devices: Array.from({ length: devices }, (_, index) => sampleDevice({ deviceId: `${index}` })),
  });
}

describe.each(PATHS)('%s', (path) => {
  test.each(['identity', 'gzip'])('is made once for all who ask (%s)', async (encoding) => {
    const { bodyOf } = routesOf(sampleStatus());
    const [first, ...others] = await Promise.all([1, 2, 3].map(() => bodyOf(path, encoding)));
    expect(first?.length).toBeGreaterThan(100);
    for (const other of [...others, await bodyOf(path, encoding)]) expect(other).toBe(first);
  });

  test('is of the newest status', async () => {
    const { now, bodyOf } = routesOf(sampleStatus({ version: '1.0.0' }));
    const first = bodyOf(path);
    now.status = sampleStatus({ version: '2.0.0' });
    const second = bodyOf(path);
    expect(String(await second)).toContain('2.0.0');
    await first;
    expect(String(await bodyOf(path))).toContain('2.0.0');
  });
});

describe('the status page of a thousand devices', () => {
  const status = sampleStatus({ stations: [stationOf(990), stationOf(10)] });

  test('is the one that is rendered at once', async () => {
    const { bodyOf } = routesOf(status);
    expect(String(await bodyOf('/'))).toBe(renderDocument(status));
  });

  test('lets others have their turn while it is made', async () => {
    const { bodyOf } = routesOf(status);
    let turns = 0;
    let isMade = false;
    const count = (): void => {
      turns += 1;
      if (!isMade) setImmediate(count);
    };
    setImmediate(count);
    await bodyOf('/');
    isMade = true;
    expect(turns).toBeGreaterThanOrEqual(1000 / 50);
  });
});
