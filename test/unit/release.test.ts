import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { notesOf } from '../../.ci/changelog.js';
import { readText, readYaml, repositoryPath } from '../support/repository.ts';

const WORKFLOWS = readdirSync(repositoryPath('.github/workflows'));
const { version, homepage } = JSON.parse(readText('package.json')) as Record<string, string>;

test.each(WORKFLOWS)('the workflow %s may do only what a job asks for', (file) => {
  const path = `.github/workflows/${file}`;
  expect(readYaml(path)).toMatchObject({ permissions: {} });
  const uses = [...readText(path).matchAll(/uses: (.*)$/gm)].map(([, use]) => use);
  for (const use of uses)
    expect(use).toMatch(/^\.\/\.github\/workflows\/\w+\.yml$|@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  // A text of others in a script would be run as one.
  expect(readText(path)).not.toMatch(/run: (?:\|(?:\n {10}.*)*|.*)\$\{\{/);
});

test('nothing is released that was not checked before', () => {
  const { jobs } = readYaml('.github/workflows/release.yml') as {
    readonly jobs: Readonly<Record<string, { readonly needs?: readonly string[] }>>;
  };
  for (const name of ['npm', 'image', 'chart'])
    expect(jobs[name]?.needs).toEqual(expect.arrayContaining(['check', 'package']));
});

test('the notes of a release are what the changelog says of its version', () => {
  const changelog =
    '# Changelog\n\n## [Unreleased]\n\n- Not yet.\n\n## [1.2.0] - 2026-11-23\n\n- A [page](docs/a.md).\n\n## [1.1.0]\n\n- Older.\n\n[1.2.0]: https://example.org\n';
  const notes = (of: string) => notesOf(changelog, of, 'https://example.org');
  expect(notes('1.2.0')).toBe('- A [page](https://example.org/docs/a.md).\n');
  expect(notes('1.1.0')).toBe('- Older.\n');
  expect(notes('1.2')).toBeUndefined();
  expect(notesOf(readText('CHANGELOG.md'), version ?? '', homepage ?? '')).toMatch(/^The first/);
});

test('the chart has the version of package.json', () => {
  expect(readYaml('deploy/helm/solar-exporter/Chart.yaml')).toMatchObject({
    version,
    appVersion: version,
  });
});
