import { type CommandContext, EXIT_OK } from './command.ts';
import { startSimulator } from './simulated-service.ts';

/** Runs the simulated service alone, for an exporter that is started beside it. */
export async function simulate(context: CommandContext): Promise<number> {
  const { config, surroundings, out } = context;
  const stopRequested = context.stopRequested();
  const { simulator, url } = await startSimulator(config, {}, surroundings);
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
