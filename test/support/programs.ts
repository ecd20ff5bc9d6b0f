import { execFileSync } from 'node:child_process';

export interface Program {
  readonly name: string;
  /** What brings it; by default a package of Debian. */
  readonly debianPackage?: string;
  readonly command?: string;
  /** What it is asked to see whether it can be run; its version unless this says otherwise. */
  readonly probe?: readonly string[];
  /** Whether only long tests want it. */
  readonly isForLong?: boolean;
}

/** The programs that end-to-end tests want beside Node.js. */
const PROGRAMS: readonly Program[] = [
  { name: 'prometheus', debianPackage: 'prometheus' },
  { name: 'promtool', debianPackage: 'prometheus' },
  { name: 'prometheus-alertmanager', debianPackage: 'prometheus-alertmanager' },
  { name: 'amtool', debianPackage: 'prometheus-alertmanager' },
  { name: 'victoria-metrics', debianPackage: 'victoria-metrics' },
  { name: 'systemd-analyze', debianPackage: 'systemd' },
  { name: 'chromium', debianPackage: 'chromium' },
  { name: 'script', debianPackage: 'bsdutils' },
  { name: 'bash', debianPackage: 'bash' },
  { name: 'mkfifo', debianPackage: 'coreutils' },
  { name: 'helm', command: '.ci/helm node_modules/.programs', probe: ['version'], isForLong: true },
];

/** Whether a program can be run here. With `REQUIRE_PROGRAMS=1`, as in CI, a missing one is a failure. */
export function hasProgram(name: string): boolean {
  const { probe = ['--version'] } = PROGRAMS.find((program) => program.name === name) ?? {};
  try {
    execFileSync(name, probe, { stdio: 'ignore' });
    return true;
  } catch (error) {
    if (!isOfProgram(error)) throw error;
    if (process.env['REQUIRE_PROGRAMS'] === '1')
      throw new Error(`${name} is required here (REQUIRE_PROGRAMS=1), but cannot be run`);
    return false;
  }
}

/** Whether the program is missing or has failed; anything else is a mistake of the tests. */
function isOfProgram(error: unknown): boolean {
  return error instanceof Error && ('code' in error || 'status' in error);
}

/** The programs that tests want and that cannot be run here; those of long tests only where these run. */
export function programsMissing(isLong: boolean): readonly Program[] {
  return PROGRAMS.filter(({ name, isForLong = false }) => isLong >= isForLong && !hasProgram(name));
}
