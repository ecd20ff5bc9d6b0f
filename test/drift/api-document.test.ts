import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { KINDS } from '../../src/config/kinds.ts';
import { createRoutes } from '../../src/http/routes.ts';
import { textOf } from './markdown.ts';
import { statusFields } from './status-fields.ts';

const DOCUMENT = textOf('docs/api.md');

const FIELDS = statusFields();

/** A value of a golden answer, by its path such as `stations[].flow`; the answer itself has an empty path. */
interface Occurrence {
  readonly path: string;
  readonly value: unknown;
}

const FOLDER = new URL('../fixtures/status/', import.meta.url);
const FILES = readdirSync(FOLDER).filter((name) => name.endsWith('.json'));
const ANSWERS = FILES.map(
  (name) => JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8')) as unknown,
);
const OCCURRENCES = ANSWERS.flatMap((answer) => occurrencesIn(answer, ''));
const PATHS = [...new Set(OCCURRENCES.map(({ path }) => path))];

const ROUTES = createRoutes({
  telemetryPath: '/metrics',
  isReloadEnabled: false,
  scrapeTimeoutMs: 1,
  reload: unused,
  current: () => undefined,
  scrape: unused,
  readSelf: unused,
  listStations: unused,
  probe: unused,
  readStatus: unused,
});

describe('docs/api.md', () => {
  test('describes every field of the golden answers, and no other, each once', () => {
    const isNamed = (path: string): boolean => path !== '' && !path.endsWith('[]');
    const described = FIELDS.map(({ path }) => path).filter(isNamed);
    expect(described.toSorted()).toEqual(PATHS.filter(isNamed).toSorted());
  });

  test('says the type of each, and whether it can be absent', () => {
    for (const { path, type, isOptional } of FIELDS) {
      const found = OCCURRENCES.filter((occurrence) => occurrence.path === path);
      // A list without elements in any answer says nothing of them.
      if (path.endsWith('[]') && found.length === 0) continue;
      const types = new Set(found.map(({ value }) => typeOf(value)));
      const sorted = [...types].toSorted((one) => (one === 'null' ? 1 : -1));
      expect(sorted.join(' | '), path).toBe(type);
      if (path.endsWith('[]') || isOptional) continue;
      const [, parent = '', name = ''] = /^(?:(.*)\.)?(\w+)$/.exec(path) ?? [];
      const parents = OCCURRENCES.filter((occurrence) => occurrence.path === parent);
      for (const { value } of parents)
        expect(Object.hasOwn(value as object, name), path).toBe(true);
    }
  });

  test('describes every path that a program reads', () => {
    const documented = [...DOCUMENT.matchAll(/^\| `(\/[^`?]*)/gm)].map(([, path]) => path);
    // The page itself and what it loads are for browsers, and a reload is for whoever runs the exporter.
    const read = [...ROUTES.keys()].filter(
      (path) => path !== '/' && path !== '/-/reload' && !path.startsWith('/assets/'),
    );
    expect(documented.toSorted()).toEqual(read.toSorted());
  });
});

test('the metrics take the place of no path but that of the status page', () => {
  const free = [...ROUTES.keys()].filter((path) => KINDS.telemetryPath.safeParse(path).success);
  expect(free.toSorted()).toEqual(['/', '/metrics']);
});

function unused(): Promise<never> {
  return Promise.reject(new Error('no route is asked here'));
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

function occurrencesIn(value: unknown, path: string): readonly Occurrence[] {
  const own = { path, value };
  if (Array.isArray(value))
    return [own, ...value.flatMap((element) => occurrencesIn(element, `${path}[]`))];
  if (typeof value !== 'object' || value === null) return [own];
  const fields = Object.entries(value).flatMap(([name, field]) =>
    occurrencesIn(field, path === '' ? name : `${path}.${name}`),
  );
  return [own, ...fields];
}
