import { existsSync, readdirSync } from 'node:fs';
import { posix } from 'node:path';
import { describe, expect, test } from 'vitest';
import { PAGES, tableRows, textOf } from './markdown.ts';

const ROOT = new URL('../../', import.meta.url);
const MOST_FILES = 25;

const contributing = textOf('CONTRIBUTING.md');
const fences = textOf('eslint.config.js');
const packageJson = JSON.parse(textOf('package.json')) as Readonly<
  Record<'dependencies' | 'devDependencies' | 'scripts', Readonly<Record<string, string>>>
>;

describe('CONTRIBUTING', () => {
  test('gives a reason for every dependency', () => {
    const { dependencies, devDependencies } = packageJson;
    for (const name of Object.keys({ ...dependencies, ...devDependencies }))
      expect(contributing).toContain(name);
  });

  test('draws the line of the rooms as the lint rules have it', () => {
    const [, line = ''] = /^cli → (.*)$/m.exec(contributing) ?? [];
    expect(line.split(' → ')).toEqual(constantOf('LINE'));
  });

  test('says of every room that lint fences what it is and what it must not do', () => {
    const rooms = [
      ...[...constantOf('LINE'), ...constantOf('BESIDE')].map((room) => `src/${room}/`),
      ...constantOf('COLLECTORS_LINE').map((room) => `src/collectors/${room}/`),
      ...constantOf('CLIENT_LINE').map((room) => `src/client/${room}/`),
      ...constantOf('SIMULATOR_LINE').map((room) => `src/simulator/${room}/`),
    ];
    expect(roomsOnTheMap()).toEqual(expect.arrayContaining(rooms));
    for (const [room, is, mustNot] of tableRows(contributing, 'room')) {
      expect(is, room).toMatch(/\w/);
      expect(mustNot, room).toMatch(/\w/);
    }
  });

  test('leaves out no folder of src, of the collectors, of the client and of the simulator', () => {
    const folders = ['src/', 'src/collectors/', 'src/client/', 'src/simulator/'].flatMap((parent) =>
      foldersOf(parent).map((folder) => `${parent}${folder}/`),
    );
    expect(roomsOnTheMap()).toEqual(expect.arrayContaining(folders));
  });

  test('names only scripts that npm knows', () => {
    const named = PAGES.flatMap((page) => [...textOf(page).matchAll(/npm run ([\w:-]+)/g)]);
    expect(named.length).toBeGreaterThan(5);
    for (const [, script = ''] of named) expect(Object.keys(packageJson.scripts)).toContain(script);
  });
});

describe('the pages', () => {
  test.each(PAGES)('%s names only files and folders that exist', (page) => {
    expect(pathsIn(textOf(page)).filter((path) => !isThere(path))).toEqual([]);
  });

  test('are searched for paths', () => {
    const text = 'See `src/cli.ts`, test/drift/. Not ../docs/x.md, `src/<name>.ts` or /opt/src/x.';
    expect(pathsIn(text)).toEqual(['src/cli.ts', 'test/drift/']);
    expect(isThere('prometheus/rules/*.test.yml')).toBe(true);
    expect(isThere('src/missing.ts')).toBe(false);
    expect(pathsIn(contributing).length).toBeGreaterThan(30);
  });
});

test(`no folder of src holds more than ${MOST_FILES} files itself`, () => {
  const folders = ['', ...readdirSync(new URL('src/', ROOT), { recursive: true, encoding: 'utf8' })]
    .map((folder) => `src/${folder}`)
    .filter((path) => isFolder(path));
  const crowded = folders.filter((folder) => filesOf(folder).length > MOST_FILES);

  expect(folders.length).toBeGreaterThan(10);
  expect(crowded).toEqual([]);
});

/** The words of a list of rooms in eslint.config.js, one after the other. */
function constantOf(name: string): readonly string[] {
  const [, list = ''] = new RegExp(`^const ${name} = (\\[[\\s\\S]*?\\]);$`, 'm').exec(fences) ?? [];
  const words = [...list.matchAll(/'([^']+)'/g)].map(([, word = '']) => word);
  expect(words).not.toEqual([]);
  return words;
}

function roomsOnTheMap(): readonly string[] {
  return tableRows(contributing, 'room').map(([room = '']) => room.replaceAll('`', ''));
}

/** The paths that a page names from the root of the repository; one with a `<placeholder>` is no path. */
function pathsIn(text: string): readonly string[] {
  const found = text.matchAll(
    /(?<![\w/.:@-])(?:src|test|grafana|prometheus|deploy|examples|docs|\.ci)\/[\w./*<>-]*/g,
  );
  return [...found]
    .map(([path]) => path.replace(/\.$/, ''))
    .filter((path) => !/[<>…]/.test(path) && path !== '');
}

function isThere(path: string): boolean {
  if (!path.includes('*')) return existsSync(new URL(path, ROOT));
  const folder = posix.dirname(path);
  const [start = '', end = ''] = posix.basename(path).split('*');
  return (
    isFolder(folder) && filesOf(folder).some((name) => name.startsWith(start) && name.endsWith(end))
  );
}

function isFolder(path: string): boolean {
  return existsSync(new URL(`${path}/`, ROOT));
}

function foldersOf(parent: string): readonly string[] {
  return readdirSync(new URL(parent, ROOT), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
}

function filesOf(folder: string): readonly string[] {
  return readdirSync(new URL(`${folder}/`, ROOT), { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name);
}
