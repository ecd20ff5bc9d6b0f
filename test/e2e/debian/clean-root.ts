import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Owned {
  readonly user: number;
  readonly group: number;
  /** As chmod takes it, such as `640`. */
  readonly mode: string;
}

/** A folder into which dpkg installs as if it were the root of an empty computer that has these packages. */
export class CleanRoot {
  readonly #folder: string;

  constructor(folder: string, packages: Readonly<Record<string, string>>) {
    this.#folder = folder;
    // Others have to get in as well: the exporter that is installed here is not root.
    chmodSync(folder, 0o755);
    for (const path of ['etc', 'var/lib/dpkg/info', 'var/lib/dpkg/updates'])
      mkdirSync(this.path(path), { recursive: true });
    const status = Object.entries(packages).map(
      ([name, version]) =>
        `Package: ${name}\nStatus: install ok installed\nVersion: ${version}\n` +
        'Architecture: all\nMaintainer: nobody <nobody@example.org>\nDescription: made up\n',
    );
    writeFileSync(this.path('var/lib/dpkg/status'), status.join('\n'));
    for (const name of Object.keys(packages))
      writeFileSync(this.path(`var/lib/dpkg/info/${name}.list`), '');
  }

  path(inside: string): string {
    return join(this.#folder, inside);
  }

  read(inside: string): string {
    return readFileSync(this.path(inside), 'utf8');
  }

  write(inside: string, text: string): void {
    writeFileSync(this.path(inside), text);
  }

  ownerOf(inside: string): Owned {
    const { uid, gid, mode } = statSync(this.path(inside));
    return { user: uid, group: gid, mode: (mode & 0o7777).toString(8) };
  }

  /** The number of a user or group that the package made; undefined where there is none of that name. */
  numberOf(file: 'passwd' | 'group', name: string): number | undefined {
    const [, number] =
      new RegExp(`^${name}:[^:]*:(\\d+):`, 'm').exec(this.read(`etc/${file}`)) ?? [];
    return number === undefined ? undefined : Number(number);
  }

  /** Runs dpkg, which runs the scripts of the package with DPKG_ROOT. */
  dpkg(...arguments_: readonly string[]): { status: number | null; said: string } {
    const options = [
      `--root=${this.#folder}`,
      '--force-script-chrootless',
      '--force-unsafe-io',
      '--log=/dev/null',
    ];
    const { status, stdout, stderr } = spawnSync('dpkg', [...options, ...arguments_], {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], LC_ALL: 'C' },
    });
    return { status, said: stdout + stderr };
  }
}

/** Takes a package apart, lets its folder be changed, and returns a package that is like it otherwise. */
export function changedPackage(
  path: string,
  folder: string,
  change: (root: string) => void,
): string {
  const root = join(folder, 'root');
  execFileSync('dpkg-deb', ['--raw-extract', path, root]);
  change(root);
  const changed = join(folder, 'changed.deb');
  execFileSync('dpkg-deb', ['--build', '--root-owner-group', '-Znone', root, changed]);
  return changed;
}
