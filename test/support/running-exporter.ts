import { randomBytes } from 'node:crypto';
import { Agent, get } from 'node:http';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { type Clock, systemClock } from '../../src/base/clock.ts';
import { parseConfig } from '../../src/config/config.ts';
import { startExporter } from '../../src/exporter/exporter.ts';
import {
  createSimulator,
  type Simulator,
  type SimulatorOptions,
} from '../../src/simulator/simulator.ts';
import { FakeClock } from './fake-clock.ts';
import { SilentLog } from './silent-log.ts';

export const SECOND_MS = 1000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** Shows the time it is told, but waiting is real: deadlines end, whatever the service does. */
export class SteeredClock extends FakeClock {
  override sleep(durationMs: number, signal?: AbortSignal): Promise<void> {
    return systemClock.sleep(durationMs, signal);
  }
}

/** One line of a page, taken apart. */
export interface PageSample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** An answer of `/metrics`. */
export class ScrapedPage {
  readonly status: number;
  readonly text: string;
  readonly #lines: readonly string[];

  constructor(status: number, body: string) {
    this.status = status;
    this.text = body;
    this.#lines = body.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  }

  get samples(): readonly PageSample[] {
    return this.#lines.map(parseSample);
  }

  /** Everything of one name. */
  all(name: string): readonly PageSample[] {
    const starts = [`${name} `, `${name}{`];
    return this.#lines
      .filter((line) => starts.some((start) => line.startsWith(start)))
      .map(parseSample);
  }

  /** The first value of one name whose labels are, among others, these; absent when there is none. */
  value(name: string, labels: Readonly<Record<string, string>> = {}): number | undefined {
    return this.all(name).find((sample) =>
      Object.entries(labels).every(([label, wanted]) => sample.labels[label] === wanted),
    )?.value;
  }

  /** How often requests of an operation ended so. */
  requests(operation: string, outcome: string): number {
    return this.value('solar_api_requests_total', { operation, outcome }) ?? 0;
  }
}

/** Keeps its connections, as Prometheus does; a simulated day is thousands of scrapes. */
const agent = new Agent({ keepAlive: true });

/** Scrapes once, as Prometheus would. */
export function scrapePage(
  url: string,
  headers: Readonly<Record<string, string>> = {},
  path = '/metrics',
): Promise<ScrapedPage> {
  return new Promise((resolve, reject) => {
    get(new URL(path, url), { agent, headers }, (response) => {
      text(response).then(
        (page) => resolve(new ScrapedPage(response.statusCode ?? 0, page)),
        reject,
      );
    }).once('error', reject);
  });
}

/** Starts a simulator that stops with the test. */
export async function startService(
  options: Partial<SimulatorOptions> = {},
  clock: Clock = new SteeredClock(),
): Promise<{ simulator: Simulator; serviceUrl: string; stationId: string; deviceId: string }> {
  const simulator = createSimulator(options, clock);
  const serviceUrl = await simulator.start();
  onTestFinished(() => simulator.stop());
  const [stationId = ''] = simulator.stationIds;
  const [deviceId = ''] = simulator.deviceIds(stationId);
  return { simulator, serviceUrl, stationId, deviceId };
}

/** The environment that lets an exporter log in to this simulator. */
export function credentialsFor({ options }: Simulator): Readonly<Record<string, string>> {
  return {
    SOLAR_ACCOUNT: options.account,
    SOLAR_PASSWORD: options.password,
    SOLAR_APP_ID: options.appId,
    SOLAR_APP_SECRET: options.appSecret,
  };
}

export interface ExporterSetup {
  /** Beside the address of the service and a free port of our own. */
  readonly flags?: Readonly<Record<string, string>>;
  /** Over the simulator's own credentials. */
  readonly env?: Readonly<Record<string, string>>;
  /** The user's files, such as a configuration file; every one is empty when left out. */
  readonly readFile?: (path: string) => string;
}

/** Starts an exporter in this process that stops with the test. */
export async function startExporterFor(
  simulator: Simulator,
  serviceUrl: string,
  clock: FakeClock,
  { flags = {}, env = {}, readFile = () => '' }: ExporterSetup = {},
) {
  const readConfig = () =>
    parseConfig({
      flags: {
        'base-url': serviceUrl,
        'web.listen-address': '127.0.0.1:0',
        // A busy machine may take longer than the usual limit, and the page would then lack values.
        'scrape.timeout': '5m',
        ...flags,
      },
      env: { ...credentialsFor(simulator), ...env },
      readFile,
    });
  const { config } = await readConfig();
  const reread = async () => ({ options: (await readConfig()).config });
  const log = new SilentLog();
  const exporter = await startExporter(config, {
    runtime: { clock, random: () => 0.5, newNonce: () => randomBytes(16).toString('hex') },
    build: { version: '1.2.3', revision: 'test', nodeVersion: '20.0.0' },
    log,
    readFile,
    reread,
  });
  let stopped: Promise<void> | undefined;
  const stop = () => (stopped ??= exporter.stop());
  onTestFinished(stop);
  const scrape = (headers = {}) => scrapePage(exporter.url, headers);
  return {
    log,
    url: exporter.url,
    reload: () => exporter.reload(),
    /** Before the end of the test, so that another one can follow. */
    stop,
    scrape,
    /** Lets time pass and scrapes once. */
    scrapeAfter: (durationMs: number) => {
      clock.advance(durationMs);
      return scrape();
    },
    /** Scrapes every `intervalMs` for `durationMs`, beginning now, and looks at each page. */
    keepScraping: async (
      durationMs: number,
      intervalMs: number,
      look: (page: ScrapedPage) => void,
    ) => {
      for (let passedMs = 0; passedMs < durationMs; passedMs += intervalMs) {
        look(await scrape());
        clock.advance(intervalMs);
      }
    },
  };
}

/** Starts a simulator and an exporter for it in this process, on one clock; both stop with the test. */
export async function startBoth({
  now,
  simulator: options,
  ...setup
}: ExporterSetup & {
  readonly now?: string;
  readonly simulator?: Partial<SimulatorOptions>;
} = {}) {
  const clock = new SteeredClock(now);
  const service = await startService(options, clock);
  const exporter = await startExporterFor(service.simulator, service.serviceUrl, clock, setup);
  return { ...service, ...exporter, clock };
}

function parseSample(line: string): PageSample {
  const [, name = '', pairs = '', value = ''] = /^(\w+)(?:\{(.*)\})? (\S+)$/s.exec(line) ?? [];
  if (name === '') throw new Error(`not a sample: ${line}`);
  const labels = [...pairs.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/gs)].map(
    ([, label = '', escaped = '']) => [label, unescapeLabel(escaped)] as const,
  );
  return {
    name,
    labels: Object.fromEntries(labels),
    value: Number(value.replace('Inf', 'Infinity')),
  };
}

function unescapeLabel(escaped: string): string {
  return escaped.replace(/\\(.)/g, (_, letter: string) => (letter === 'n' ? '\n' : letter));
}
