/** What the simulated service looks like and how it misbehaves. */
export interface SimulatorOptions {
  /** Everything random (ids, weather, tokens, errors, gaps) follows from it. */
  readonly seed: number;
  readonly stations: number;
  readonly devicesPerStation: number;
  /** IANA name of the zone the stations stand in. */
  readonly timeZone: string;
  readonly latitudeDegrees: number;
  readonly account: string;
  /** Plaintext; the service compares its lowercase MD5 hex. */
  readonly password: string;
  readonly appId: string;
  readonly appSecret: string;
  readonly tokenLifetimeMs: number;
  readonly refreshTokenLifetimeMs: number;
  /** `token`: `{refreshToken}`, unsigned. `pair`: `{accessToken, refreshToken}`, signed like a login. */
  readonly refreshForm: 'token' | 'pair';
  /** Slept on the clock before every answer. */
  readonly latencyMs: number;
  /** Share of data requests answered with status 500, 0 to 1. */
  readonly errorRate: number;
  /** Leaves `total` out of the device list. */
  readonly omitTotal: boolean;
  /** Share of time-series elements that are null, 0 to 1. */
  readonly nullReadings: number;
  /** Readings exist at instants aligned to this interval since the Unix epoch. */
  readonly sampleIntervalMs: number;
  /** How much faster than the clock physical time runs, from the simulator's creation on. */
  readonly speed: number;
  /** Station-local hour of day at which physical time starts; the clock's own when undefined. */
  readonly startAtHour: number | undefined;
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
}

/** The options of a simulator that was asked for nothing special. */
export const defaultOptions: SimulatorOptions = {
  seed: 1,
  stations: 1,
  devicesPerStation: 1,
  timeZone: 'Asia/Manila',
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
  nullReadings: 0,
  sampleIntervalMs: 300_000,
  speed: 1,
  startAtHour: undefined,
  host: '127.0.0.1',
  port: 0,
};
