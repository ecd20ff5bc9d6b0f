import type { IncomingMessage } from 'node:http';
import { describe, expect, test } from 'vitest';
import { renderDocument } from '../../src/http/status-page/document.ts';
import { statusRoutes } from '../../src/http/status-routes.ts';
import type { StationPageStatus, Status } from '../../src/status/status.ts';
import { turnsDuring } from '../support/turns-during.ts';
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
function stationOf(devices: number, changes: Partial<StationPageStatus> = {}) {
  return sampleStation({
    ...changes,
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

const AT_ONCE = [
  { path: '/', atOnce: (status: Status) => renderDocument(status) },
  { path: '/api/v1/status', atOnce: (status: Status) => JSON.stringify(status) },
];

describe.each(AT_ONCE)('$path', ({ path, atOnce }) => {
  const known = sampleStatus();
  const hostile = '<!--later-->"stations":[]</tbody> ☀';

  test.each<{ what: string; status: Status }>([
    { what: 'nothing', status: { ...known, stations: [], account: [], requests: [] } },
    { what: 'a station without devices', status: { ...known, stations: [stationOf(0)] } },
    { what: 'a thousand devices', status: { ...known, stations: [stationOf(990), stationOf(10)] } },
    {
      what: 'texts that look like a page',
      status: {
        ...known,
        stations: [
          stationOf(1, { stationId: hostile, name: hostile, timeZone: hostile }),
          sampleStation({ devices: [sampleDevice({ deviceId: hostile, name: hostile })] }),
        ],
      },
    },
    {
      what: 'several accounts',
      status: {
        ...known,
        accounts: [
          { account: 'a', isSimulated: false, session: known.session, collectors: known.account },
          { account: 'b', isSimulated: false, session: known.session, collectors: [] },
        ],
        stations: [sampleStation({ account: 'a' }), sampleStation({ account: 'b' })],
      },
    },
  ])('is the same as if it were made at once, of $what', async ({ status }) => {
    expect(String(await routesOf(status).bodyOf(path))).toBe(atOnce(status));
  });

  test('lets others have their turn while it is made of many devices in one station', async () => {
    const { bodyOf } = routesOf({ ...known, stations: [stationOf(1000)] });
    expect(await turnsDuring(() => bodyOf(path))).toBeGreaterThanOrEqual(15);
  });

  test('lets others have their turn while it is made of many stations', async () => {
    const stations = Array.from({ length: 300 }, () => sampleStation());
    const { bodyOf } = routesOf({ ...known, stations });
    expect(await turnsDuring(() => bodyOf(path))).toBeGreaterThanOrEqual(15);
  });
});
