import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { parseConfig } from '../../src/config/config.ts';
import { startExporter } from '../../src/exporter/exporter.ts';
import { scrapePage, SteeredClock } from '../support/running-exporter.ts';
import { SERVICE_PATHS } from '../support/service-paths.ts';
import { SilentLog } from '../support/silent-log.ts';

export const NOW = '2026-08-24T08:00:00Z';
/** The newest reading, four minutes before now. */
export const MEASURED_AT = '2026-08-24T07:56:00.000Z';

/** The interface's keys, all of them, with a value each. */
export const CLASSIC = {
  pvInputPower: 1200,
  acOutputActivePower: 0.85,
  batteryDischargeCurrent: 0,
  batteryChargingCurrent: 5,
  batteryVoltage: 52,
  feedInPower: 0,
  batterySOC: 93,
};

/** One request as it arrived. */
export interface PortalRequest {
  readonly endpoint: keyof typeof SERVICE_PATHS;
  readonly method: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: Readonly<Record<string, unknown>>;
}

/** `data` of a success envelope, an envelope of its own, or raw JSON text. */
export type PortalAnswer =
  | { readonly data: unknown }
  | { readonly envelope: object }
  | { readonly text: string }
  | { readonly status: number };

type Script = Partial<
  Record<keyof typeof SERVICE_PATHS, PortalAnswer | ((request: PortalRequest) => PortalAnswer)>
>;

const DEVICE = {
  id: '100000000000000001',
  name: 'Garage inverter',
  serialNumber: 'SN0001',
  model: 'M1',
  stationTimezone: 'Europe/Kyiv',
  isOnline: true,
  lastDataAt: MEASURED_AT,
};

/** A device record with these fields of its own. */
export function deviceList(...records: readonly object[]): PortalAnswer {
  const list = records.map((record) => ({ ...DEVICE, ...record }));
  return { data: { page: 1, count: 50, total: list.length, list } };
}

/** A time series of one frame, or of several, newest last. */
export function history(
  fields: Readonly<Record<string, unknown>>,
  timeSeries: readonly string[] = [MEASURED_AT],
): PortalAnswer {
  const arrays = Object.entries(fields).map(([key, value]) => [
    key,
    Array.isArray(value) ? (value as unknown[]) : [value],
  ]);
  return {
    data: { payload: { timeSeries, fields: Object.fromEntries(arrays) as object, formatters: {} } },
  };
}

/** A latest state of keys with value and unit. */
export function latest(
  fields: Readonly<Record<string, readonly [value: unknown, unit: string]>>,
  more: object = {},
): PortalAnswer {
  return { data: { time: MEASURED_AT, fields: tagged(fields), firingAlarms: [], ...more } };
}

/** An energy flow whose nodes show these keys. */
export function flow(
  fields: Readonly<Record<string, readonly [value: unknown, unit: string]>>,
): PortalAnswer {
  const [first, ...others] = Object.values<unknown>(tagged(fields));
  return {
    data: {
      deviceAttributeState: { time: MEASURED_AT, fields: {} },
      pvPanelFlow: { key: 'any', value: first, extraValues: others },
      gridFlow: { value: null },
      generatorFlow: null,
    },
  };
}

function tagged(
  fields: Readonly<Record<string, readonly [unknown, string]>>,
): Readonly<Record<string, unknown>> {
  const entries = Object.entries(fields).map(([key, [value, unit]]) => [
    key,
    { key, value, unit, valueDisplay: 'localised text' },
  ]);
  return Object.fromEntries(entries) as Readonly<Record<string, unknown>>;
}

const USUAL: Script = {
  stations: { data: { total: 1, list: [{ id: '100000000000000003', name: 'Home' }] } },
  devices: deviceList({}),
  summary: { data: { properties: [] } },
  alarms: { data: { list: [] } },
};

interface PortalSetup {
  readonly flags?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly now?: string;
}

/** An exporter, with an access token of its own, before a portal that answers as the script says. */
export async function scrapePortal(script: Script, setup: PortalSetup = {}) {
  const { url, ...portal } = await startPortal(script, setup);
  return { page: await scrapePage(url), ...portal };
}

/** Starts such an exporter, which nobody has scraped yet. */
export async function startPortal(
  script: Script,
  { flags = {}, env = {}, now = NOW }: PortalSetup = {},
) {
  const clock = new SteeredClock(now);
  const requests: PortalRequest[] = [];
  const endpoints = new Map(
    Object.entries(SERVICE_PATHS).map(([endpoint, path]) => [path, endpoint]),
  );
  const answers = { ...USUAL, ...script };
  const server = createServer((incoming, response) => {
    void text(incoming).then((body) => {
      const url = new URL(incoming.url ?? '', 'http://portal');
      const endpoint = endpoints.get(url.pathname) as PortalRequest['endpoint'];
      const request: PortalRequest = {
        endpoint,
        method: incoming.method ?? '',
        query: url.searchParams,
        headers: incoming.headers,
        body: (body === '' ? {} : JSON.parse(body)) as PortalRequest['body'],
      };
      requests.push(request);
      const scripted = answers[endpoint];
      const answer = typeof scripted === 'function' ? scripted(request) : scripted;
      response.setHeader('date', new Date(clock.nowMs()).toUTCString());
      if (answer === undefined || 'status' in answer)
        response.writeHead(answer?.status ?? 404).end();
      else response.end(textOf(answer));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const portalUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { config } = await parseConfig({
    flags: { 'base-url': portalUrl, 'web.listen-address': '127.0.0.1:0', ...flags },
    env: { SOLAR_ACCESS_TOKEN: 'made-up-token', ...env },
    readFile: () => '',
  });
  const log = new SilentLog();
  const exporter = await startExporter(config, {
    runtime: { clock, random: () => 0.5, newNonce: () => '0'.repeat(32) },
    build: { version: '1.2.3', revision: 'test', nodeVersion: '20.0.0' },
    log,
    readFile: () => '',
  });
  onTestFinished(() => exporter.stop());
  const scrapeAfter = (durationMs: number) => {
    clock.advance(durationMs);
    return scrapePage(exporter.url);
  };
  return {
    url: exporter.url,
    portalUrl,
    scrapeAfter,
    requests,
    log,
    asked: (endpoint: PortalRequest['endpoint']) =>
      requests.filter((request) => request.endpoint === endpoint),
  };
}

function textOf(answer: Exclude<PortalAnswer, { status: number }>): string {
  if ('text' in answer) return answer.text;
  if ('envelope' in answer) return JSON.stringify(answer.envelope);
  return JSON.stringify({ code: 0, message: 'Success', data: answer.data });
}
