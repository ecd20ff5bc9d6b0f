import type { ConnectionOptions } from '../client/client.ts';
import type { CacheLifetimes } from '../collectors/collector.ts';
import type { DayOf } from '../collectors/day-curves.ts';
import type { CollectorChoices } from '../collectors/index.ts';
import type { TariffFile } from '../collectors/tariff/tariff-file.ts';
import type { ListenAddress } from '../http/listen.ts';

/** The options that a reload can change. */
export interface InstanceOptions extends ConnectionOptions {
  readonly stationIds: readonly string[];
  readonly collect: CollectorChoices & {
    readonly process: boolean;
    readonly fields: boolean;
  };
  readonly station?: { readonly independent: readonly string[] } | undefined;
  /** The prices of energy, which are not validated yet. */
  readonly tariff?: TariffFile | undefined;
  readonly cache: CacheLifetimes;
  readonly scrapeTimeoutMs: number;
  readonly limit: { readonly series: number };
  /** Whether the configuration has credentials that these options leave out, as the demo does. */
  readonly areCredentialsIgnored?: boolean | undefined;
  readonly web: {
    readonly telemetryPath: string;
    readonly isLifecycleEnabled: boolean;
  };
}

/** All options of the exporter; only a restart changes those that are not {@link InstanceOptions}. */
export interface ExporterOptions extends InstanceOptions {
  readonly stateDir?: string | undefined;
  /** The days whose curves the status shows, where they are not calendar days: the demo's days are shorter. */
  readonly dayAt?: DayOf | undefined;
  readonly web: InstanceOptions['web'] & {
    readonly listenAddress: ListenAddress;
    readonly configFile?: string | undefined;
    readonly maxRequests: number;
  };
}
