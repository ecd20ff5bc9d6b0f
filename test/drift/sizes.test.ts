import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readText, repositoryPath } from '../support/repository.ts';
import { PAGES } from './markdown.ts';

/** How many lines of code some folders and files may have together. */
interface Budget {
  readonly room: string;
  readonly paths: readonly string[];
  readonly lines: number;
  /** What a room may have until it is within its budget; it is left out from then on. */
  readonly today?: number;
}

const BUDGETS: readonly Budget[] = [
  { room: 'client', paths: ['src/client'], lines: 4400, today: 5080 },
  { room: 'model', paths: ['src/model'], lines: 1000, today: 1300 },
  { room: 'collectors', paths: ['src/collectors'], lines: 2600, today: 3450 },
  { room: 'metrics', paths: ['src/metrics'], lines: 900 },
  { room: 'status', paths: ['src/status'], lines: 550 },
  { room: 'exporter', paths: ['src/exporter'], lines: 550 },
  { room: 'http', paths: ['src/http'], lines: 2500, today: 2830 },
  { room: 'commands', paths: ['src/commands'], lines: 2300, today: 2560 },
  { room: 'config', paths: ['src/config'], lines: 1300, today: 1350 },
  { room: 'history', paths: ['src/history'], lines: 1250 },
  { room: 'simulator', paths: ['src/simulator'], lines: 3200 },
  {
    room: 'the rest of src',
    paths: ['src/cli.ts', 'src/health-check.ts', 'src/base', 'src/state'],
    lines: 1400,
    today: 1810,
  },
  { room: 'src', paths: ['src'], lines: 22_000, today: 24_780 },
  { room: 'grafana', paths: ['grafana', 'test/unit/grafana'], lines: 1400 },
  { room: 'the tests', paths: ['test'], lines: 32_000 },
];

const MOST_DEV_DEPENDENCIES = 18;

/** The files of code in a folder, or the file itself; what tests only read is none. */
function filesOf(path: string): readonly string[] {
  if (/\.\w+$/.test(path)) return [path];
  return readdirSync(repositoryPath(path), { recursive: true, encoding: 'utf8' })
    .map((name) => `${path}/${name}`)
    .filter((name) => /\.(?:ts|js)$/.test(name) && !name.includes('/fixtures/'));
}

function linesOf(paths: readonly string[]): number {
  return paths
    .flatMap(filesOf)
    .map((path) => readText(path).split('\n').length - 1)
    .reduce((sum, lines) => sum + lines, 0);
}

test.each(BUDGETS)('$room keeps to its lines', ({ paths, lines, today }) => {
  const now = linesOf(paths);
  expect(now).toBeLessThanOrEqual(today ?? lines);
  if (today !== undefined)
    expect(now, 'within its budget: leave out `today`').toBeGreaterThan(lines);
});

test('every folder of src has a budget', () => {
  const budgeted = BUDGETS.flatMap(({ paths }) => paths).filter((path) => path !== 'src');
  expect(
    readdirSync(repositoryPath('src'))
      .map((name) => `src/${name}`)
      .sort(),
  ).toEqual(budgeted.filter((path) => path.startsWith('src/')).sort());
});

/** How much there is to read: of all pages in words, of some in lines. */
const MOST_WORDS = 20_000;
const PAGE_LINES = { 'README.md': 200, 'CONTRIBUTING.md': 150 };

test('the pages together keep to their words, and those that everybody reads to their lines', () => {
  const words = PAGES.flatMap((page) => readText(page).match(/\S+/g) ?? []);
  expect(words.length).toBeLessThanOrEqual(MOST_WORDS);
  for (const [page, lines] of Object.entries(PAGE_LINES))
    expect(linesOf([page]), page).toBeLessThanOrEqual(lines);
});

test('there are few dependencies for development', () => {
  const { devDependencies } = JSON.parse(readText('package.json')) as { devDependencies: object };
  expect(Object.keys(devDependencies).length).toBeLessThanOrEqual(MOST_DEV_DEPENDENCIES);
});
