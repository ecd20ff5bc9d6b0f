import { execFileSync } from 'node:child_process';
import type { TestProject } from 'vitest/node';

/** The programs that end-to-end tests want beside Node.js, and what brings each. */
const PROGRAMS: Readonly<Record<string, string>> = {
  prometheus: 'apt-get install prometheus',
  promtool: 'apt-get install prometheus',
  'prometheus-alertmanager': 'apt-get install prometheus-alertmanager',
  amtool: 'apt-get install prometheus-alertmanager',
  'victoria-metrics': 'apt-get install victoria-metrics',
  'systemd-analyze': 'apt-get install systemd',
  chromium: 'apt-get install chromium',
  script: 'apt-get install bsdutils',
  bash: 'apt-get install bash',
  mkfifo: 'apt-get install coreutils',
};
/** Those that only the tests of the chart want. */
const PROGRAMS_OF_CHART = { helm: 'https://helm.sh/docs/intro/install' };

/** Whether a program can be run here. With `REQUIRE_PROGRAMS=1`, as in CI, a missing one is a failure. */
export function hasProgram(name: string): boolean {
  try {
    execFileSync(name, [name === 'helm' ? 'version' : '--version'], { stdio: 'ignore' });
    return true;
  } catch (error) {
    // Anything but a program that is missing or has failed is a mistake of the tests.
    if (!(error instanceof Error && ('code' in error || 'status' in error))) throw error;
    if (process.env['REQUIRE_PROGRAMS'] === '1')
      throw new Error(`${name} is required here (REQUIRE_PROGRAMS=1), but cannot be run`);
    return false;
  }
}

/** Says before the first test which tests cannot run here, and what would let them. */
export function setup({ name: project }: TestProject): void {
  const wanted = project === 'chart' ? PROGRAMS_OF_CHART : PROGRAMS;
  for (const [name, remedy] of Object.entries(wanted))
    if (!hasProgram(name))
      process.stdout.write(
        `\nSKIPPED: the tests with a real ${name}: it is not installed (${remedy}).\n`,
      );
}
