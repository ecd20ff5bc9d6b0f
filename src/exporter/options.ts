import type { Logger } from '../base/log.ts';
import type { Runtime } from '../base/runtime.ts';
import type { ConnectionOptions } from '../client/connect.ts';
import type { SpentRequests } from '../client/exchange/spent-requests.ts';
import type { StateFile } from '../client/session/session-file.ts';
import type { CacheLifetimes } from '../collectors/collector.ts';
import type { EnergyCounts } from '../collectors/energy-counts/energy-counts.ts';
import type { CollectorSwitches } from '../collectors/index.ts';
import type { TariffFile } from '../collectors/tariff/tariff-file.ts';
import type { ListenAddress } from '../http/listen.ts';
import type { SelfMetrics } from '../metrics/self.ts';
import type { BuildInfo } from '../metrics/definitions.ts';

/** The options that a reload can change. */
export interface InstanceOptions extends ConnectionOptions {
  readonly stationIds: readonly string[];
  readonly collect: Omit<CollectorSwitches, 'tariff' | 'energyCounts'> & {
    readonly process: boolean;
  };
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
    /** Public names that browsers may use; those with a leading dot are the ends of names. */
    readonly allowedHosts?: readonly string[] | undefined;
  };
}

/** All options of the exporter; only a restart changes those that are not {@link InstanceOptions}. */
export interface ExporterOptions extends InstanceOptions {
  readonly stateDir?: string | undefined;
  readonly web: InstanceOptions['web'] & {
    readonly listenAddress: ListenAddress;
    readonly configFile?: string | undefined;
    readonly maxRequests: number;
  };
}

/** The parts that every instance shares, because they survive a reload. */
export interface SharedParts {
  readonly runtime: Runtime;
  readonly build: BuildInfo;
  readonly log: Logger;
  readonly self: SelfMetrics;
  /** The file that the session is saved in; absent: it is kept in memory only. */
  readonly sessionFile: StateFile | undefined;
  /** What has been counted of every device, in the state directory where there is one. */
  readonly energyCounts: EnergyCounts;
  /** How many requests were sent today, in the state directory where there is one. */
  readonly spent: SpentRequests;
  readonly processMetrics: () => Promise<() => Promise<string>>;
  readonly reload: () => Promise<void>;
}
