import type { Secret } from '../secret.ts';
import type { DialectEntries } from './dialect-entries.ts';
import type { ListenAddress } from './option.ts';
import type { ValueOf } from './options.ts';
import type { ReadSetting } from './settings.ts';

/** Is the only configuration the program ever sees: complete, checked, frozen. */
export interface Config {
  /** Where data requests go; no trailing slash. */
  readonly baseUrl: string;
  /** Where login and refresh go; the base URL unless given. */
  readonly authUrl: string;
  readonly account?: string | undefined;
  readonly password?: Secret | undefined;
  readonly accessToken?: Secret | undefined;
  readonly refreshToken?: Secret | undefined;
  readonly appId?: string | undefined;
  /** At most one of the two forms is given. */
  readonly appSecret?: Secret | undefined;
  readonly appSecretEncrypted?: Secret | undefined;
  /** Empty: discover. */
  readonly stationIds: readonly string[];
  /** IANA name as typed; undefined: the station's own. */
  readonly timeZone?: string | undefined;
  /** The user's rules for field keys; judged by the client. */
  readonly dialect?: DialectEntries | undefined;
  readonly paths: EndpointPaths;
  readonly collect: {
    readonly settings: boolean;
    readonly alarms: boolean;
    readonly process: boolean;
  };
  readonly cache: {
    readonly readingsTtlMs: number;
    readonly summaryTtlMs: number;
    readonly devicesTtlMs: number;
    readonly settingsTtlMs: number;
    readonly alarmsTtlMs: number;
    readonly maxAgeMs: number;
  };
  readonly scrapeTimeoutMs: number;
  readonly request: { readonly timeoutMs: number; readonly concurrency: number };
  /** Where tokens and the log-in pause are kept; undefined: in memory. */
  readonly stateDir?: string | undefined;
  readonly web: {
    readonly listenAddress: ListenAddress;
    readonly telemetryPath: string;
    /** TLS, users and headers; judged by the server. */
    readonly configFile?: string | undefined;
    /** Requests answered at once; 0: any number. */
    readonly maxRequests: number;
    readonly isLifecycleEnabled: boolean;
  };
  readonly log: {
    readonly level: ValueOf<'log.level'>;
    /** Undefined: json, but pretty on a terminal. */
    readonly format: ValueOf<'log.format'>;
  };
  readonly simulator: SimulatorConfig;
  /** The file this was read from, beside flags and environment. */
  readonly configFile?: string | undefined;
}

/** Names the endpoint of each operation, relative to its base URL. */
export interface EndpointPaths {
  readonly login: string;
  readonly refresh: string;
  readonly stations: string;
  readonly devices: string;
  readonly readings: string;
  readonly summary: string;
  readonly settingsGet: string;
  readonly settingsSet: string;
  readonly settingsRead: string;
  readonly settingsReadDetails: string;
  readonly latestState: string;
  readonly energyFlow: string;
  readonly attributes: string;
  readonly alarms: string;
}

/** Shapes the simulated service; ratios lie in 0 to 1. */
export interface SimulatorConfig {
  readonly family: ValueOf<'family'>;
  readonly seed: number;
  readonly stations: number;
  /** Per station. */
  readonly devices: number;
  readonly latencyMs: number;
  readonly tokenLifetimeMs: number;
  readonly errorRate: number;
  readonly omitTotal: boolean;
  readonly nullReadings: number;
  /** Undefined: real time for `simulate`, faster for `demo`. */
  readonly speed?: number | undefined;
  readonly listenAddress: ListenAddress;
}

/** Arranges the settings by what uses them. */
export function buildConfig(read: ReadSetting, dialect?: DialectEntries): Config {
  return Object.freeze({
    baseUrl: read('base-url'),
    authUrl: read('auth-url') ?? read('base-url'),
    account: read('account'),
    password: read('password'),
    accessToken: read('access-token'),
    refreshToken: read('refresh-token'),
    appId: read('app-id'),
    appSecret: read('app-secret'),
    appSecretEncrypted: read('app-secret-encrypted'),
    stationIds: read('station') ?? Object.freeze([]),
    timeZone: read('time-zone'),
    dialect,
    paths: Object.freeze({
      login: read('path.login'),
      refresh: read('path.refresh'),
      stations: read('path.stations'),
      devices: read('path.devices'),
      readings: read('path.readings'),
      summary: read('path.summary'),
      settingsGet: read('path.settings-get'),
      settingsSet: read('path.settings-set'),
      settingsRead: read('path.settings-read'),
      settingsReadDetails: read('path.settings-read-details'),
      latestState: read('path.latest-state'),
      energyFlow: read('path.energy-flow'),
      attributes: read('path.attributes'),
      alarms: read('path.alarms'),
    }),
    collect: Object.freeze({
      settings: read('collect.settings'),
      alarms: read('collect.alarms'),
      process: read('collect.process'),
    }),
    cache: Object.freeze({
      readingsTtlMs: read('cache.readings-ttl'),
      summaryTtlMs: read('cache.summary-ttl'),
      devicesTtlMs: read('cache.devices-ttl'),
      settingsTtlMs: read('cache.settings-ttl'),
      alarmsTtlMs: read('cache.alarms-ttl'),
      maxAgeMs: read('cache.max-age'),
    }),
    scrapeTimeoutMs: read('scrape.timeout'),
    request: Object.freeze({
      timeoutMs: read('request.timeout'),
      concurrency: read('request.concurrency'),
    }),
    stateDir: read('state.dir'),
    web: Object.freeze({
      listenAddress: read('web.listen-address'),
      telemetryPath: read('web.telemetry-path'),
      configFile: read('web.config.file'),
      maxRequests: read('web.max-requests'),
      isLifecycleEnabled: read('web.enable-lifecycle'),
    }),
    log: Object.freeze({ level: read('log.level'), format: read('log.format') }),
    simulator: Object.freeze({
      family: read('family'),
      seed: read('simulator.seed'),
      stations: read('simulator.stations'),
      devices: read('simulator.devices'),
      latencyMs: read('simulator.latency'),
      tokenLifetimeMs: read('simulator.token-lifetime'),
      errorRate: read('simulator.error-rate'),
      omitTotal: read('simulator.omit-total'),
      nullReadings: read('simulator.null-readings'),
      speed: read('simulator.speed'),
      listenAddress: read('simulator.listen-address'),
    }),
    configFile: read('config.file'),
  });
}
