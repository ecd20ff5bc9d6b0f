import { DropLog } from '../base/limits.ts';
import type { Route } from '../http/reply.ts';
import { createRoutes } from '../http/routes.ts';
import { Prober } from '../metrics/probe.ts';
import { RefreshTracker, Scraper } from '../metrics/scrape.ts';
import type { BuildInfo } from '../metrics/self.ts';
import { leastOf } from '../model/units.ts';
import { StatusReader } from '../status/status-reader.ts';
import type { Account, AccountParts } from './account.ts';
import type { InstanceOptions } from './options.ts';

/** What the routes of every configuration are made with. */
export interface RouteParts extends Pick<AccountParts, 'runtime' | 'log' | 'self'> {
  readonly build: BuildInfo;
  readonly reload: () => Promise<void>;
}

/**
 * Creates the routes of a configuration, which show these accounts.
 *
 * @throws ConfigError when the telemetry path is unusable.
 */
export function exporterRoutes(
  accounts: readonly Account[],
  options: InstanceOptions,
  { runtime, log, self, build, reload }: RouteParts,
): ReadonlyMap<string, Route> {
  const { clock } = runtime;
  const { telemetryPath, isLifecycleEnabled } = options.web;
  const collection = allCollections(accounts);
  const refreshes = new RefreshTracker({ clock, log });
  const sources = { collection, accounts, self, refreshes, clock };
  const page = {
    maxSeries: options.limit.series,
    drops: new DropLog(log, (reason, count) => self.dropped(reason, count)),
  };
  const renderProcessMetrics = options.collect.process ? self.processMetrics() : undefined;
  const scraper = new Scraper({ ...sources, renderProcessMetrics, page });
  const named = accounts.map((account) => ({ ...account, name: account.options.accountName }));
  const prober = new Prober({ accounts: named, page, clock });
  const statusReader = new StatusReader({
    ...sources,
    areCredentialsIgnored: options.areCredentialsIgnored ?? false,
    version: build.version,
    telemetryPath,
  });
  return createRoutes({
    telemetryPath,
    scrapeTimeoutMs: options.scrapeTimeoutMs,
    current: () => scraper.current(),
    scrape: (waitMs) => scraper.scrape(waitMs),
    readSelf: () => scraper.ofItself(),
    listStations: (waitMs) => prober.stations(waitMs),
    probe: (stationId, account, waitMs) => prober.probe(stationId, account, waitMs),
    readStatus: (waitMs) => statusReader.read(waitMs),
    isReloadEnabled: isLifecycleEnabled,
    reload,
  });
}

/** Returns the collections of all accounts as one. */
function allCollections(accounts: readonly Account[]) {
  const collections = accounts.map(({ collection }) => collection);
  return {
    get version() {
      return collections.reduce((sum, { version }) => sum + version, 0);
    },
    get nextFetchAtMs() {
      return leastOf(collections.map(({ nextFetchAtMs }) => nextFetchAtMs));
    },
    /** Fetches what is due of every account, each for itself. Never rejects. */
    async refresh() {
      const refreshed = accounts.map(({ collection, refreshes }) =>
        refreshes.track(() => collection.refresh()),
      );
      await Promise.all(refreshed);
    },
    *shownStations() {
      for (const collection of collections) yield* collection.shownStations();
    },
    status: () => collections.flatMap((collection) => collection.status()),
  };
}
