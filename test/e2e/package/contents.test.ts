import { existsSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import process from 'node:process';
import { describe, expect, test } from 'vitest';
import { pageAssets } from '../../../src/http/status-page/assets.ts';
import { packed } from '../../support/packed.ts';

const ROOT = new URL('../../../', import.meta.url);
/** The programs that somebody starts, and the files that they load by their names. */
const STARTED = [
  'dist/cli.js',
  'dist/health-check.js',
  'dist/http/authentication/bcrypt-worker.js',
  ...[...pageAssets().keys()]
    .filter((path) => path.endsWith('.js'))
    .map((path) => `dist/http/status-page/${posix.basename(path)}`),
];
const MOST_PACKED_BYTES = 500_000;
const MOST_UNPACKED_BYTES = 1_600_000;

const [exporter] = packed();
const paths = exporter?.files.map(({ path }) => path) ?? [];
const modules = paths.filter((path) => path.startsWith('dist/'));

describe('the npm package', () => {
  test('holds beside the program what a person reads', () => {
    expect(paths.filter((path) => !path.startsWith('dist/')).sort()).toEqual([
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'man/solar-exporter.1',
      'package.json',
    ]);
  });

  test('holds every module that the program can load, and only modules without code beside them', () => {
    const loaded = modulesFrom(STARTED);
    expect(loaded.size).toBeGreaterThan(300);
    expect([...loaded].filter((path) => !modules.includes(path))).toEqual([]);
    expect(modules.filter((path) => !loaded.has(path) && hasCode(path))).toEqual([]);
  });

  test('holds nothing that a build before has left', () => {
    const sources = modules.map((path) => path.replace(/^dist/, 'src'));
    const gone = sources.filter((path) => !isThere(path) && !isThere(path.replace(/js$/, 'ts')));
    expect(gone).toEqual([]);
  });

  test('lets the program be started by its name', () => {
    expect(exporter?.files.find(({ path }) => path === 'dist/cli.js')?.mode).toBe(0o755);
    expect(textOf('dist/cli.js')).toMatch(/^#!\/usr\/bin\/env node\n/);
  });

  test('is small', () => {
    const { size = 0, unpackedSize = 0 } = exporter ?? {};
    process.stdout.write(`npm package: ${size} bytes, unpacked ${unpackedSize} bytes\n`);
    expect(size).toBeLessThan(MOST_PACKED_BYTES);
    expect(unpackedSize).toBeLessThan(MOST_UNPACKED_BYTES);
  });
});

describe('package.json', () => {
  const { homepage = '', ...manifest } = JSON.parse(textOf('package.json')) as {
    readonly homepage?: string;
  };

  test('builds nothing when somebody installs the package', () => {
    for (const name of ['preinstall', 'install', 'postinstall'])
      expect(manifest).not.toHaveProperty(['scripts', name]);
  });

  test('says where the program comes from, as a publication with provenance needs it', () => {
    expect(manifest).toMatchObject({
      repository: { type: 'git', url: `git+${homepage}.git` },
      bugs: { url: `${homepage}/issues` },
      publishConfig: { access: 'public', provenance: true },
    });
    expect(manifest).toHaveProperty('keywords', expect.arrayContaining(['prometheus-exporter']));
    expect(manifest).toHaveProperty('engines', { node: '>=20.19' });
  });
});

/** Every module that these can load, themselves included: by an import at their head or later. */
function modulesFrom(started: readonly string[]): ReadonlySet<string> {
  const found = new Set(started);
  for (const path of found)
    for (const [, name = ''] of textOf(path).matchAll(
      /\b(?:from|import)\s*\(?\s*['"](\.[^'"]+\.js)['"]/g,
    ))
      found.add(posix.join(posix.dirname(path), name));
  return found;
}

/** Whether a module does anything; one that only holds types is empty. */
function hasCode(path: string): boolean {
  const [code = ''] = textOf(path).split('//# sourceMappingURL');
  return code.trim() !== 'export {};';
}

function textOf(path: string): string {
  return readFileSync(new URL(path, ROOT), 'utf8');
}

function isThere(path: string): boolean {
  return existsSync(new URL(path, ROOT));
}
