import { askHealth } from '../http/ask-health.ts';
import { type CommandContext, EXIT_FAILED, EXIT_OK } from './command.ts';

/** The health check of the image ends it after five seconds. */
const TIMEOUT_MS = 4000;

/** Asks the exporter that this configuration describes whether it is alive. */
export async function health({ config, out, complain }: CommandContext): Promise<number> {
  const { listenAddress, configFile } = config.web;
  const fault = await askHealth(listenAddress, configFile !== undefined, TIMEOUT_MS);
  if (fault === undefined) out('healthy\n');
  else complain(`unhealthy: ${fault}\n`);
  return fault === undefined ? EXIT_OK : EXIT_FAILED;
}
