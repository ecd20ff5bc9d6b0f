import type { Family } from './families/names.ts';

/** How the simulated service looks and how it misbehaves. */
export interface SimulatorOptions {
  /** Determines everything random: ids, weather, tokens, errors, gaps. */
  readonly seed: number;
  readonly stations: number;
  readonly devicesPerStation: number;
  /** IANA name of the zone the stations stand in. */
  readonly timeZone: string;
  /** Which keys, units, signs and answers the devices speak. */
  readonly family: Family;
  /**
   * Whether the service answers as the portal does where the interface says otherwise: an expired
   * token, the form of the refresh, the yearly summary and the settings. Undefined: it does for
   * every family but classic.
   */
  readonly portal: boolean | undefined;
  /**
   * Whether the portal has read the settings of every device before. Otherwise its cache of them is
   * empty, as it is until somebody asks a device.
   */
  readonly settingsCached: boolean;
  /** Whether the endpoints exist that the interface does not have. */
  readonly portalEndpoints: boolean;
  readonly latitudeDegrees: number;
  readonly account: string;
  /** Plaintext; the service compares its lowercase MD5 hex. */
  readonly password: string;
  readonly appId: string;
  readonly appSecret: string;
  readonly tokenLifetimeMs: number;
  readonly refreshTokenLifetimeMs: number;
  /**
   * `token`: `{refreshToken}`, unsigned. `pair`: `{accessToken, refreshToken}`, signed like a login;
   * what {@link completeOptions} takes for the portal when neither is given.
   */
  readonly refreshForm: 'token' | 'pair';
  /** Slept on the clock before every answer. */
  readonly latencyMs: number;
  /** Share of data requests answered with status 500, 0 to 1. */
  readonly errorRate: number;
  /** Leaves `total` out of the device list. */
  readonly omitTotal: boolean;
  /** Makes `total` of the device list the number of pages. */
  readonly totalIsPages: boolean;
  /** Share of time-series elements that are null, 0 to 1. */
  readonly nullReadings: number;
  /** For how many days the service keeps readings; undefined: since the installation. */
  readonly historyDays: number | undefined;
  /** Share of the pages of a time series that come back empty although another follows, 0 to 1. */
  readonly emptyPages: number;
  /** What `total` of a time series counts; `none` leaves it out. */
  readonly historyTotal: 'pages' | 'points' | 'none';
  /** The most points in one page of a time series, however many are asked for. */
  readonly mostPoints: number;
  /** Readings exist at instants aligned to this interval since the Unix epoch. */
  readonly sampleIntervalMs: number;
  /** How much faster than the clock physical time runs, from the simulator's creation on. */
  readonly speed: number;
  /** Station-local hour of day at which physical time starts; the clock's own when undefined. */
  readonly startAtHour: number | undefined;
  /**
   * Whether every battery runs empty, from the simulator's creation on: an evening with little left,
   * in which ten minutes pass in one unless `speed` and `startAtHour` say otherwise.
   */
  readonly drain: boolean;
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
}

/** The defaults. */
export const defaultOptions: SimulatorOptions = {
  seed: 1,
  stations: 1,
  devicesPerStation: 1,
  timeZone: 'Asia/Manila',
  family: 'classic',
  portal: undefined,
  settingsCached: false,
  portalEndpoints: true,
  latitudeDegrees: 14.6,
  account: 'demo@example.org',
  password: 'demo-password',
  appId: 'demo-app-id',
  appSecret: 'demo-app-secret',
  tokenLifetimeMs: 2 * 3_600_000,
  refreshTokenLifetimeMs: 30 * 86_400_000,
  refreshForm: 'token',
  latencyMs: 0,
  errorRate: 0,
  omitTotal: false,
  totalIsPages: false,
  nullReadings: 0,
  historyDays: undefined,
  emptyPages: 0,
  historyTotal: 'pages',
  mostPoints: Infinity,
  sampleIntervalMs: 300_000,
  speed: 1,
  startAtHour: undefined,
  drain: false,
  host: '127.0.0.1',
  port: 0,
};

/**
 * After dark, so that nothing charges the battery. In an hour an evening takes about 17 points of
 * its charge, so in a minute three: slow enough for rules that take a steeper fall for a misreading.
 */
const DRAINED: Partial<SimulatorOptions> = { speed: 10, startAtHour: 19 };

/** Fills in the defaults; the family decides whether the service is the portal. */
export function completeOptions(options: Partial<SimulatorOptions>): SimulatorOptions {
  const { family = defaultOptions.family } = options;
  const portal = options.portal ?? family !== 'classic';
  const refreshForm = options.refreshForm ?? (portal ? 'pair' : 'token');
  const drained = options.drain === true ? DRAINED : {};
  return { ...defaultOptions, ...drained, ...options, portal, refreshForm };
}
