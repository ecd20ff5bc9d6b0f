import type { TestProject } from 'vitest/node';
import { programsMissing } from './programs.ts';

/** Says before the first test which tests cannot run here, and what would let them. */
export function setup({ name }: TestProject): void {
  for (const { name: program, debianPackage, command } of programsMissing(name === 'long')) {
    const remedy = command ?? `Debian: apt-get install ${debianPackage}`;
    process.stdout.write(
      `\nSKIPPED: the tests with a real ${program}: it is not installed (${remedy}).\n`,
    );
  }
}
