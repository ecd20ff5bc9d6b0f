import { type Clock, systemClock } from '../../src/base/clock.ts';
import { parseConfig } from '../../src/config/config.ts';
import { startExporter } from '../../src/exporter/exporter.ts';
import type { SimulatorOptions } from '../../src/simulator/simulator.ts';
import type { Status } from '../../src/status/status.ts';
import { createSimulator, type Simulator } from '../support/faulty-simulator.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { type ScrapedPage, scrapePage } from '../support/page.ts';
import { SilentLog } from '../support/silent-log.ts';
import { expect, onTestFinished } from 'vitest';
import { type EndpointName, NOW, type Script, startScriptedService } from './scripted-service.ts';

export { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../support/durations.ts';
export { type PageSample, ScrapedPage, scrapePage } from '../support/page.ts';

/** Shows the time it is told, but waiting is real: deadlines end, whatever the service does. */
export class SteeredClock extends FakeClock {
  override sleep(durationMs: number, signal?: AbortSignal): Promise<void> {
    return systemClock.sleep(durationMs, signal);
  }
}

/** Counts on for all exporters, because a service refuses a nonce that it has seen. */
let nonces = 0;

type Words = Readonly<Record<string, string>>;

export interface ExporterSetup {
  /** Beside the address of the service and a free port of our own. */
  readonly flags?: Words;
  /** Over the credentials for the service. */
  readonly env?: Words;
  /** The user's files, such as a configuration file; every one is empty when left out. */
  readonly readFile?: (path: string) => string;
  /** From 0 to 1; what is spread by it is in the middle when left out. */
  readonly random?: () => number;
}

/**
 * Starts the whole exporter in this process, before a service at this address, on a fake clock; it stops with the
 * test.
 */
async function startExporterAt(
  serviceUrl: string,
  clock: FakeClock,
  { flags = {}, env = {}, readFile = () => '', random = () => 0.5 }: ExporterSetup,
) {
  let given = { flags, env };
  const readConfig = () =>
    parseConfig({
      flags: {
        'base-url': serviceUrl,
        'web.listen-address': '127.0.0.1:0',
        // A busy machine may take longer than the usual limit, and the page would then lack values.
        'scrape.timeout': '5m',
        ...given.flags,
      },
      env: given.env,
      readFile,
    });
  const log = new SilentLog();
  const start = async () => {
    const { config } = await readConfig();
    return startExporter(config, {
      runtime: {
        clock,
        random,
        newNonce: () => (nonces += 1).toString(16).padStart(32, '0'),
      },
      build: { version: '1.2.3', revision: 'test', nodeVersion: '20.0.0' },
      log,
      readFile,
      reread: async () => ({ options: (await readConfig()).config }),
    });
  };
  let exporter = await start();
  let stopped: Promise<void> | undefined;
  const stop = () => (stopped ??= exporter.stop());
  onTestFinished(() => stop());
  const scrape = (headers = {}, path = '/metrics') => scrapePage(exporter.url, headers, path);
  const read = async (path = '/') => (await fetch(new URL(path, exporter.url))).text();
  const status = async () => JSON.parse(await read('/api/v1/status')) as Status;
  const change = ({ flags: newFlags = {}, env: newEnv = {} }: ExporterSetup): void => {
    given = { flags: { ...given.flags, ...newFlags }, env: { ...given.env, ...newEnv } };
  };
  return {
    log,
    get url() {
      return exporter.url;
    },
    scrape,
    /** Reads a page for people, or what else stands at a path. */
    read,
    status,
    /** What the status says is wrong with stations. */
    problems: async () =>
      (await status()).stations.flatMap(({ problems }) => problems.map(({ what }) => what)),
    /** Lets time pass and scrapes once. */
    scrapeAfter: (durationMs: number) => {
      clock.advance(durationMs);
      return scrape();
    },
    /** Scrapes every `intervalMs` for `durationMs`, beginning now, and looks at each page. */
    keepScraping: async (
      durationMs: number,
      intervalMs: number,
      look: (page: ScrapedPage) => void = () => undefined,
    ) => {
      for (let passedMs = 0; passedMs < durationMs; passedMs += intervalMs) {
        look(await scrape());
        clock.advance(intervalMs);
      }
    },
    /** Reloads, with these options over those before. */
    reload: (changes: ExporterSetup = {}) => {
      change(changes);
      return exporter.reload();
    },
    /** Before the end of the test, so that another one can follow. */
    stop,
    /** Stops it, and starts another one with these options over those before. */
    restart: async (changes: ExporterSetup = {}) => {
      await stop();
      change(changes);
      exporter = await start();
      stopped = undefined;
    },
  };
}

/** Intervals that are easy to count by, and nothing that nobody asks about. */
export const PLAIN: Words = {
  'cache.readings-ttl': '1m',
  'cache.max-age': '15m',
  'collect.energy': 'false',
  'collect.alarms': 'false',
};

/** What passes before a scrape, what is other than before, and what the page says then. */
export interface Step {
  /** How long after the scrape before. */
  readonly afterMs?: number;
  /** What the service answers from then on. */
  readonly answers?: Script;
  readonly page?: Readonly<Record<string, number | undefined>> | undefined;
  /** How often the service has been asked in all. */
  readonly asked?: Partial<Record<EndpointName, number>> | undefined;
}

export interface HouseSetup extends ExporterSetup {
  /** The time of the service at the start. */
  readonly now?: string;
  /** How far the clock of this machine is ahead of the service's. */
  readonly machineAheadMs?: number;
  /** Whether the answers of the service have a date; they have one when left out. */
  readonly isDated?: boolean;
}

/**
 * An exporter before a service that answers as the script says, which nobody has scraped yet. It has an access
 * token of its own, so that no session is in the way.
 */
export async function openHouse(
  script: Script = {},
  { now = NOW, machineAheadMs = 0, isDated = true, env = {}, ...setup }: HouseSetup = {},
) {
  const clock = new SteeredClock(now);
  clock.misset(machineAheadMs);
  let errorMs = machineAheadMs;
  const serviceNowMs = (): number => clock.nowMs() - errorMs;
  const service = await startScriptedService(script, { nowMs: serviceNowMs }, { isDated });
  const exporter = await startExporterAt(service.serviceUrl, clock, {
    ...setup,
    env: { SOLAR_ACCESS_TOKEN: 'made-up-token', ...env },
  });
  return Object.assign(exporter, {
    ...service,
    clock,
    serviceNowMs,
    /** Scrapes once for every step, and compares. */
    follow: async (...steps: readonly Step[]) => {
      for (const [index, { afterMs = 0, answers = {}, page = {}, asked = {} }] of steps.entries()) {
        Object.assign(service.answers, answers);
        const scraped = await exporter.scrapeAfter(afterMs);
        expect(scraped.like(page), `the page of step ${index}`).toEqual(page);
        const counts = Object.keys(asked).map((endpoint) => [
          endpoint,
          service.asked(endpoint as EndpointName).length,
        ]);
        expect(Object.fromEntries(counts), `the requests of step ${index}`).toEqual(asked);
      }
    },
    /** Moves the clock of the machine, and not that of the service: positive is ahead. */
    misset: (byMs: number) => {
      clock.misset(byMs);
      errorMs += byMs;
    },
  });
}

/** Opens such a house and scrapes it. */
export async function scrapeHouse(script: Script, setup: HouseSetup = {}) {
  const house = await openHouse(script, setup);
  return Object.assign(house, { page: await house.scrape() });
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
export function credentialsFor({ options }: Simulator): Words {
  return {
    SOLAR_ACCOUNT: options.account,
    SOLAR_PASSWORD: options.password,
    SOLAR_APP_ID: options.appId,
    SOLAR_APP_SECRET: options.appSecret,
  };
}

/** Starts an exporter for this simulator that stops with the test. */
export function startExporterFor(
  simulator: Simulator,
  serviceUrl: string,
  clock: FakeClock,
  { env = {}, ...setup }: ExporterSetup = {},
) {
  return startExporterAt(serviceUrl, clock, {
    ...setup,
    env: { ...credentialsFor(simulator), ...env },
  });
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
  return Object.assign(exporter, { ...service, clock });
}
