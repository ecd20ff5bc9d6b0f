import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { describe, expect, test } from 'vitest';
import { packed } from '../support/local-registry.ts';
import { temporaryDirectory } from '../support/prometheus.ts';
import { repositoryPath } from '../support/repository.ts';

/** The programs that somebody starts, and the files that they load by their names. */
const STARTED = ['dist/cli.js'];

const [exporter] = packed();
const paths = exporter?.files.map(({ path }) => path) ?? [];
const textOf = (path: string): string => readFileSync(repositoryPath(path), 'utf8');
const MANIFEST = JSON.parse(textOf('package.json')) as {
  readonly scripts: Readonly<Record<string, string>>;
  readonly homepage: string;
};

describe('the npm package', () => {
  test('holds what a person reads, and every module that the program can load', () => {
    const others = paths.filter((path) => !path.startsWith('dist/'));
    expect(others.sort()).toEqual(['CHANGELOG.md', 'LICENSE', 'README.md', 'package.json']);
    const loaded = modulesFrom(STARTED);
    expect(loaded.size).toBeGreaterThan(50);
    expect([...loaded].filter((path) => !paths.includes(path))).toEqual([]);
    const unused = paths.filter((path) => path.startsWith('dist/') && !loaded.has(path));
    expect(unused.filter(hasCode)).toEqual([]);
  });

  test('lets the program be started by its name, and is small', () => {
    expect(exporter?.files.find(({ path }) => path === 'dist/cli.js')?.mode).toBe(0o755);
    expect(textOf('dist/cli.js')).toMatch(/^#!\/usr\/bin\/env node\n/);
    expect(exporter?.size).toBeLessThan(500_000);
    expect(exporter?.unpackedSize).toBeLessThan(1_600_000);
  });

  test('builds nothing where it is installed, and says where it comes from', () => {
    const { scripts, homepage, ...manifest } = MANIFEST;
    for (const name of ['preinstall', 'install', 'postinstall'])
      expect(scripts).not.toHaveProperty(name);
    expect(manifest).toMatchObject({
      repository: { type: 'git', url: `git+${homepage}.git` },
      publishConfig: { access: 'public', provenance: true },
      engines: { node: '>=20.19' },
    });
  });
});

test('a clone without the compiler says what to type', () => {
  const clone = temporaryDirectory();
  for (const path of ['package.json', '.ci'])
    cpSync(repositoryPath(path), join(clone, path), { recursive: true });
  for (const name of ['prepare', 'predemo']) {
    // As npm runs it, in a tenth of the time.
    const run = spawnSync(MANIFEST.scripts[name] ?? '', {
      shell: true,
      cwd: clone,
      encoding: 'utf8',
    });
    const stderr = expect.stringMatching(/^solar-exporter is not built: .*; type: npm ci .*\n$/);
    expect(run, name).toMatchObject({ status: 1, stdout: '', stderr });
  }
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
