import { startExporter } from '../exporter.ts';
import { type CommandContext, EXIT_OK } from './command.ts';

/** Runs the exporter until asked to stop. */
export async function serve(context: CommandContext): Promise<number> {
  const { config, surroundings, build, log } = context;
  const stopRequested = context.stopRequested();
  const exporter = await startExporter(config, surroundings, build, log);
  await stopRequested;
  log.info({}, 'stopping');
  await exporter.stop();
  return EXIT_OK;
}
