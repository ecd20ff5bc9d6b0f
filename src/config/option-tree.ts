import { type EndpointName, ENDPOINTS, operationOf } from '../client/endpoints.ts';
import { FAMILIES } from '../simulator/families/names.ts';
import {
  accountName,
  boolean,
  choice,
  count,
  duration,
  durationOrAuto,
  list,
  path,
  positive,
  ratio,
  secret,
  string,
  textFile,
  timeout,
  timeoutOrZero,
} from './kinds.ts';
import { interval, labels, moment } from './history-kinds.ts';
import { address, endpointPath, hosts, timeZone, url } from './network-kinds.ts';
import type { Option, OptionTree } from './option.ts';

/** Marks a group of options that only these commands take. */
function onlyFor<Group extends Readonly<Record<string, Option>>>(
  commands: readonly string[],
  group: Group,
): Group {
  const rows = Object.entries(group).map(([key, row]) => [key, { ...row, commands }]);
  return Object.fromEntries(rows) as Group;
}

/** The path of each endpoint of the service, relative to its base URL. */
function endpointPaths(): Readonly<Record<EndpointName, Option<string>>> {
  const options = Object.entries(ENDPOINTS).map(([name, row]) => [
    name,
    endpointPath({
      flag: `path.${operationOf(name as EndpointName)}`,
      default: row.path,
      describe: `endpoint for ${row.purpose}`,
    }),
  ]);
  return Object.fromEntries(options) as Readonly<Record<EndpointName, Option<string>>>;
}

/**
 * Every option, where its value stands in the configuration: a new row is a new option. Its flag, its
 * environment variable and its key of the file follow from its place, unless the row names its flag.
 */
export const OPTION_TREE = {
  baseUrl: url({
    perAccount: 'inherits',
    default: 'https://solar.siseli.com',
    describe: 'service that answers data requests',
  }),
  authUrl: url({
    perAccount: 'inherits',
    sameAs: 'base-url',
    unset: 'the base URL',
    describe: 'service that answers login and refresh',
  }),
  account: string({ perAccount: 'own', redacted: true, describe: 'login account' }),
  password: secret({
    perAccount: 'own',
    describe: 'plaintext password of the account (sent as MD5 hex, as the service demands)',
  }),
  accessToken: secret({ perAccount: 'own', describe: 'access token, instead of an account' }),
  refreshToken: secret({
    perAccount: 'own',
    describe: 'refresh token that renews the access token',
  }),
  appId: string({ perAccount: 'inherits', describe: 'application id that signs the login' }),
  /** At most one of the two forms is given. */
  appSecret: secret({
    perAccount: 'inherits',
    describe: 'application secret that signs the login, in plain form',
  }),
  appSecretEncrypted: secret({
    perAccount: 'inherits',
    describe: "application secret in the service's encrypted base64 form",
  }),
  /** Empty: discover. */
  stationIds: list({
    perAccount: 'own',
    flag: 'station',
    unset: 'discover',
    describe: 'station id; repeatable as a flag, comma separated in the environment',
  }),
  /** IANA name as typed; undefined: the station's own. */
  timeZone: timeZone({
    perAccount: 'inherits',
    unset: "the station's, else Asia/Manila",
    describe: 'IANA time zone of the stations',
  }),
  paths: endpointPaths(),
  dialect: {
    file: textFile({
      describe: 'YAML file with rules of your own for field keys of an inverter',
    }),
  },
  tariff: {
    file: textFile({
      describe: 'YAML file with the prices of imported and fed-in energy',
    }),
  },
  request: {
    timeoutMs: timeout({
      perAccount: 'inherits',
      default: '30s',
      describe: 'longest wait for one request to the service',
    }),
    concurrency: count({
      perAccount: 'inherits',
      minimum: 1,
      default: '8',
      describe: 'requests to the service in flight at once',
    }),
    /** Undefined: any number. */
    ratePerSecond: positive({
      perAccount: 'inherits',
      flag: 'request.rate',
      unset: 'none: any number',
      describe: 'requests that are sent to the service per second at most, on average, such as 0.5',
    }),
    /** Undefined: any number. */
    dailyBudget: count({
      perAccount: 'inherits',
      minimum: 1,
      unset: 'none: any number',
      describe:
        'requests that are sent to the service per day (UTC) at most, log-ins included; readings come first',
    }),
  },
  collect: {
    settings: boolean({ default: 'false', describe: 'collect device settings' }),
    alarms: boolean({ default: 'true', describe: 'collect firing alarms' }),
    energy: boolean({
      default: 'true',
      describe: 'collect the energy of days and years, and count that of every device',
    }),
    process: boolean({ default: 'false', describe: 'serve process metrics of the exporter' }),
  },
  cache: {
    readingsTtlMs: durationOrAuto({
      default: 'auto',
      describe:
        'how long readings count as fresh; `auto`: until the next reading of the device can have arrived',
    }),
    summaryTtlMs: duration({
      default: '30m',
      describe:
        'how long the energy of the month and of days counts as fresh; that of years, 12 times as long',
    }),
    devicesTtlMs: duration({
      default: '1h',
      describe: 'how long the list of devices counts as fresh',
    }),
    settingsTtlMs: duration({
      default: '1h',
      describe: 'how long device settings count as fresh',
    }),
    alarmsTtlMs: duration({
      default: '10m',
      describe: 'how long the list of alarms counts as fresh',
    }),
    maxAgeMs: durationOrAuto({
      default: 'auto',
      describe:
        'readings older than this are withdrawn; `auto`: the lag and two intervals of the device, from 15 to 75 minutes',
    }),
  },
  scrapeTimeoutMs: timeout({
    flag: 'scrape.timeout',
    default: '9.5s',
    describe: 'longest wait inside one scrape',
  }),
  limit: {
    series: count({
      minimum: 1,
      default: '500000',
      describe: 'series that a page may have; what does not fit is left out, counted and logged',
    }),
  },
  /** Undefined: tokens and the log-in pause are kept in memory. */
  stateDir: path({
    flag: 'state.dir',
    unset: 'none: in memory',
    needsRestart: true,
    describe:
      'directory for the tokens, the log-in pause and what is known of the devices: a restart goes on from there, and a command beside the running exporter uses its session',
  }),
  web: {
    listenAddress: address({
      default: ':9877',
      needsRestart: true,
      describe: 'where to serve metrics',
    }),
    telemetryPath: endpointPath({
      default: '/metrics',
      needsRestart: true,
      describe: 'path under which to serve metrics',
    }),
    /** TLS, users and headers, which the server checks. */
    configFile: path({
      flag: 'web.config.file',
      unset: 'none: plain HTTP for everyone',
      needsRestart: true,
      describe:
        'YAML file with TLS, basic authentication and headers, as Prometheus exporters take it',
    }),
    allowedHosts: hosts({
      unset: 'only names of local networks',
      describe:
        'public name that browsers may use, such as that of a reverse proxy; .example.org allows all that end so; repeatable as a flag, comma separated in the environment',
    }),
    maxRequests: count({
      default: '40',
      needsRestart: true,
      describe: 'requests answered at once, 0 for any number; more get status 503',
    }),
    isLifecycleEnabled: boolean({
      flag: 'web.enable-lifecycle',
      default: 'false',
      needsRestart: true,
      describe: 'reload the configuration at POST /-/reload, as at the signal SIGHUP',
    }),
  },
  log: {
    level: choice({
      choices: ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
      default: 'info',
      describe: 'least severe message that is logged',
    }),
    /** Undefined: json, but pretty on a terminal. */
    format: choice({
      choices: ['json', 'pretty'],
      unset: '`json`, on a terminal `pretty`',
      needsRestart: true,
      describe: 'form of the log on stderr',
    }),
  },
  /** Which of several accounts a command is about. */
  useAccount: accountName({
    unset: 'the only one',
    commands: ['check', 'devices', 'readings', 'settings get', 'settings set', 'history'],
    describe: 'name of the account, where several are configured',
  }),
  /** The file that gave values to options, if any. */
  configFile: path({
    flag: 'config.file',
    fileKey: false,
    describe: 'YAML file with any of these options as keys',
  }),
  history: onlyFor(['history'], {
    from: moment({
      flag: 'from',
      describe: 'where the past begins: a date, or a date with a time, local to the station',
    }),
    to: moment({
      flag: 'to',
      unset: 'now',
      describe: 'the first instant after it, in the same form',
    }),
    /** As typed. */
    device: string({
      flag: 'device',
      unset: 'all',
      describe: 'id, name or serial number of the only device',
    }),
    output: path({
      flag: 'output',
      describe: 'directory for the files, one per station and month',
    }),
    format: choice({
      flag: 'format',
      choices: ['openmetrics', 'csv', 'json'],
      default: 'openmetrics',
      describe: 'form of the files',
    }),
    push: url({
      flag: 'push',
      describe: 'URL of a VictoriaMetrics that takes the past, in place of --output',
    }),
    /** Over `job` and `instance` as an example scrape configuration sets them. */
    labels: labels({
      flag: 'label',
      unset: 'job=solar, instance=localhost:9877',
      describe: 'label of every series, name=value; repeatable as a flag',
    }),
    intervalMs: interval({
      flag: 'interval',
      default: '1m',
      describe: 'how far apart the samples are, at most 4m',
    }),
  }),
  simulator: onlyFor(['simulate', 'demo'], {
    family: choice({
      flag: 'family',
      choices: FAMILIES,
      default: 'classic',
      describe:
        'inverter family to simulate: which keys, units, signs and endpoints its devices speak',
    }),
    /** Undefined: the family decides. */
    portal: boolean({
      unset: 'yes, but no for classic',
      describe:
        'answer as the portal does where the interface says otherwise: expired tokens, refreshes, summaries, settings',
    }),
    seed: count({
      default: '1',
      describe: 'the same seed simulates the same stations and weather',
    }),
    stations: count({ minimum: 1, maximum: 10_000, default: '1', describe: 'simulated stations' }),
    devices: count({
      minimum: 1,
      maximum: 10_000,
      default: '1',
      describe: 'simulated devices per station',
    }),
    latencyMs: timeoutOrZero({ default: '0s', describe: 'how long each answer takes' }),
    tokenLifetimeMs: duration({ default: '2h', describe: 'how long an access token is valid' }),
    errorRate: ratio({ default: '0', describe: 'share of requests that fail' }),
    omitTotal: boolean({ default: 'false', describe: 'leave the total out of list answers' }),
    nullReadings: ratio({ default: '0', describe: 'share of readings that are null' }),
    /** Undefined: real time for `simulate`, faster for `demo`. */
    speed: positive({
      unset: '1; demo runs faster',
      describe: 'how much faster than real time the simulated sun moves',
    }),
    settingsCached: boolean({
      default: 'false',
      describe: 'start as a service that has read the settings of every device before; demo does',
    }),
    drain: boolean({
      flag: 'drain',
      default: 'false',
      describe:
        'let every battery run empty from the start, so that alerts fire within ten minutes',
    }),
    listenAddress: address({
      default: '127.0.0.1:9878',
      describe:
        'where the simulated service listens; demo takes a free port when the default one is taken',
    }),
  }),
} satisfies OptionTree;
