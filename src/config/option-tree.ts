import { z } from 'zod';
import { ENDPOINT_PATHS, type EndpointName, FAMILIES, operationOf } from '../base/service-names.ts';
import { choice, count, type KindFacts, KINDS as kind } from './kinds.ts';

/** What the tree says of an option, or of all options in a group, beside kind, default and description. */
export interface OptionFacts {
  /** The name after `--` and the key of the file, where it does not follow from the place in the tree. */
  readonly flag?: string;
  /** Whether the names of the options leave out that of their group. */
  readonly isUnnamed?: boolean;
  /** What happens without a value, where that is not a default one could type. */
  readonly unset?: string;
  /** Whether the value is never shown although a flag may give it: accounts identify a person. */
  readonly redacted?: boolean;
  /** False for the one option that cannot be a key of the configuration file. */
  readonly fileKey?: boolean;
  /** Whether a reload cannot take up a new value. */
  readonly needsRestart?: boolean;
  /** The commands that take it; absent: all. */
  readonly commands?: readonly string[];
}

declare module 'zod' {
  // What `.meta()` tells of a schema.
  interface GlobalMeta extends OptionFacts, Partial<KindFacts> {}
}

/** Makes a group of options. */
function group<Shape extends z.ZodRawShape>(shape: Shape, facts: OptionFacts = {}) {
  return z
    .strictObject(shape)
    .readonly()
    .meta({ ...facts });
}

/** The path of each endpoint of the service, relative to its base URL. */
function endpointPaths() {
  const options = Object.entries(ENDPOINT_PATHS).map(([name, [path, purpose]]) => [
    name,
    kind.endpointPath
      .prefault(path)
      .meta({ flag: `path.${operationOf(name as EndpointName)}` })
      .describe(`endpoint for ${purpose}`),
  ]);
  type Paths = Readonly<Record<EndpointName, z.ZodPrefault<typeof kind.endpointPath>>>;
  return Object.fromEntries(options) as Paths;
}

/**
 * Every option, where its value stands in the configuration: a new row is a new option. Its flag, its environment
 * variable and its key of the file follow from its place, unless the row names its flag. `prefault` gives the default
 * as a person would type it; without one, a value may be undefined or, where the kind says so, empty.
 */
export const OPTION_TREE = z.strictObject({
  baseUrl: kind.url
    .prefault('https://solar.siseli.com')
    .meta({ description: 'address for data requests' }),
  authUrl: kind.url
    .optional()
    .meta({ unset: 'the base URL' })
    .describe('address for log-in and refresh'),
  account: kind.accountText
    .optional()
    .meta({ redacted: true, description: 'account to log in with' }),
  password: kind.password.optional().describe('password of the account, as typed in the app'),
  accessToken: kind.secret.optional().meta({ description: 'access token, in place of an account' }),
  refreshToken: kind.secret
    .optional()
    .meta({ description: 'refresh token that renews the access token' }),
  appId: kind.headerText.optional().meta({ description: 'application id for the log-in' }),
  /** At most one of the two forms is given. */
  appSecret: kind.secret.optional().describe('application secret for the log-in, in plain form'),
  appSecretEncrypted: kind.secret
    .optional()
    .describe("the same in the service's encrypted base64 form"),
  stationIds: kind.list
    .meta({ flag: 'station', unset: 'discover' })
    .describe('station id; repeatable, or separated by commas'),
  station: group({
    independent: kind.list
      .meta({ unset: 'none' })
      .describe(
        'station whose inverters each have a load of their own; repeatable, or separated by commas',
      ),
  }),
  timeZone: kind.timeZone
    .optional()
    .meta({ unset: "the station's, else Asia/Manila" })
    .describe('IANA time zone of the stations'),
  paths: group(endpointPaths()),
  dialect: kind.listFile
    .optional()
    .meta({ flag: 'dialect.file' })
    .describe('YAML file with rules of your own for an inverter'),
  tariff: kind.textFile
    .optional()
    .meta({ flag: 'tariff.file' })
    .describe('YAML file with the prices of energy'),
  request: group({
    timeoutMs: kind.timeout.prefault('30s').describe('longest wait for one request to the service'),
    concurrency: count(1).prefault('8').describe('requests to the service at the same time'),
    ratePerSecond: kind.positive
      .optional()
      .meta({ flag: 'request.rate', unset: 'no limit' })
      .describe('most requests per second, on average, such as 0.5'),
    userAgent: kind.headerLine
      .optional()
      .meta({ unset: 'solar-exporter/VERSION' })
      .describe('what requests to the service name as their sender'),
  }),
  collect: group({
    settings: kind.boolean.prefault('false').describe('collect device settings'),
    alarms: kind.boolean.prefault('true').describe('collect firing alarms'),
    energy: kind.boolean
      .prefault('true')
      .describe('collect the energy of days and years, and count that of each device'),
    fields: kind.boolean
      .prefault('false')
      .describe('show every number that a device sends, by its own key'),
    process: kind.boolean.prefault('false').describe('serve process metrics of the exporter'),
  }),
  cache: group({
    readingsTtlMs: kind.durationOrAuto
      .prefault('auto')
      .describe('how long readings count as fresh; `auto`: until the next reading can be there'),
    summaryTtlMs: kind.listTtl
      .prefault('30m')
      .describe('how long energy of days and months counts as fresh; of years, 12 times as long'),
    devicesTtlMs: kind.listTtl
      .prefault('1h')
      .describe('how long the list of devices counts as fresh'),
    settingsTtlMs: kind.listTtl.prefault('1h').describe('how long device settings count as fresh'),
    alarmsTtlMs: kind.listTtl
      .prefault('10m')
      .describe('how long the list of alarms counts as fresh'),
    maxAgeMs: kind.durationOrAuto
      .prefault('auto')
      .describe(
        'readings older than this are withdrawn; `auto`: learned for each device, from 15 to 75 minutes',
      ),
  }),
  scrapeTimeoutMs: kind.timeout
    .prefault('9.5s')
    .meta({ flag: 'scrape.timeout', description: 'longest wait inside one scrape' }),
  limit: group({
    series: count(1)
      .prefault('500000')
      .describe('most series of a page; what does not fit is left out'),
  }),
  stateDir: kind.path
    .optional()
    .meta({ flag: 'state.dir', unset: 'none: in memory', needsRestart: true })
    .describe(
      'directory for what a restart needs; commands with the same directory use its session',
    ),
  web: group(
    {
      listenAddress: kind.address.prefault(':9877').describe('where to serve metrics'),
      telemetryPath: kind.telemetryPath.prefault('/metrics').describe('path of the metrics'),
      /** TLS and users, which the server checks. */
      configFile: kind.path
        .optional()
        .meta({ flag: 'web.config.file', unset: 'none: plain HTTP for all' })
        .describe('YAML file with certificate and users'),
      maxRequests: count()
        .prefault('40')
        .describe('requests answered at the same time, 0 for any number; others get status 503'),
      isLifecycleEnabled: kind.boolean
        .prefault('false')
        .meta({ flag: 'web.enable-lifecycle' })
        .describe('reload the configuration at POST /-/reload, as at SIGHUP'),
    },
    { needsRestart: true },
  ),
  log: group({
    level: choice(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
      .prefault('info')
      .describe('least severe messages to log'),
    format: choice(['json', 'pretty'])
      .optional()
      .meta({ unset: '`json`, on a terminal `pretty`', needsRestart: true })
      .describe('form of the log on stderr'),
  }),
  configFile: kind.configFile
    .optional()
    .meta({ flag: 'config.file', fileKey: false })
    .describe('YAML file with any of these options as keys'),
  history: group(
    {
      from: kind.moment
        .optional()
        .describe('start of the past: a date, or a date with a time, local to the station'),
      to: kind.moment.optional().meta({
        unset: 'up to what has arrived',
        description: 'end of the past, in the same form',
      }),
      device: kind.string
        .optional()
        .meta({ unset: 'all', description: 'id, name or serial number of one device' }),
      output: kind.path.optional().describe('directory for the files, one per station and month'),
      format: choice(['openmetrics', 'csv']).prefault('openmetrics').describe('form of the files'),
      /** Over `job` and `instance` as an example scrape configuration sets them. */
      labels: kind.labels
        .meta({ flag: 'label', unset: 'job=solar, instance=localhost:9877' })
        .describe('label of every series, name=value; repeatable as a flag'),
      intervalMs: kind.interval
        .prefault('1m')
        .describe('how far apart the samples are, at most 4m'),
    },
    { commands: ['history'], isUnnamed: true },
  ),
  simulator: group(
    {
      family: choice(FAMILIES)
        .prefault('classic')
        .meta({ flag: 'family' })
        .describe('inverter family to simulate'),
      portal: kind.boolean
        .optional()
        .meta({ unset: 'yes, but no for classic' })
        .describe('answer as the real service does where its description says otherwise'),
      seed: count().prefault('1').describe('the same seed simulates the same stations and weather'),
      stations: count(1, 10_000).prefault('1').describe('simulated stations'),
      devices: count(1, 10_000).prefault('1').describe('simulated devices per station'),
      latencyMs: kind.timeoutOrZero.prefault('0s').describe('how long each answer takes'),
      tokenLifetimeMs: kind.duration.prefault('2h').describe('how long an access token is valid'),
      speed: kind.positive
        .optional()
        .meta({ unset: '1; demo runs faster' })
        .describe('how many times faster than real time the sun moves'),
      drain: kind.boolean
        .prefault('false')
        .meta({ flag: 'drain' })
        .describe('let every battery run empty at once, so that alerts fire within ten minutes'),
      listenAddress: kind.address
        .prefault('127.0.0.1:9878')
        .describe(
          'where the simulated service listens; without it, the one of demo takes a free port',
        ),
    },
    { commands: ['simulate', 'demo'] },
  ),
});
