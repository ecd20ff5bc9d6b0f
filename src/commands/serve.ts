import { ConfigError } from '../base/errors.ts';
import type { Config } from '../config/config.ts';
import { OPTIONS, showValue } from '../config/options.ts';
import { startExporter } from '../exporter/exporter.ts';
import type { Reread } from '../exporter/reload.ts';
import { type CommandContext, EXIT_OK } from './command.ts';

/** Runs the exporter until asked to stop. */
export async function serve(context: CommandContext): Promise<number> {
  const { config, log, readConfig, onReloadRequested } = context;
  const stopRequested = context.stopRequested();
  async function reread(): Promise<Reread> {
    const { config: next, warnings } = await readConfig();
    refuseFixedChanges(config, next);
    for (const warning of warnings) log.warn({}, warning);
    return { options: next, onApplied: () => log.setLevel(next.log.level) };
  }
  const early = { isReloadWanted: false };
  onReloadRequested(() => (early.isReloadWanted = true));
  const exporter = await startExporter(config, { ...context, reread });
  // The log and the page say how the reload went.
  const reload = (): void => void exporter.reload().catch(() => undefined);
  onReloadRequested(reload);
  if (early.isReloadWanted) reload();
  await stopRequested;
  onReloadRequested(() => undefined);
  log.info({}, 'stopping');
  await exporter.stop();
  return EXIT_OK;
}

/**
 * Refuses a reload that changes options that only a restart can change.
 *
 * @throws ConfigError naming every such option.
 */
function refuseFixedChanges(config: Config, next: Config): void {
  const problems = OPTIONS.filter(({ needsRestart }) => needsRestart).flatMap((option) => {
    const [before, after] = [showValue(option, config), showValue(option, next)];
    return before === after
      ? []
      : `${option.flag}: "${after}" in place of "${before}" takes a restart; accepted: a reload that leaves it as it is`;
  });
  if (problems.length > 0) throw new ConfigError(problems);
}
