import { startExporter } from '../exporter/exporter.ts';
import type { ExporterOptions } from '../exporter/options.ts';
import { Secret } from '../base/shown.ts';
import { CURVE_STEP_MS } from '../model/day-curve.ts';
import type { Simulator } from '../simulator/simulator.ts';
import { type CommandContext, EXIT_OK } from './command.ts';
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
const DRAIN_NOTICE = `
The battery is nearly empty, and the house goes on drawing from it. With the rules of
prometheus/rules/solar.yml, a Prometheus that scrapes the metrics shows SolarBatteryLow and
SolarBatteryCritical within ten minutes. With "docker compose up" it is at
http://localhost:9090/alerts, and what an owner is told at http://localhost:9093.
`;

/** Runs the simulated service and an exporter of it in one process, without an account. */
export async function demo(context: CommandContext): Promise<number> {
  const { config, out, complain } = context;
  const stopRequested = context.stopRequested();
  const { simulator, url } = await startService(context);
  const options = demoConfig(context, url, simulator);
  const exporter = await startExporter(options, context).catch(async (error: unknown) => {
    await simulator.stop();
    throw error;
  });
  if (options.areCredentialsIgnored === true)
    complain(
      'solar-exporter: an account or tokens are configured, but this is the demo: it does not use them, and everything that it shows is simulated; "solar-exporter serve" shows your own station\n',
    );
  const minutesPerDay = Math.round((24 * 60) / simulator.options.speed);
  out(`A simulated station, without an account; a day passes in ${minutesPerDay} minutes.
Everything that it shows is made up, and says so. Energy counters go by your clock,
so they grow ${simulator.options.speed} times more slowly than the energy of the day.

  metrics   ${exporter.url}${config.web.telemetryPath}
  page      ${exporter.url}/
  service   ${url}
${config.simulator.drain ? DRAIN_NOTICE : DRAIN_HINT}
Stop with Ctrl+C.
`);
  await stopRequested;
  await exporter.stop();
  await simulator.stop();
  return EXIT_OK;
}

/** Starts the simulated service: at a free port unless somebody asked for one. */
function startService({ config, isGiven, runtime }: CommandContext) {
  return startSimulator(
    config,
    {
      sampleIntervalMs: SAMPLE_INTERVAL_MS,
      // A station that somebody has looked after for a while.
      settingsCached: true,
      // A draining battery has a speed and an hour of its own.
      ...(config.simulator.drain ? {} : { speed: SPEED, startAtHour: MORNING_HOUR }),
      ...(isGiven('simulator.listen-address') ? {} : { port: 0 }),
    },
    runtime,
  );
}

/** The options of an account or a session of the real service. */
const CREDENTIALS = ['account', 'password', 'access-token', 'refresh-token'];

/** Points the user's configuration at the simulator, and refreshes often unless the user says otherwise. */
function demoConfig(
  { config, isGiven }: CommandContext,
  url: string,
  simulator: Simulator,
): ExporterOptions {
  const { cache, collect, request } = config;
  const brief = ['readings', 'summary', 'devices', 'alarms'].filter(
    (name) => !isGiven(`cache.${name}-ttl`),
  );
  const { account, password, appId, appSecret, speed } = simulator.options;
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
    areCredentialsIgnored: CREDENTIALS.some((flag) => isGiven(flag)),
    request: { ...request, isDirect: true },
    stationIds: [],
    timeZone: undefined,
    // The day of the sun has as many instants of its curve as a day of 24 hours.
    dayAt: (atMs) => ({ ...simulator.dayAt(atMs), stepMs: CURVE_STEP_MS / speed }),
    collect: { ...collect, settings: isGiven('collect.settings') ? collect.settings : true },
    cache: { ...cache, ...Object.fromEntries(brief.map((name) => [`${name}TtlMs`, TTL_MS])) },
  };
}
