import { DropLog } from '../base/limits.ts';
import { tariffOf } from '../collectors/tariff/tariff-file.ts';
import type { Route } from '../http/reply.ts';
import { createRoutes } from '../http/routes.ts';
import { Prober } from '../metrics/probe.ts';
import { RefreshTracker, Scraper } from '../metrics/scrape.ts';
import { StatusReader } from '../status/status-reader.ts';
import { type AccountInstance, createAccount } from './account-instance.ts';
import { AllCollections } from './all-collections.ts';
import { previousOf } from './connection-reuse.ts';
import { accountsOf, type InstanceOptions, type SharedParts } from './options.ts';

/** The parts of the exporter that are created from one configuration. */
export interface ExporterInstance {
  readonly options: InstanceOptions;
  readonly accounts: readonly AccountInstance[];
  readonly routes: ReadonlyMap<string, Route>;
}

/**
 * Creates an instance of the exporter. It sends no request to the service yet.
 *
 * @param previous - the instance before a reload. Every account of the new one takes over the connection, the
 * session and the collected values of the same account there.
 * @throws ConfigError when the application secret, the dialect file, the tariff file or the telemetry path is
 * unusable.
 */
export async function createInstance(
  options: InstanceOptions,
  shared: SharedParts,
  previous?: ExporterInstance,
): Promise<ExporterInstance> {
  const { runtime, build, log, self, reload } = shared;
  const { clock } = runtime;
  const { collect } = options;
  // These can fail, so they come before the new connections take over the sessions.
  const tariff = options.tariff && tariffOf(options.tariff);
  const renderProcessMetrics = collect.process ? self.processMetrics() : undefined;
  const listed = accountsOf(options);
  const context = { collect, cache: options.cache, tariff, areSeveral: listed.length > 1 };
  const before = previousOf(listed, previous?.accounts ?? []);
  const accounts = await Promise.all(
    listed.map((account) => createAccount(account, context, shared, before.get(account))),
  );
  const collection = new AllCollections(accounts, clock);
  const refreshes = new RefreshTracker({ clock, log });
  const page = {
    maxSeries: options.limit.series,
    drops: new DropLog(log, (reason, count) => self.dropped(reason, count)),
  };
  const scraper = new Scraper({
    collection,
    self,
    accounts,
    renderProcessMetrics,
    refreshes,
    page,
    clock,
  });
  const prober = new Prober({
    accounts: accounts.map((account) => ({ ...account, name: account.options.accountName })),
    page,
    clock,
  });
  const { telemetryPath, isLifecycleEnabled } = options.web;
  const statusReader = new StatusReader({
    collection,
    self,
    accounts,
    areCredentialsIgnored: options.areCredentialsIgnored ?? false,
    version: build.version,
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
    listStations: (waitMs) => prober.stations(waitMs),
    probe: (stationId, account, waitMs) => prober.probe(stationId, account, waitMs),
    readStatus: (waitMs) => statusReader.read(waitMs),
    isReloadEnabled: isLifecycleEnabled,
    reload,
  });
  return { options, accounts, routes };
}
