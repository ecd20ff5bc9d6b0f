import type { Clock } from '../base/clock.ts';
import { dropLog } from '../base/limits.ts';
import type { Logger } from '../base/log.ts';
import type { Collection } from '../collectors/collection.ts';
import type { Route } from '../http/reply.ts';
import { createRoutes } from '../http/routes.ts';
import { createProber } from '../metrics/probe.ts';
import {
  type AllCollections,
  createRefreshes,
  createScraper,
  type Refreshes,
} from '../metrics/scrape.ts';
import type { BuildInfo } from '../metrics/self.ts';
import { leastOf } from '../model/units.ts';
import { statusReader } from '../status/status-reader.ts';
import type { Account, AccountParts } from './account.ts';
import type { InstanceOptions } from './options.ts';

/** What the routes of every configuration are made with. */
export interface RouteParts extends Pick<AccountParts, 'runtime' | 'log' | 'self'> {
  readonly build: BuildInfo;
  readonly reload: () => Promise<void>;
}

/** Creates the routes of a configuration, which show these accounts. */
export function exporterRoutes(
  accounts: readonly Account[],
  options: InstanceOptions,
  { runtime, log, self, build, reload }: RouteParts,
): ReadonlyMap<string, Route> {
  const { clock } = runtime;
  const { telemetryPath, isLifecycleEnabled } = options.web;
  const collection = allCollections(accounts, clock, log);
  const sources = { collection, accounts, self, clock };
  const page = {
    maxSeries: options.limit.series,
    drops: dropLog(log, (reason, count) => self.dropped(reason, count)),
  };
  const renderProcessMetrics = options.collect.process ? self.processMetrics() : undefined;
  const scraper = createScraper({ ...sources, renderProcessMetrics, page });
  const named = accounts.map((account) => ({ ...account, name: account.options.accountName }));
  const prober = createProber({ accounts: named, page, clock });
  const areCredentialsIgnored = options.areCredentialsIgnored ?? false;
  const { version } = build;
  return createRoutes({
    telemetryPath,
    scrapeTimeoutMs: options.scrapeTimeoutMs,
    current: scraper.current,
    scrape: scraper.scrape,
    readSelf: scraper.ofItself,
    listStations: prober.stations,
    probe: prober.probe,
    readStatus: statusReader({ ...sources, areCredentialsIgnored, version, telemetryPath }),
    isReloadEnabled: isLifecycleEnabled,
    reload,
  });
}

/** Returns the collections of all accounts as one. */
export function allCollections(
  accounts: readonly {
    readonly collection: Omit<AllCollections, 'refresh'> & Pick<Collection, 'refresh'>;
    readonly refreshes: Refreshes;
  }[],
  clock: Clock,
  log: Logger,
): AllCollections {
  const all = createRefreshes(clock, log);
  const collections = accounts.map(({ collection }) => collection);
  return {
    get version() {
      return collections.reduce((sum, { version }) => sum + version, 0);
    },
    get nextFetchAtMs() {
      return leastOf(collections.map(({ nextFetchAtMs }) => nextFetchAtMs));
    },
    /** Each account for itself. */
    async refresh(waitMs) {
      if (clock.nowMs() < this.nextFetchAtMs) return;
      const refresh = async (): Promise<void> => {
        await Promise.all(
          accounts.map(({ collection, refreshes }) => refreshes.run(() => collection.refresh())),
        );
      };
      await all.run(refresh, waitMs);
    },
    *shownStations() {
      for (const collection of collections) yield* collection.shownStations();
    },
    status: () => collections.flatMap((collection) => collection.status()),
  };
}
