import type { Family } from '../base/service-names.ts';

/** How the simulated service looks and how it misbehaves, where nobody says otherwise. */
const DEFAULTS = {
  /** Determines everything random: ids, weather, tokens, errors, gaps. */
  seed: 1,
  stations: 1,
  devicesPerStation: 1,
  /** IANA name of the zone the stations stand in. */
  timeZone: 'Asia/Manila',
  /** Which keys, units, signs and answers the devices speak. */
  family: 'classic' as Family,
  /** Whether the inverters of a station work in parallel: each of them says the load of all (service.md#families). */
  parallel: false,
  /**
   * Whether the service answers as the portal does where the specification says otherwise: an expired
   * token, the form of the refresh, the yearly summary and the settings. Undefined: it does for
   * every family but classic.
   */
  portal: undefined as boolean | undefined,
  /** Whether the portal has read every device's settings; else its cache is empty until somebody asks a device. */
  settingsCached: false,
  /** Whether the endpoints exist that are not specified. */
  portalEndpoints: true,
  account: 'demo@example.org',
  /** Plaintext; the service compares its lowercase MD5 hex. */
  password: 'demo-password',
  appId: 'demo-app-id',
  appSecret: 'demo-app-secret',
  tokenLifetimeMs: 2 * 3_600_000,
  /** Slept on the clock before every answer. */
  latencyMs: 0,
  /** For how many days the service keeps readings; undefined: since the installation. */
  historyDays: undefined as number | undefined,
  /** The most points in one page of a time series, however many are asked for. */
  mostPoints: Infinity,
  /** Readings exist at instants aligned to this interval since the Unix epoch. */
  sampleIntervalMs: 300_000,
  /** How much faster than the clock physical time runs, from the simulator's creation on. */
  speed: 1,
  /** Station-local hour of day at which physical time starts; the clock's own when undefined. */
  startAtHour: undefined as number | undefined,
  /**
   * Whether every battery runs empty, from the simulator's creation on: an evening with little left,
   * in which ten minutes pass in one unless `speed` and `startAtHour` say otherwise.
   */
  drain: false,
  host: '127.0.0.1',
  /** 0 picks a free port. */
  port: 0,
};

/** How the simulated service looks and how it misbehaves. */
export type SimulatorOptions = Readonly<typeof DEFAULTS>;

/**
 * After dark, so that nothing charges the battery. In an hour an evening takes about 17 points of
 * its charge, so in a minute three: slow enough for rules that take a steeper fall for a misreading.
 */
const DRAINED: Partial<SimulatorOptions> = { speed: 10, startAtHour: 19 };

/** Fills in the defaults; the family decides whether the service is the portal. */
export function completeOptions(options: Partial<SimulatorOptions>): SimulatorOptions {
  const { family = DEFAULTS.family } = options;
  const portal = options.portal ?? family !== 'classic';
  const drained = options.drain === true ? DRAINED : {};
  return { ...DEFAULTS, ...drained, ...options, portal };
}
