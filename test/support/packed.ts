import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** What `npm pack` says of a package that it has packed, or would pack. */
export interface Packed {
  readonly name: string;
  readonly version: string;
  readonly filename: string;
  /** Bytes of the packed file. */
  readonly size: number;
  /** Bytes of all files in it. */
  readonly unpackedSize: number;
  readonly files: readonly {
    readonly path: string;
    readonly size: number;
    readonly mode: number;
  }[];
}

/**
 * Packs the exporter as it was built, and further folders of the repository, as npm would for a registry.
 *
 * @param into - the folder for the packed files; undefined to write none.
 */
export function packed(folders: readonly string[] = ['.'], into?: string): readonly Packed[] {
  const destination = into === undefined ? ['--dry-run'] : ['--pack-destination', into];
  const flags = ['--ignore-scripts', '--json', '--offline', ...destination];
  const text = execFileSync('npm', ['pack', ...flags, ...folders], {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return Object.values(JSON.parse(text) as Readonly<Record<string, Packed>>);
}
