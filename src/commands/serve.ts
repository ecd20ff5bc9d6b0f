import { startExporter } from '../exporter.ts';
import type { Reread } from '../live-assembly.ts';
import { type CommandContext, EXIT_OK } from './command.ts';
import { refuseFixedChanges } from './fixed-options.ts';

/** Runs the exporter until asked to stop. */
export async function serve(context: CommandContext): Promise<number> {
  const { config, log, readConfig, setLogLevel, onReloadRequested } = context;
  const stopRequested = context.stopRequested();
  async function reread(): Promise<Reread> {
    const { config: next, warnings } = await readConfig();
    refuseFixedChanges(config, next);
    for (const warning of warnings) log.warn({}, warning);
    return { options: next, wasTaken: () => setLogLevel(next.log.level) };
  }
  const early = { isReloadWanted: false };
  onReloadRequested(() => (early.isReloadWanted = true));
  const exporter = await startExporter(config, { ...context, reread });
  // How it went stands in the log and on the page.
  const reload = (): void => void exporter.reload().catch(() => undefined);
  onReloadRequested(reload);
  if (early.isReloadWanted) reload();
  await stopRequested;
  onReloadRequested(() => undefined);
  log.info({}, 'stopping');
  await exporter.stop();
  return EXIT_OK;
}
