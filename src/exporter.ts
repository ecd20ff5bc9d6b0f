import { connect, type ConnectionOptions } from './client/connect.ts';
import { Collection } from './collectors/collection.ts';
import type { CacheLifetimes } from './collectors/collector.ts';
import type { CollectorSwitches } from './collectors/index.ts';
import { createRoutes } from './http/routes.ts';
import { type HttpServer, type ListenAddress, startHttpServer } from './http/server.ts';
import type { Logger } from './log.ts';
import { Prober } from './metrics/probe.ts';
import { Scraper } from './metrics/scrape.ts';
import { SelfMetrics } from './metrics/self.ts';
import type { BuildInfo } from './metrics/status-samples.ts';
import { StatusReader } from './status/status-reader.ts';
import type { Surroundings } from './surroundings.ts';

/** The part of the configuration that the exporter needs. */
export interface ExporterOptions extends ConnectionOptions {
  readonly stationIds: readonly string[];
  readonly collect: CollectorSwitches & { readonly process: boolean };
  readonly cache: CacheLifetimes;
  readonly scrapeTimeoutMs: number;
  readonly web: { readonly listenAddress: ListenAddress; readonly telemetryPath: string };
}

export interface RunningExporter {
  /** Where it answers, for a person on this machine. */
  readonly url: string;
  /** Answers the scrapes under way, then lets go of everything. */
  stop(): Promise<void>;
}

/**
 * Composes and starts the exporter. Nothing is asked of the service until a scrape, a probe or the status page wants to know.
 *
 * @throws ConfigError when the address cannot be listened on, or the application secret is unusable.
 */
export async function startExporter(
  options: ExporterOptions,
  surroundings: Surroundings,
  build: BuildInfo,
  log: Logger,
): Promise<RunningExporter> {
  const { clock, random } = surroundings;
  const self = new SelfMetrics();
  const connection = connect(options, surroundings, self, log);
  const collection = new Collection({
    api: connection.api,
    clock,
    random,
    log,
    stationIds: options.stationIds,
    timeZone: options.timeZone,
    collect: options.collect,
    lifetimes: options.cache,
  });
  const scraper = new Scraper({
    collection,
    self,
    sessionStatus: connection.sessionStatus,
    build,
    renderProcessMetrics: options.collect.process ? await processMetrics() : undefined,
    clock,
    log,
  });
  const prober = new Prober({ collection, clock, log });
  const { telemetryPath } = options.web;
  const statusReader = new StatusReader({
    collection,
    self,
    sessionStatus: connection.sessionStatus,
    version: build.version,
    telemetryPath,
    clock,
    log,
  });
  const routes = createRoutes({
    telemetryPath,
    scrapeTimeoutMs: options.scrapeTimeoutMs,
    current: () => scraper.current(),
    scrape: (waitMs) => scraper.scrape(waitMs),
    isDiscovered: () => collection.isDiscovered,
    listStations: (waitMs) => prober.stations(waitMs),
    probe: (stationId, waitMs) => prober.probe(stationId, waitMs),
    readStatus: (waitMs) => statusReader.read(waitMs),
  });
  const server = await startHttpServer(options.web.listenAddress, routes, log);
  log.info({ url: server.url, version: build.version }, 'listening');
  return { url: server.url, stop: () => stop(server, connection) };
}

/** Loaded only when asked for: it observes the garbage collector and the event loop. */
async function processMetrics(): Promise<() => Promise<string>> {
  const { startProcessMetrics } = await import('./metrics/process-metrics.ts');
  return startProcessMetrics();
}

async function stop(server: HttpServer, connection: { close(): Promise<void> }): Promise<void> {
  await server.stop();
  await connection.close();
}
