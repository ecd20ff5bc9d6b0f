import { spawnSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import { temporaryDirectory } from '../../support/prometheus.ts';
import { RULES_FOLDER } from '../../prometheus/rule-files.ts';

/** Runs promtool in a folder. */
export function promtool(
  directory: string,
  ...arguments_: readonly string[]
): { readonly status: number | null; readonly output: string } {
  const { status, stdout, stderr } = spawnSync('promtool', arguments_, {
    cwd: directory,
    encoding: 'utf8',
    // It is short-lived: collecting garbage less often saves a quarter of its time.
    env: { ...process.env, GOGC: '400' },
  });
  return { status, output: stdout + stderr };
}

/** Returns a copy of the rules and their tests that may be broken. */
export function copyOfRules(): string {
  const directory = temporaryDirectory();
  cpSync(RULES_FOLDER, directory, { recursive: true });
  return directory;
}
