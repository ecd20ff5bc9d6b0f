import { programsMissing } from './programs.ts';

/** Says before the first test which end-to-end tests cannot run here, and what would let them. */
export function setup(): void {
  for (const { name, debianPackage, command } of programsMissing()) {
    const remedy = command ?? `Debian: apt-get install ${debianPackage}`;
    process.stdout.write(
      `\nSKIPPED: the end-to-end tests with a real ${name}: it is not installed (${remedy}).\n`,
    );
  }
}
