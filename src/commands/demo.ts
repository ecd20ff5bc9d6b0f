import type { Config } from '../config/config.ts';
import { startExporter } from '../exporter/exporter.ts';
import { Secret } from '../base/secret.ts';
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

/** Runs the simulated service and an exporter of it in one process, without an account. */
export async function demo(context: CommandContext): Promise<number> {
  const { config, runtime, out } = context;
  const stopRequested = context.stopRequested();
  const { simulator, url } = await startSimulator(
    config,
    { speed: SPEED, sampleIntervalMs: SAMPLE_INTERVAL_MS, startAtHour: MORNING_HOUR },
    runtime,
  );
  const exporter = await startExporter(demoConfig(context, url, simulator), context).catch(
    async (error: unknown) => {
      await simulator.stop();
      throw error;
    },
  );
  out(`A simulated station, without an account; a day passes in ${minutesPerDay(simulator)} minutes.

  metrics   ${exporter.url}${config.web.telemetryPath}
  page      ${exporter.url}/
  service   ${url}

Stop with Ctrl+C.
`);
  await stopRequested;
  await exporter.stop();
  await simulator.stop();
  return EXIT_OK;
}

/** Points the user's configuration at the simulator, and refreshes often unless the user says otherwise. */
function demoConfig(
  { config, isGiven }: CommandContext,
  url: string,
  simulator: Simulator,
): Config {
  const ttl = (flag: string, givenMs: number): number => (isGiven(flag) ? givenMs : TTL_MS);
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
    stationIds: [],
    timeZone: undefined,
    collect: {
      ...config.collect,
      settings: isGiven('collect.settings') ? config.collect.settings : true,
    },
    cache: {
      ...config.cache,
      readingsTtlMs: ttl('cache.readings-ttl', config.cache.readingsTtlMs),
      summaryTtlMs: ttl('cache.summary-ttl', config.cache.summaryTtlMs),
      devicesTtlMs: ttl('cache.devices-ttl', config.cache.devicesTtlMs),
    },
  };
}

function minutesPerDay({ options }: Simulator): number {
  return Math.round((24 * 60) / options.speed);
}
