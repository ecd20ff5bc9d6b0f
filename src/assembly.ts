import type { Connection, ConnectionOptions } from './client/connect.ts';
import type { StateFile } from './client/token-store.ts';
import { Collection } from './collectors/collection.ts';
import type { CacheLifetimes } from './collectors/collector.ts';
import type { CollectorSwitches } from './collectors/index.ts';
import { connectionFor, isSameSource } from './connection-reuse.ts';
import { createRoutes } from './http/routes.ts';
import type { Route } from './http/route.ts';
import type { Logger } from './log.ts';
import { Prober } from './metrics/probe.ts';
import { Refreshes } from './metrics/refreshes.ts';
import { Scraper } from './metrics/scrape.ts';
import type { SelfMetrics } from './metrics/self.ts';
import type { BuildInfo } from './metrics/status-samples.ts';
import { StatusReader } from './status/status-reader.ts';
import type { Surroundings } from './surroundings.ts';

/** What a reload can change. */
export interface AssemblyOptions extends ConnectionOptions {
  readonly stationIds: readonly string[];
  readonly collect: CollectorSwitches & { readonly process: boolean };
  readonly cache: CacheLifetimes;
  readonly scrapeTimeoutMs: number;
  readonly web: { readonly telemetryPath: string; readonly isLifecycleEnabled: boolean };
}

/** What outlives every reload. */
export interface LastingParts {
  readonly surroundings: Surroundings;
  readonly build: BuildInfo;
  readonly log: Logger;
  readonly self: SelfMetrics;
  /** Where the session is kept; absent: in memory. */
  readonly sessionFile: StateFile | undefined;
  readonly processMetrics: () => Promise<() => Promise<string>>;
  readonly reload: () => Promise<void>;
}

/** Everything that is made of one configuration. */
export interface Assembly {
  readonly options: AssemblyOptions;
  readonly connection: Connection;
  readonly collection: Collection;
  readonly refreshes: Refreshes;
  readonly routes: ReadonlyMap<string, Route>;
}

/**
 * Composes the exporter from its parts. Nothing is asked of the service yet.
 *
 * @param previous - goes on in this one as far as it is about the same account: connection, session and
 * everything collected.
 * @throws ConfigError when the application secret, the dialect file or the telemetry path is unusable.
 */
export async function assemble(
  options: AssemblyOptions,
  lasting: LastingParts,
  previous?: Assembly,
): Promise<Assembly> {
  const { surroundings, build, log, self, reload } = lasting;
  const { clock, random } = surroundings;
  const { stationIds, timeZone, collect, cache } = options;
  // What can fail comes before the session changes hands.
  const renderProcessMetrics = collect.process ? await lasting.processMetrics() : undefined;
  const connection = await connectionFor(options, lasting, previous);
  const isKept = connection === previous?.connection;
  const { api, sessionStatus } = connection;
  const collection = new Collection({
    api,
    clock,
    random,
    log,
    stationIds,
    timeZone,
    collect,
    lifetimes: cache,
  });
  if (previous !== undefined && isSameSource(options, previous.options))
    collection.adopt(previous.collection, !isKept);
  // Of a connection: it is let go when none of them is under way.
  const refreshes = isKept ? previous.refreshes : new Refreshes({ clock, log });
  const scraper = new Scraper({
    collection,
    self,
    sessionStatus,
    build,
    renderProcessMetrics,
    refreshes,
    clock,
  });
  const prober = new Prober({ collection, refreshes });
  const { telemetryPath, isLifecycleEnabled } = options.web;
  const { version } = build;
  const statusReader = new StatusReader({
    collection,
    self,
    sessionStatus,
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
    isDiscovered: () => collection.isDiscovered,
    listStations: (waitMs) => prober.stations(waitMs),
    probe: (stationId, waitMs) => prober.probe(stationId, waitMs),
    readStatus: (waitMs) => statusReader.read(waitMs),
    isReloadEnabled: isLifecycleEnabled,
    reload,
  });
  return { options, connection, collection, refreshes, routes };
}
