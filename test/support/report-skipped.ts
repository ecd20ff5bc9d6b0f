import { programsMissing } from './programs.ts';

/** Says before the first test which end-to-end tests cannot run here, and what would let them. */
export function setup(): void {
  for (const { name, debianPackage } of programsMissing()) {
    process.stdout.write(
      `\nSKIPPED: the end-to-end tests with a real ${name}: it is not installed (Debian: apt-get install ${debianPackage}).\n`,
    );
  }
}
