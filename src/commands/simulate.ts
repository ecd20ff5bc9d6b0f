import { ConfigError } from '../base/errors.ts';
import { whyNotListening } from '../base/shown.ts';
import type { Runtime } from '../base/clock.ts';
import type { Config } from '../config/config.ts';
import { createSimulator, type Simulator, type SimulatorOptions } from '../simulator/simulator.ts';
import { type CommandContext, EXIT_OK } from './command.ts';

/** Runs the simulated service alone, for an exporter in another process. */
export async function simulate(context: CommandContext): Promise<number> {
  const { config, runtime, out } = context;
  const stopRequested = context.stopRequested();
  const { simulator, url } = await startSimulator(config, {}, runtime);
  const { account, password, appId, appSecret } = simulator.options;
  out(`The simulated service answers at ${url}

Its made-up account, for an exporter in another terminal:
  export SOLAR_BASE_URL=${url}
  export SOLAR_ACCOUNT=${account}
  export SOLAR_PASSWORD=${password}
  export SOLAR_APP_ID=${appId}
  export SOLAR_APP_SECRET=${appSecret}
  solar-exporter serve

Stop with Ctrl+C.
`);
  await stopRequested;
  await simulator.stop();
  return EXIT_OK;
}

/**
 * Starts the simulated service that the configuration describes.
 *
 * @throws ConfigError when its address cannot be listened on.
 */
export async function startSimulator(
  { simulator, timeZone }: Config,
  overrides: Partial<SimulatorOptions>,
  { clock }: Runtime,
): Promise<{ simulator: Simulator; url: string }> {
  const { devices, listenAddress, speed, ...same } = simulator;
  const { host = '0.0.0.0', port } = listenAddress;
  const given = {
    ...(timeZone !== undefined && { timeZone }),
    ...(speed !== undefined && { speed }),
  };
  const options = { ...same, devicesPerStation: devices, host, port, ...overrides, ...given };
  const started = createSimulator(options, clock);
  try {
    const url = await started.start();
    // 0.0.0.0 stands for every interface; a client needs the address of one.
    return { simulator: started, url: url.replace('//0.0.0.0:', '//127.0.0.1:') };
  } catch (error) {
    const why = whyNotListening(error, `${host}:${port}`, port);
    throw new ConfigError([`--simulator.listen-address: ${why}`], { cause: error });
  }
}
