import { existsSync, readdirSync, statSync } from 'node:fs';
import { posix } from 'node:path';
import { describe, expect, test } from 'vitest';
import { anchorsOf, linksOf, PAGES, textOf } from './markdown.ts';

const ROOT = new URL('../../', import.meta.url);
const REPOSITORY = 'https://github.com/solar-exporter/solar-exporter';
/** Where GitHub shows a file of the main branch. */
const FILE = `${REPOSITORY}/blob/main/`;
/** What may lead a reader to a page of the project, beside the pages themselves. */
const WRITTEN_ELSEWHERE = ['compose.yaml', '.env.example', 'Dockerfile', 'package.json'];
const FOLDERS_ELSEWHERE = ['prometheus', 'deploy', 'examples', 'grafana', 'src'];

describe('the links of', () => {
  test.each(PAGES)('%s lead to files and headings that exist', (page) => {
    const own = linksOf(textOf(page)).filter((link) => !/^[a-z]+:/.test(link));
    const broken = own.filter((link) => !leadsSomewhere(resolved(page, link)));

    expect(broken).toEqual([]);
  });

  test.each(filesElsewhere().filter((path) => textOf(path).includes(REPOSITORY)))(
    '%s lead to pages of the project that exist',
    (path) => {
      const links = projectLinksOf(textOf(path));

      expect(links.length).toBeGreaterThan(0);
      expect(links.filter((link) => !isProjectPage(link))).toEqual([]);
    },
  );

  test('the rules and the Kubernetes manifests are checked', () => {
    const checked = filesElsewhere().filter((path) => projectLinksOf(textOf(path)).length > 0);

    expect(checked).toContain('prometheus/rules/solar.yml');
    expect(checked).toContain('deploy/kubernetes/prometheusrule.yaml');
  });
});

test('every page that a program or an example names in its text exists', () => {
  const named = [...filesElsewhere(), ...PAGES].flatMap((path) =>
    [...textOf(path).matchAll(/(?<![\w/.-])(?:docs\/[\w-]+|[A-Z]{4,})\.md/g)].map(
      ([name]) => [path, name] as const,
    ),
  );

  expect(named.length).toBeGreaterThan(5);
  expect(named.filter(([, name]) => !existsSync(new URL(name, ROOT)))).toEqual([]);
});

describe('a link', () => {
  const page =
    '# One `two`, three!\n\n## Again\n\n## Again\n\n```sh\n# no heading [no](link.md)\n```\n';

  test('finds the headings by the anchors of GitHub', () => {
    expect(anchorsOf(page)).toEqual(['one-two-three', 'again', 'again-1']);
  });

  test('is found in text, around code and images, and not in code', () => {
    const text = `${page}[a](b.md#c) ![d](e.png) [\`f\`](g.yml) \`[no](h.md)\`\n\n[i]: j.md\n`;
    expect(linksOf(text)).toEqual(['b.md#c', 'e.png', 'g.yml', 'j.md']);
  });

  test('that leads to a missing file or heading is noticed', () => {
    expect(leadsSomewhere('docs/alerts.md#solarbatterylow')).toBe(true);
    expect(leadsSomewhere('docs/alerts.md#solarbattery')).toBe(false);
    expect(leadsSomewhere('docs/missing.md')).toBe(false);
    expect(leadsSomewhere('compose.yaml#services')).toBe(false);
    expect(isProjectPage(`${FILE}docs/alerts.md#solarbatterylow`)).toBe(true);
    expect(isProjectPage(`${REPOSITORY}#solarbatterylow`)).toBe(false);
  });
});

/** A link of a page as a path from the root, with its anchor. */
function resolved(page: string, link: string): string {
  if (link.startsWith('#')) return `${page}${link}`;
  return posix.join(posix.dirname(page), link);
}

/** Whether a path from the root exists and, where it has an anchor, is a page with that heading. */
function leadsSomewhere(target: string): boolean {
  const [path = '', anchor] = target.split('#');
  if (path.startsWith('..') || !existsSync(new URL(path, ROOT))) return false;
  if (anchor === undefined) return true;
  return path.endsWith('.md') && anchorsOf(textOf(path)).includes(anchor);
}

function projectLinksOf(text: string): readonly string[] {
  return [...text.matchAll(/https:\/\/github\.com\/solar-exporter\/[^\s"'`)\\]*/g)].map(
    ([link]) => link,
  );
}

function isProjectPage(link: string): boolean {
  if (link.startsWith(FILE)) return leadsSomewhere(link.slice(FILE.length));
  return [REPOSITORY, `${REPOSITORY}/issues`, `${REPOSITORY}.git`].includes(link);
}

/** The files outside the pages that may hold a link, as paths from the root. */
function filesElsewhere(): readonly string[] {
  const inFolders = FOLDERS_ELSEWHERE.flatMap((folder) =>
    readdirSync(new URL(`${folder}/`, ROOT), { recursive: true, encoding: 'utf8' }).map(
      (name) => `${folder}/${name}`,
    ),
  );
  return [
    ...WRITTEN_ELSEWHERE,
    ...inFolders.filter((path) => statSync(new URL(path, ROOT)).isFile()),
  ];
}
