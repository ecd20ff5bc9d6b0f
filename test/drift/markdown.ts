import { readdirSync } from 'node:fs';
import { repositoryPath } from '../support/repository.ts';

export { readText as textOf } from '../support/repository.ts';

/** The Markdown files that people read, as paths from the root of the repository. */
export const PAGES: readonly string[] = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'CHANGELOG.md',
  ...readdirSync(repositoryPath('docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

/** Lists where the links and images of a page lead, as they are written; code is left out. */
export function linksOf(markdown: string): readonly string[] {
  const prose = withoutFences(markdown).replace(/`[^`\n]*`/g, '');
  const inline = [...prose.matchAll(/\]\(\s*<?([^()\s>]+)>?[^()]*\)/g)];
  const referenced = [...prose.matchAll(/^ {0,3}\[[^\]]+\]:\s*<?([^\s>]+)/gm)];
  const html = [...prose.matchAll(/\b(?:href|src)="([^"]+)"/g)];
  return [...inline, ...referenced, ...html].map(([, target = '']) => target);
}

/** Lists the anchors that GitHub gives to the headings of a page. */
export function anchorsOf(markdown: string): readonly string[] {
  const counts = new Map<string, number>();
  return headingsOf(markdown).map(({ text }) => {
    const anchor = slugOf(text);
    const count = counts.get(anchor) ?? 0;
    counts.set(anchor, count + 1);
    return count === 0 ? anchor : `${anchor}-${count}`;
  });
}

/** Lists the headings of a page with their levels, in order. */
export function headingsOf(
  markdown: string,
): readonly { readonly level: number; readonly text: string }[] {
  return [...withoutFences(markdown).matchAll(/^(#{1,6}) +(.+?)(?: +#+)? *$/gm)].map(
    ([, marks = '', text = '']) => ({ level: marks.length, text }),
  );
}

/** Returns the cells of the table whose first column has this head, without the head. */
export function tableRows(markdown: string, head: string): readonly (readonly string[])[] {
  const lines = markdown.split('\n');
  const start = lines.findIndex((line) => cellsOf(line)[0] === head);
  if (start < 0) return [];
  const rest = lines.slice(start + 2);
  const end = rest.findIndex((line) => !line.startsWith('|'));
  return rest.slice(0, end < 0 ? rest.length : end).map(cellsOf);
}

/** Returns what stands between `<!-- name -->` and `<!-- /name -->`. */
export function section(markdown: string, name: string): string | undefined {
  return new RegExp(`<!-- ${name} -->\n+([\\s\\S]*?)\n+<!-- /${name} -->`).exec(markdown)?.[1];
}

/** Puts a text between `<!-- name -->` and `<!-- /name -->`. */
export function replaceSection(markdown: string, name: string, content: string): string {
  const [before = '', rest = ''] = markdown.split(`<!-- ${name} -->`);
  const [, after = ''] = rest.split(`<!-- /${name} -->`);
  return `${before}<!-- ${name} -->\n\n${content}\n\n<!-- /${name} -->${after}`;
}

function cellsOf(line: string): readonly string[] {
  if (!line.startsWith('|')) return [];
  return line
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim());
}

/** GitHub drops what is neither letter, digit, hyphen, underscore nor space, and joins the words by hyphens. */
function slugOf(heading: string): string {
  return heading
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}_\- ]/gu, '')
    .replaceAll(' ', '-');
}

/** Blank lines take the place of fenced code, so that no line of it is taken for a heading or a link. */
function withoutFences(markdown: string): string {
  return markdown.replace(/^ *(```+|~~~+)[^\n]*\n[\s\S]*?^ *\1 *$/gm, '');
}
