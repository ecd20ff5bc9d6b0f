import { execFile } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { ENDPOINTS } from '../../src/client/endpoints.ts';
import type { Observed } from './programs/calm-client.ts';
import { benchProgram, startCli } from './processes.ts';
import { atMost, judged, quantile, type Result } from './result.ts';

const run = promisify(execFile);
const OBSERVED_MS = 8000;
const HEALTH_LIMIT = atMost(200);
const PAGE_LIMIT = atMost(64);

interface Asked {
  readonly page?: number;
  readonly stationId?: string;
  readonly deviceId?: string;
}

/** What a service lists without end, by the path of the endpoint; everything else is as of one small house. */
type Endless = Readonly<Partial<Record<keyof typeof ENDPOINTS, (asked: Asked) => unknown>>>;

const many = <T>(count: number, entry: (index: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, index) => entry(index));

const HOUSE: Endless = {
  stations: () => ({ total: 1, list: [{ id: 'house', name: 'Home', timezone: 'UTC' }] }),
  devices: ({ stationId = '' }) => ({ total: 1, list: [{ id: `${stationId}-1`, stationId }] }),
  readings: () => ({
    payload: { timeSeries: [new Date().toISOString()], fields: READINGS, formatters: {} },
  }),
  attributes: () => [],
  summary: () => ({ properties: [] }),
  alarms: () => ({ list: [] }),
};
const READINGS = {
  pvInputPower: [1200],
  acOutputActivePower: [0.85],
  batteryDischargeCurrent: [0],
  batteryChargingCurrent: [5],
  batteryVoltage: [52],
  feedInPower: [0],
  batterySOC: [93],
};

const ATTACKS: Readonly<Record<string, Endless>> = {
  stations: {
    stations: ({ page = 1 }) => ({ list: many(20_000, (at) => ({ id: `${page}-${at}` })) }),
  },
  devices: {
    devices: ({ page = 1, stationId }) => ({
      list: many(20_000, (at) => ({ id: `${page}-${at}`, stationId })),
    }),
  },
  'alarms and settings': {
    devices: ({ stationId }) => ({
      total: 50,
      list: many(50, (at) => ({ id: `d${at}`, stationId })),
    }),
    alarms: ({ page = 1 }) => ({
      list: many(20_000, (at) => ({
        key: `${page}-${at}`.padEnd(300, 'x'),
        deviceId: `d${at % 50}`,
      })),
    }),
    settingsGet: () =>
      Object.fromEntries(many(45_000, (at) => [`setting${at}`.padEnd(100, 'x'), at])),
  },
};

/** How the exporter bears a service that lists without end: its page, its memory, and `/-/healthy`. */
export async function counts(): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (const [what, endless] of Object.entries(ATTACKS))
    results.push(...(await measure(what, { ...HOUSE, ...endless })));
  return results;
}

async function measure(what: string, service: Endless): Promise<readonly Result[]> {
  const server = await startService(service);
  const exporter = await startCli(
    ['serve', '--web.listen-address=127.0.0.1:0', '--collect.settings=true'],
    {
      SOLAR_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      SOLAR_ACCESS_TOKEN: 'made-up',
    },
  );
  const before = exporter.rssMebibytes();
  const { stdout } = await run(
    process.execPath,
    [benchProgram('calm-client'), exporter.url, String(OBSERVED_MS)],
    {
      maxBuffer: 64_000_000,
    },
  );
  const page = await (await fetch(new URL('/metrics', exporter.url))).arrayBuffer();
  const after = exporter.rssMebibytes();
  // The exporter waits for what it has asked, and the service would go on to answer.
  server.close();
  server.closeAllConnections();
  await exporter.stop();
  const { health, scrapes } = JSON.parse(stdout) as Observed;
  const times = health.map(({ latencyMs }) => latencyMs);
  const isAnswered = health.every(({ status }) => status === 200);
  const detail = [
    `max ${quantile(times, 1).toFixed(0)} ms of ${health.length}`,
    `${scrapes.filter(({ status }) => status !== 200).length} of ${scrapes.length} scrapes failed`,
    `${before.toFixed(0)} MiB before, ${after.toFixed(0)} MiB after`,
  ].join('; ');
  return [
    judged(
      {
        name: `/-/healthy while the service lists ${what} without end, p99`,
        value: quantile(times, 0.99),
        unit: 'ms',
        detail,
      },
      HEALTH_LIMIT,
      { text: 'all answered', isTrue: isAnswered },
    ),
    judged(
      {
        name: `page of a service that lists ${what} without end`,
        value: page.byteLength / 1e6,
        unit: 'MB',
        detail: `${Buffer.from(page).toString().split('\n').length} lines`,
      },
      PAGE_LIMIT,
    ),
  ];
}

/** Answers as scripted; an answer is made once for each question. */
async function startService(service: Endless): Promise<Server> {
  const known = new Map<string, string>();
  const names = new Map<string, keyof Endless>(
    Object.entries(ENDPOINTS).map(([name, endpoint]) => [endpoint.path, name as keyof Endless]),
  );
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const url = new URL(request.url ?? '', 'http://service');
      const name = names.get(url.pathname);
      const script = name === undefined ? undefined : service[name];
      if (script === undefined) {
        response.writeHead(404).end();
        return;
      }
      const asked = {
        ...Object.fromEntries(url.searchParams),
        ...(JSON.parse(body || '{}') as Asked),
      };
      const key = `${url.pathname} ${asked.page ?? ''} ${asked.stationId ?? ''}`;
      let answer = known.get(key);
      if (answer === undefined) {
        answer = JSON.stringify({ code: 0, data: script(asked) });
        if (known.size < 100) known.set(key, answer);
      }
      response.end(answer);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}
