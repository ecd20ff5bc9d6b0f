import type { Connection } from '../client/connect.ts';
import { DropLog } from '../base/drop-log.ts';
import { Collection } from '../collectors/collection.ts';
import { tariffOf } from '../collectors/tariff/tariff-file.ts';
import type { Route } from '../http/reply.ts';
import { createRoutes } from '../http/routes.ts';
import { Prober } from '../metrics/probe.ts';
import { RefreshTracker } from '../metrics/refresh-tracker.ts';
import { Scraper } from '../metrics/scrape.ts';
import { StatusReader } from '../status/status-reader.ts';
import { connectionFor, isSameSource } from './connection-reuse.ts';
import type { InstanceOptions, SharedParts } from './options.ts';

/** The parts of the exporter that are created from one configuration. */
export interface ExporterInstance {
  readonly options: InstanceOptions;
  readonly connection: Connection;
  readonly collection: Collection;
  /** Whether the values are those of the simulated service. */
  readonly isSimulated: () => boolean;
  readonly refreshes: RefreshTracker;
  readonly routes: ReadonlyMap<string, Route>;
}

/**
 * Creates an instance of the exporter. It sends no request to the service yet.
 *
 * @param previous - the instance before a reload. The new one takes over its connection, its session and
 * its collected values where both configurations are about the same account.
 * @throws ConfigError when the application secret, the dialect file, the tariff file or the telemetry path is
 * unusable.
 */
export async function createInstance(
  options: InstanceOptions,
  shared: SharedParts,
  previous?: ExporterInstance,
): Promise<ExporterInstance> {
  const { runtime, build, log, self, reload, energyCounts } = shared;
  const { clock, random } = runtime;
  const { stationIds, timeZone, collect, cache } = options;
  // These can fail, so they come before the new connection takes over the session.
  const tariff = options.tariff && tariffOf(options.tariff);
  const renderProcessMetrics = collect.process ? await shared.processMetrics() : undefined;
  const connection = await connectionFor(options, shared, previous);
  const isKept = connection === previous?.connection;
  const { api, sessionStatus, allowance, budgetStatus } = connection;
  const drops = new DropLog(log, (reason, count) => self.dropped(reason, count));
  const collection = new Collection({
    api,
    clock,
    random,
    log,
    drops,
    stationIds,
    timeZone,
    concurrency: options.request.concurrency,
    collect: { ...collect, tariff, energyCounts },
    lifetimes: cache,
    allowance,
  });
  const source =
    previous !== undefined && isSameSource(options, previous.options) ? previous : undefined;
  if (source !== undefined) collection.adopt(source.collection, !isKept);
  // A new connection does not know whose values were taken over.
  const wasSimulated = source?.isSimulated() ?? false;
  const isSimulated = (): boolean => wasSimulated || connection.isSimulated();
  // They belong to the connection, which is closed when none of them is running any more.
  const refreshes = isKept ? previous.refreshes : new RefreshTracker({ clock, log });
  const page = { maxSeries: options.limit.series, drops };
  const scraper = new Scraper({
    collection,
    self,
    sessionStatus,
    budgetStatus,
    isSimulated,
    build,
    renderProcessMetrics,
    refreshes,
    page,
    clock,
  });
  const prober = new Prober({ collection, refreshes, page, clock });
  const { telemetryPath, isLifecycleEnabled } = options.web;
  const { version } = build;
  const statusReader = new StatusReader({
    collection,
    self,
    sessionStatus,
    isSimulated,
    areCredentialsIgnored: options.areCredentialsIgnored ?? false,
    version,
    telemetryPath,
    refreshes,
    clock,
  });
  const routes = createRoutes({
    telemetryPath,
    scrapeTimeoutMs: options.scrapeTimeoutMs,
    current: () => scraper.current(),
    scrape: (waitMs) => scraper.scrape(waitMs),
    readSelf: () => scraper.ofItself(),
    isDiscovered: () => collection.isDiscovered,
    listStations: (waitMs) => prober.stations(waitMs),
    probe: (stationId, waitMs) => prober.probe(stationId, waitMs),
    readStatus: (waitMs) => statusReader.read(waitMs),
    isReloadEnabled: isLifecycleEnabled,
    reload,
  });
  return { options, connection, collection, isSimulated, refreshes, routes };
}
