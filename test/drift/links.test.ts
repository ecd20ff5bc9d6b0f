import { existsSync, readdirSync, statSync } from 'node:fs';
import { posix } from 'node:path';
import { describe, expect, test } from 'vitest';
import { repositoryPath } from '../support/repository.ts';
import { anchorsOf, linksOf, PAGES, textOf } from './markdown.ts';

const REPOSITORY = 'https://github.com/solar-exporter/solar-exporter';
/** Where GitHub shows a file of the main branch. */
const FILE = `${REPOSITORY}/blob/main/`;
/** What may lead a reader to a page of the project, beside the pages themselves. */
const ELSEWHERE = ['prometheus', 'deploy', 'examples', 'grafana', 'src', '.github'].flatMap(
  (folder) =>
    readdirSync(repositoryPath(folder), { recursive: true, encoding: 'utf8' })
      .map((name) => `${folder}/${name}`)
      .filter((path) => statSync(repositoryPath(path)).isFile()),
);
const NAMING_PAGES = [...ELSEWHERE, 'compose.yaml', '.env.example', 'Dockerfile', 'package.json'];

describe('the links of', () => {
  test.each(PAGES)('%s lead to files and headings that exist', (page) => {
    const own = linksOf(textOf(page)).filter((link) => !/^[a-z]+:/.test(link));
    const targets = own.map((link) =>
      link.startsWith('#') ? `${page}${link}` : posix.join(posix.dirname(page), link),
    );
    expect(targets.filter((target) => !leadsSomewhere(target))).toEqual([]);
  });

  test('rules, programs and examples lead to pages of the project that exist', () => {
    const links = NAMING_PAGES.flatMap((path) =>
      [...textOf(path).matchAll(/https:\/\/github\.com\/solar-exporter\/[^\s"'`)\\]*/g)].map(
        ([link]) => link,
      ),
    );
    expect(links.length).toBeGreaterThan(20);
    expect(links.filter((link) => !isProjectPage(link))).toEqual([]);
  });
});

test('every page that a text names exists, and every file but a test', () => {
  const named = [...NAMING_PAGES, ...PAGES].flatMap((path) => {
    const pages = textOf(path).matchAll(/(?<![\w/.-])(?:docs\/[\w-]+|[A-Z]{4,})\.md/g);
    const files = textOf(path).matchAll(
      /(?<![\w/.:@-])(?:src|grafana|prometheus|deploy|examples|\.ci)\/[\w./-]*\w\.\w+(?![\w*])/g,
    );
    return [...pages, ...(PAGES.includes(path) ? files : [])].map(([name]) => name);
  });
  expect(named.length).toBeGreaterThan(30);
  expect(named.filter((name) => !existsSync(repositoryPath(name)))).toEqual([]);
});

test('citations of docs/service.md name its sections, and no other page', () => {
  const anchors = anchorsOf(textOf('docs/service.md'));
  const tests = readdirSync(repositoryPath('test'), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(?:ts|js|json|prom)$/.test(name))
    .map((name) => `test/${name}`);
  const elsewhere =
    /[Ff]ield[\s*/-]+notes|[Ii]nterface (?:sections?|endpoints?|rules?|\d)|(?:[Tt]he|its) interface\b/;
  const wrong = [...NAMING_PAGES, ...PAGES, ...tests].flatMap((path) => {
    const text = textOf(path);
    const cited = [...text.matchAll(/service\.md#([\w-]+(?:, #[\w-]+)*)/g)];
    const sections = cited.flatMap(([, names = '']) => names.split(', #'));
    const unknown = sections.filter((name) => !anchors.includes(name));
    return [...unknown, ...(elsewhere.exec(text) ?? [])].map((what) => `${path}: ${what}`);
  });
  expect(wrong).toEqual([]);
});

test('the pages name only scripts that npm knows', () => {
  const { scripts } = JSON.parse(textOf('package.json')) as { scripts: object };
  for (const page of PAGES)
    for (const [, script] of textOf(page).matchAll(/npm run (?:--silent )?([\w:-]+)/g))
      expect(Object.keys(scripts), page).toContain(script);
});

/** Whether a path from the root exists and, where it has an anchor, is a page with that heading. */
function leadsSomewhere(target: string): boolean {
  const [path = '', anchor] = target.split('#');
  if (path.startsWith('..') || !existsSync(repositoryPath(path))) return false;
  if (anchor === undefined) return true;
  return path.endsWith('.md') && anchorsOf(textOf(path)).includes(anchor);
}

function isProjectPage(link: string): boolean {
  if (link.startsWith(FILE)) return leadsSomewhere(link.slice(FILE.length));
  return [REPOSITORY, `${REPOSITORY}/issues`, `${REPOSITORY}.git`].includes(link);
}
