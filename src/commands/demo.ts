import { startExporter } from '../exporter/exporter.ts';
import type { ExporterOptions } from '../exporter/options.ts';
import { Secret } from '../base/shown.ts';
import { CURVE_STEP_MS, type CurveDay } from '../model/day-curve.ts';
import type { Simulator, SimulatorOptions } from '../simulator/simulator.ts';
import { type CommandContext, EXIT_OK } from './command.ts';
import { drainNotice } from './drain.ts';
import { startSimulator } from './simulate.ts';

/** A simulated day takes four minutes, so that the page changes while one looks at it. */
const SPEED = 360;
/** An hour then holds 1,800 readings; the client asks for at most 2,000. */
const SAMPLE_INTERVAL_MS = 2000;
const MORNING_HOUR = 7;
/** How long answers of the service count as fresh: short, so that the page changes. */
const TTL_MS = 2000;

const DRAIN_HINT = `
To see an alert, let the battery run empty: --drain.
`;

/** Runs the simulated service and an exporter of it in one process, without an account. */
export async function demo(context: CommandContext): Promise<number> {
  const { config, runtime, out } = context;
  const stopRequested = context.stopRequested();
  const { simulator, url, remark } = await startService(context);
  const exporter = await startExporter(demoConfig(context, url, simulator), context).catch(
    async (error: unknown) => {
      await simulator.stop();
      throw error;
    },
  );
  if (ignoresCredentials(context))
    context.complain(
      'solar-exporter: an account or tokens are configured, but this is the demo: it does not use them, and everything that it shows is simulated; "solar-exporter serve" shows your own station\n',
    );
  out(`A simulated station, without an account; a day passes in ${minutesPerDay(simulator)} minutes.
Everything that it shows is made up, and says so.

  metrics   ${exporter.url}${config.web.telemetryPath}
  page      ${exporter.url}/
  service   ${url}${remark}
${config.simulator.drain ? drainNotice(simulator, runtime.clock.nowMs()) : DRAIN_HINT}
Stop with Ctrl+C.
`);
  await stopRequested;
  await exporter.stop();
  await simulator.stop();
  return EXIT_OK;
}

/** Starts the simulated service: at another port where the default one is taken. */
async function startService(context: CommandContext): Promise<{
  readonly simulator: Simulator;
  readonly url: string;
  readonly remark: string;
}> {
  const { config, isGiven, runtime } = context;
  const overrides = demoOverrides(context);
  try {
    return { ...(await startSimulator(config, overrides, runtime)), remark: '' };
  } catch (error) {
    // An address that somebody asked for is used, or refused.
    if (isGiven('simulator.listen-address') || !isAddressInUse(error)) throw error;
    const started = await startSimulator(config, { ...overrides, port: 0 }, runtime);
    const { port } = config.simulator.listenAddress;
    return { ...started, remark: ` (a free port, because ${port} is taken)` };
  }
}

/** What the demo simulates where the user says nothing else. */
function demoOverrides({ config, isGiven }: CommandContext): Partial<SimulatorOptions> {
  const { drain, settingsCached } = config.simulator;
  return {
    sampleIntervalMs: SAMPLE_INTERVAL_MS,
    // A station that somebody has looked after for a while.
    settingsCached: isGiven('simulator.settings-cached') ? settingsCached : true,
    // A draining battery has a speed and an hour of its own.
    ...(drain ? {} : { speed: SPEED, startAtHour: MORNING_HOUR }),
  };
}

function isAddressInUse(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && 'code' in cause && cause.code === 'EADDRINUSE';
}

/** The options of an account or a session of the real service. */
const CREDENTIALS = ['account', 'password', 'access-token', 'refresh-token'];

function ignoresCredentials({ config, isGiven }: CommandContext): boolean {
  return config.accounts.length > 0 || CREDENTIALS.some((flag) => isGiven(flag));
}

/** Points the user's configuration at the simulator, and refreshes often unless the user says otherwise. */
function demoConfig(context: CommandContext, url: string, simulator: Simulator): ExporterOptions {
  const { config, isGiven } = context;
  const ttl = <Given>(flag: string, given: Given): Given | number =>
    isGiven(flag) ? given : TTL_MS;
  const { account, password, appId, appSecret } = simulator.options;
  return {
    ...config,
    // The session ends with the simulator, so there is nothing to keep.
    stateDir: undefined,
    baseUrl: url,
    authUrl: url,
    account,
    password: new Secret(password),
    appId,
    appSecret: new Secret(appSecret),
    appSecretEncrypted: undefined,
    accessToken: undefined,
    refreshToken: undefined,
    accounts: [],
    accountName: undefined,
    areCredentialsIgnored: ignoresCredentials(context),
    stationIds: [],
    timeZone: undefined,
    dayAt: (atMs) => dayOfSun(simulator, atMs),
    collect: {
      ...config.collect,
      settings: isGiven('collect.settings') ? config.collect.settings : true,
    },
    cache: {
      ...config.cache,
      readingsTtlMs: ttl('cache.readings-ttl', config.cache.readingsTtlMs),
      summaryTtlMs: ttl('cache.summary-ttl', config.cache.summaryTtlMs),
      devicesTtlMs: ttl('cache.devices-ttl', config.cache.devicesTtlMs),
      alarmsTtlMs: ttl('cache.alarms-ttl', config.cache.alarmsTtlMs),
    },
  };
}

/** Returns the day of the sun, with as many instants of its curve as a day of 24 hours has. */
function dayOfSun(simulator: Simulator, atMs: number): CurveDay {
  const { startsAtMs, endsAtMs } = simulator.dayAt(atMs);
  const stepMs = CURVE_STEP_MS / simulator.options.speed;
  return { startsAtMs, endsAtMs, stepMs };
}

function minutesPerDay({ options }: Simulator): number {
  return Math.round((24 * 60) / options.speed);
}
