import type { Config } from '../config/config.ts';
import { describeConfig } from '../config/describe.ts';
import type { Flag } from '../config/options.ts';
import { ConfigError } from '../errors.ts';

/** What only a start can take up: who listens where, and what holds the directory and the log. */
const FIXED: ReadonlySet<string> = new Set<Flag>([
  'state.dir',
  'web.listen-address',
  'web.telemetry-path',
  'web.config.file',
  'web.max-requests',
  'web.enable-lifecycle',
  'log.format',
]);

/**
 * Lets a reload through that changes only what a reload can change.
 *
 * @throws ConfigError naming everything else that it would change.
 */
export function refuseFixedChanges(config: Config, next: Config): void {
  const before = valuesOf(config);
  const problems = [...valuesOf(next)]
    .filter(([flag, value]) => FIXED.has(flag) && value !== before.get(flag))
    .map(
      ([flag, value]) =>
        `${flag}: "${value}" in place of "${before.get(flag) ?? ''}" takes a restart; accepted: a reload that leaves it as it is`,
    );
  if (problems.length > 0) throw new ConfigError(problems);
}

function valuesOf(config: Config): ReadonlyMap<string, string> {
  return new Map(describeConfig(config, new Map()).map(({ flag, value }) => [flag, value]));
}
