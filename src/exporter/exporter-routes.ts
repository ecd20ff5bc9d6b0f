import type { Clock } from '../base/clock.ts';
import { dropLog } from '../base/limits.ts';
import type { Collection } from '../collectors/collection.ts';
import type { Route } from '../http/reply.ts';
import { createRoutes } from '../http/routes.ts';
import { createProber } from '../metrics/probe.ts';
import { type Collected, createScraper, type Refreshes } from '../metrics/scrape.ts';
import type { BuildInfo } from '../metrics/self.ts';
import { problemLines } from '../status/problem-lines.ts';
import { statusReader } from '../status/status-reader.ts';
import type { Account, AccountParts } from './account.ts';
import type { InstanceOptions } from './options.ts';

/** What the routes are made with, independent of the configuration. */
export interface RouteParts extends AccountParts {
  readonly build: BuildInfo;
  readonly reload: () => Promise<void>;
}

/** Creates the routes of a configuration, which show this account. */
export function exporterRoutes(
  account: Account,
  options: InstanceOptions,
  { runtime, log, self, state, build, reload }: RouteParts,
): ReadonlyMap<string, Route> {
  const { clock } = runtime;
  const { telemetryPath, isLifecycleEnabled } = options.web;
  const { refreshes } = account;
  const collection = collected(account, clock);
  const sources = { collection, account, self, clock };
  const page = {
    maxSeries: options.limit.series,
    noteDropped: dropLog(log, (reason, count) => self.dropped(reason, count)),
  };
  const renderProcessMetrics = options.collect.process ? self.processMetrics() : undefined;
  const stationOf = (id: string) => account.collection.station(id);
  const problems = problemLines({ collection, account, stationOf });
  const scraper = createScraper({ ...sources, problems, renderProcessMetrics, page });
  const prober = createProber({
    collection: account.collection,
    refreshes,
    problems,
    page,
    clock,
  });
  const areCredentialsIgnored = options.areCredentialsIgnored ?? false;
  const { version } = build;
  const { dayCurves } = state;
  return createRoutes({
    telemetryPath,
    scrapeTimeoutMs: options.scrapeTimeoutMs,
    current: scraper.current,
    scrape: scraper.scrape,
    readSelf: scraper.ofItself,
    listStations: prober.stations,
    probe: prober.probe,
    readStatus: statusReader({
      ...sources,
      stationOf,
      dayCurves,
      areCredentialsIgnored,
      version,
      telemetryPath,
    }),
    isReloadEnabled: isLifecycleEnabled,
    reload,
  });
}

/** Returns the collection of an account, which is refreshed only when something is due. */
export function collected(
  {
    collection,
    refreshes,
  }: {
    readonly collection: Omit<Collected, 'refresh'> & Pick<Collection, 'refresh'>;
    readonly refreshes: Refreshes;
  },
  clock: Clock,
): Collected {
  return {
    get version() {
      return collection.version;
    },
    get nextFetchAtMs() {
      return collection.nextFetchAtMs;
    },
    async refresh(waitMs) {
      if (clock.nowMs() < collection.nextFetchAtMs) return;
      await refreshes.run(() => collection.refresh(), waitMs);
    },
    shownStations: () => collection.shownStations(),
    status: () => collection.status(),
  };
}
