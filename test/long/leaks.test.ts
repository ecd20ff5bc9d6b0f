import { describe, expect, onTestFinished, test } from 'vitest';
import { once } from 'node:events';
import { connect } from 'node:net';
import type { Endpoint } from '../../src/simulator/simulator.ts';
import { createSimulator, type Fault, type Simulator } from '../support/faulty-simulator.ts';
import { liveHeapBytes, watchProcess } from '../support/process-watch.ts';
import { eventually } from '../support/eventually.ts';
import { ENDPOINT_PLANS, FAULTS as ALL_FAULTS } from '../support/faults.ts';
import { DAY_MS, HOUR_MS, startExporterFor, startService, SteeredClock } from '../doors/house.ts';

/** Days after the simulated plants were installed, so that there is little energy to sum up at each start. */
const NOW = '2024-01-02T04:00:00Z';
/** Silence is waited for in earnest: not long, as there is a lot of it. */
const PATIENCE = { 'request.timeout': '1s', 'scrape.timeout': '500ms' };
/** Physical time all but stands still: the simulated house keeps what it did in every minute. */
const AT_REST = { speed: 1e-9 };

/** One fault of each kind and outcome, in turn. */
const FAULTS: readonly Fault[] = [
  ...new Map(ALL_FAULTS.map(({ fault, code }) => [`${fault.kind} ${code}`, fault])).values(),
  { kind: 'altered', alter: (body) => body.replaceAll(':', ',') },
];

/** What a scrape asks when it is logged in already. */
const DATA_ENDPOINTS: readonly Endpoint[] = [
  ...ENDPOINT_PLANS.map(({ endpoint }) => endpoint).filter((it) => !/login|refresh/.test(it)),
  'attributes',
];

const PLACES: readonly (readonly Endpoint[])[] = [DATA_ENDPOINTS, ['readings'], ['refresh']];
/** Every fault in every place, three times: before the last, the interpreter has learnt what it learns of the code. */
const TURNS = PLACES.length * FAULTS.length;
const ROUNDS = 3 * TURNS;
const SCRAPES_PER_FAULT = 3;
const SCRAPES_AFTER_FAULT = 5;
const INTERVAL_MS = DAY_MS / (ROUNDS * (SCRAPES_PER_FAULT + SCRAPES_AFTER_FAULT));

/** Those of `--request.concurrency`, and one for log-ins. */
const MOST_CONNECTIONS = 9;
/**
 * An answer, an error or a deadline that is kept by mistake is a kilobyte or more for each request. What
 * the interpreter still learns about the code is some 40 bytes.
 */
const MOST_BYTES_PER_REQUEST = 150;
/**
 * What was learnt and counted of a device is kept when the device has left, so that it goes on when it comes back: some
 * 6,500 bytes, or seven megabytes for a thousand replaced inverters.
 */
const MOST_BYTES_PER_DEPARTED_DEVICE = 7500;

const STATIONS = 2;
const DEVICES_PER_STATION = 3;
const REPLACEMENTS = 12;
const REPLACED_DEVICES = 12;

function portOf(url: string): number {
  return Number(new URL(url).port);
}

describe('a day of scrapes under every kind of fault', () => {
  test('leaves no memory, socket, timer or file descriptor behind', async () => {
    const watch = watchProcess();
    const serviceClock = new SteeredClock(NOW);
    const exporterClock = new SteeredClock(NOW);
    const size = { stations: STATIONS, devicesPerStation: DEVICES_PER_STATION };
    const { simulator, serviceUrl, stationId } = await startService(
      { ...size, ...AT_REST, tokenLifetimeMs: HOUR_MS },
      serviceClock,
    );
    const { log, url, scrape } = await startExporterFor(simulator, serviceUrl, exporterClock, {
      flags: PATIENCE,
    });
    let visits = 0;
    const keepScraping = async (scrapes: number): Promise<void> => {
      for (let turn = 0; turn < scrapes; turn += 1) {
        expect((await scrape()).status).toBe(200);
        await visit(url, (visits += 1));
        serviceClock.advance(INTERVAL_MS);
        exporterClock.advance(INTERVAL_MS);
      }
    };
    const changes: readonly (() => void)[] = [
      () => simulator.setDeviceCount(stationId, DEVICES_PER_STATION + 2),
      () => exporterClock.advance(2 * HOUR_MS),
      () => simulator.setStations(STATIONS + 1),
      () => simulator.revokeRefreshTokens(),
      () => simulator.setDeviceCount(stationId, 1),
      () => exporterClock.misset(-2 * HOUR_MS),
      () => simulator.setStations(1),
    ];
    const points: Point[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const places = PLACES[Math.floor((round % TURNS) / FAULTS.length)] ?? [];
      for (const place of places) simulator.setFault(place, FAULTS[round % FAULTS.length]);
      simulator.revokeTokens();
      changes[round % changes.length]?.();
      await keepScraping(SCRAPES_PER_FAULT);
      for (const place of places) simulator.setFault(place, undefined);
      simulator.setStations(STATIONS);
      simulator.setDeviceCount(stationId, DEVICES_PER_STATION);
      await keepScraping(SCRAPES_AFTER_FAULT);
      // The log of the test remembers every line.
      log.lines.length = 0;
      if (round >= ROUNDS / 2) points.push({ x: simulator.requests(), y: await liveHeapBytes() });
    }
    // So little patience is too little for a busy machine now and then; what failed is tried again.
    await eventually(async () => {
      serviceClock.advance(HOUR_MS);
      exporterClock.advance(HOUR_MS);
      expect((await scrape()).all('solar_pv_power_watts')).toHaveLength(
        STATIONS * DEVICES_PER_STATION,
      );
    });
    expect(typicalSlope(points)).toBeLessThan(MOST_BYTES_PER_REQUEST);

    let requests = 0;
    await eventually(async () => {
      const before = requests;
      requests = simulator.requests();
      expect(requests).toBe(before);
      // One is that of the scrapes, which ends when it is idle for seconds; no visitor is left.
      if (watch.socketsAt(portOf(url), 'client') === 0) await scrape();
      for (const end of ['client', 'server'] as const)
        expect(watch.socketsAt(portOf(url), end)).toBe(1);
      // At most one for each end of a connection, and a few of the pool and of this very waiting: the
      // patience with every answered request has run out.
      const { timers, sockets } = watch.held();
      expect(timers).toBeLessThanOrEqual(sockets + MOST_CONNECTIONS);
    });
    const { sockets, fileDescriptors, active } = watch.held();
    // Both ends of each are in this process.
    expect(sockets).toBeLessThanOrEqual(2 * (MOST_CONNECTIONS + 1));
    // The two servers listen.
    expect(fileDescriptors).toBeLessThanOrEqual(sockets + 2);
    expect([...active.keys()].sort()).toEqual(['TCPServerWrap', 'TCPSocketWrap']);
    expect(active.get('TCPServerWrap')).toBe(2);
    expect(active.get('TCPSocketWrap')).toBeLessThanOrEqual(sockets);
  });
});

describe('devices that are replaced by others, day after day', () => {
  test('leave next to nothing behind', async () => {
    const clock = new SteeredClock(NOW);
    const size = { stations: 1, devicesPerStation: REPLACED_DEVICES, family: 'uwb1' } as const;
    // Of each seed, all ids are others.
    const nextAccount = (seed: number, port: number): Simulator =>
      createSimulator({ seed, port, ...size, ...AT_REST }, clock);
    let simulator = nextAccount(0, 0);
    const serviceUrl = await simulator.start();
    onTestFinished(() => simulator.stop());
    const { log, scrapeAfter } = await startExporterFor(simulator, serviceUrl, clock);
    const points: Point[] = [];
    for (let replaced = 0; replaced < REPLACEMENTS; replaced += 1) {
      await scrapeAfter(DAY_MS);
      // A station that has left the list is let go after an hour.
      const page = await scrapeAfter(HOUR_MS);
      const [stationId = ''] = simulator.stationIds;
      const shown = page.all('solar_pv_power_watts').map(({ labels }) => labels['device_id']);
      expect(shown).toEqual(simulator.deviceIds(stationId));
      log.lines.length = 0;
      points.push({ x: replaced * REPLACED_DEVICES, y: await liveHeapBytes() });
      await simulator.stop();
      simulator = nextAccount(replaced + 1, portOf(serviceUrl));
      await simulator.start();
    }
    // The later half, where everything that is loaded once has been.
    const later = points.slice(points.length / 2);
    expect(typicalSlope(later)).toBeLessThan(MOST_BYTES_PER_DEPARTED_DEVICE);
  });
});

/** What a visitor says before it leaves at once, gone before any answer can be sent. */
const LEFT = ['', 'GET /metrics HTTP/1.1\r\nHo', request('/metrics'), request('/')];
/** What a visitor says that is then sent away. */
const ANSWERED = [
  request('/metrics', 'Accept-Encoding: gzip\r\n'),
  ...['/', '/api/v1/status', '/sd', '/probe?target=nobody', '/-/healthy'].map((path) =>
    request(path),
  ),
  'nonsense\r\n\r\n',
];

/** Lets the next visitor come to the exporter, and resolves when that one has gone. */
async function visit(url: string, turn: number): Promise<void> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  // Whoever leaves early may be told so.
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  const index = turn % (LEFT.length + ANSWERED.length);
  const left = LEFT[index];
  if (left !== undefined) {
    await new Promise((resolve) => socket.write(left, resolve));
    socket.destroy();
    return;
  }
  const closed = once(socket, 'close');
  socket.resume().write(ANSWERED[index - LEFT.length] ?? '');
  await closed;
}

function request(path: string, headers = ''): string {
  return `GET ${path} HTTP/1.1\r\nHost: exporter\r\nConnection: close\r\n${headers}\r\n`;
}

/** A value at an instant. */
interface Point {
  readonly x: number;
  readonly y: number;
}

/**
 * The slope of the middle one of the steps from point to point: a heap that is given back in one leap
 * hides nothing that grows all the time.
 */
function typicalSlope(points: readonly Point[]): number {
  const slopes = points.slice(1).map(({ x, y }, index) => {
    const { x: previousX, y: previousY } = points[index] ?? { x: NaN, y: NaN };
    return (y - previousY) / (x - previousX);
  });
  return slopes.toSorted((one, other) => one - other)[Math.floor(slopes.length / 2)] ?? NaN;
}
