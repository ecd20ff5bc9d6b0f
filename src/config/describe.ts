import { formatDuration } from './duration.ts';
import type { Config } from './effective-config.ts';
import type { Origin } from './given.ts';
import type { ListenAddress, OptionDefinition } from './option.ts';
import { type Flag, OPTIONS, type ValueOf } from './options.ts';

/** Is one line of the `config` command. */
export interface ConfigRow {
  readonly flag: string;
  readonly env: string;
  /** As a person would type it; `[secret]` for what is not shown, empty when there is none. */
  readonly value: string;
  readonly origin: Origin;
}

/** Lists the effective value of every option and where it came from, secrets hidden. */
export function describeConfig(
  config: Config,
  origins: ReadonlyMap<string, Origin>,
): readonly ConfigRow[] {
  return OPTIONS.map((option) => ({
    flag: option.flag,
    env: option.env,
    value: show(option, VALUE_IN[option.flag as Flag](config)),
    origin: origins.get(option.flag) ?? 'default',
  }));
}

function show({ kind, secret, redacted }: OptionDefinition, value: Value): string {
  if (value === undefined) return '';
  if (secret === true || redacted === true) return '[secret]';
  if (typeof value === 'number' && kind.startsWith('duration')) return formatDuration(value);
  if (typeof value === 'object' && 'port' in value) return showAddress(value);
  if (typeof value === 'object' && 'path' in value) return value.path;
  // Lists read as in the environment: joined by commas.
  return String(value);
}

function showAddress({ host = '', port }: ListenAddress): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

type Value = ValueOf<Flag>;

/** Where in the configuration each option went: a new option does not compile until it is here. */
const VALUE_IN: { readonly [F in Flag]: (config: Config) => ValueOf<F> } = {
  'base-url': (config) => config.baseUrl,
  'auth-url': (config) => config.authUrl,
  account: (config) => config.account,
  password: (config) => config.password,
  'access-token': (config) => config.accessToken,
  'refresh-token': (config) => config.refreshToken,
  'app-id': (config) => config.appId,
  'app-secret': (config) => config.appSecret,
  'app-secret-encrypted': (config) => config.appSecretEncrypted,
  station: (config) => config.stationIds,
  'time-zone': (config) => config.timeZone,
  'dialect.file': (config) => config.dialect?.file,
  'path.login': (config) => config.paths.login,
  'path.refresh': (config) => config.paths.refresh,
  'path.stations': (config) => config.paths.stations,
  'path.devices': (config) => config.paths.devices,
  'path.readings': (config) => config.paths.readings,
  'path.summary': (config) => config.paths.summary,
  'path.settings-get': (config) => config.paths.settingsGet,
  'path.settings-set': (config) => config.paths.settingsSet,
  'path.latest-state': (config) => config.paths.latestState,
  'path.energy-flow': (config) => config.paths.energyFlow,
  'path.attributes': (config) => config.paths.attributes,
  'path.alarms': (config) => config.paths.alarms,
  'path.settings-read': (config) => config.paths.settingsRead,
  'path.settings-read-details': (config) => config.paths.settingsReadDetails,
  'collect.settings': (config) => config.collect.settings,
  'collect.alarms': (config) => config.collect.alarms,
  'collect.process': (config) => config.collect.process,
  'cache.readings-ttl': (config) => config.cache.readingsTtlMs,
  'cache.summary-ttl': (config) => config.cache.summaryTtlMs,
  'cache.devices-ttl': (config) => config.cache.devicesTtlMs,
  'cache.settings-ttl': (config) => config.cache.settingsTtlMs,
  'cache.alarms-ttl': (config) => config.cache.alarmsTtlMs,
  'cache.max-age': (config) => config.cache.maxAgeMs,
  'scrape.timeout': (config) => config.scrapeTimeoutMs,
  'request.timeout': (config) => config.request.timeoutMs,
  'request.concurrency': (config) => config.request.concurrency,
  'state.dir': (config) => config.stateDir,
  'web.listen-address': (config) => config.web.listenAddress,
  'web.telemetry-path': (config) => config.web.telemetryPath,
  'web.config.file': (config) => config.web.configFile,
  'web.max-requests': (config) => config.web.maxRequests,
  'web.enable-lifecycle': (config) => config.web.isLifecycleEnabled,
  'log.level': (config) => config.log.level,
  'log.format': (config) => config.log.format,
  family: (config) => config.simulator.family,
  'simulator.seed': (config) => config.simulator.seed,
  'simulator.stations': (config) => config.simulator.stations,
  'simulator.devices': (config) => config.simulator.devices,
  'simulator.latency': (config) => config.simulator.latencyMs,
  'simulator.token-lifetime': (config) => config.simulator.tokenLifetimeMs,
  'simulator.error-rate': (config) => config.simulator.errorRate,
  'simulator.omit-total': (config) => config.simulator.omitTotal,
  'simulator.null-readings': (config) => config.simulator.nullReadings,
  'simulator.speed': (config) => config.simulator.speed,
  'simulator.listen-address': (config) => config.simulator.listenAddress,
  'config.file': (config) => config.configFile,
};
