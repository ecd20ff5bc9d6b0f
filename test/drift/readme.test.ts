import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { QUANTITY_NAMES } from '../../src/client/dialects/dialect-file.ts';
import { FAMILIES } from '../../src/client/dialects/field-rule.ts';
import { SERVICE_ERROR_CODES } from '../../src/errors.ts';
import { metricsTable, optionsTable } from './readme-tables.ts';

const README = new URL('../../README.md', import.meta.url);
const TABLES = { options: optionsTable(), metrics: metricsTable() };

// After a change of the tables: UPDATE_README=1 npx vitest run test/drift
if (process.env['UPDATE_README'] === '1') {
  let text = readFileSync(README, 'utf8');
  for (const [name, table] of Object.entries(TABLES)) text = replaceSection(text, name, table);
  writeFileSync(README, text);
}

const readme = readFileSync(README, 'utf8');

describe('the README', () => {
  test.each(Object.entries(TABLES))('holds the table of %s as the code has it', (name, table) => {
    expect(section(readme, name)).toBe(table);
  });

  test.each([...SERVICE_ERROR_CODES, 'UNEXPECTED', 'CONFIG_INVALID'])(
    'says what to do about %s',
    (code) => {
      expect(readme).toContain(`\`${code}\``);
    },
  );

  test('describes every inverter family, in the order of the code', () => {
    const rows = (section(readme, 'families') ?? '').split('\n').slice(2);
    expect(rows.map((row) => /`([\w-]+)`/.exec(row)?.[1])).toEqual([...FAMILIES]);
  });

  test('names every quantity of a dialect file', () => {
    const [, list = ''] = /\nQuantities: ([\s\S]*?)\n`grid_power` is signed/.exec(readme) ?? [];
    const named = [...list.matchAll(/`(\w+)`/g)].map(([, name]) => name);
    expect(named).toEqual(Object.keys(QUANTITY_NAMES));
  });

  test('says under its name what every alert means', () => {
    const rules = readFileSync(
      new URL('../../prometheus/rules/solar.yml', import.meta.url),
      'utf8',
    );
    const anchors = [...rules.matchAll(/runbook_url: \S+#(\S+)/g)].map(([, anchor]) => anchor);
    const headings = [...readme.matchAll(/^#+ (.+)$/gm)].map(([, text = '']) => text.toLowerCase());
    expect(new Set(anchors).size).toBe(12);
    for (const anchor of anchors) expect(headings).toContain(anchor);
  });

  test('names no file of the project that does not exist', () => {
    const links = [...readme.matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, path]) => path ?? '');

    expect(links.length).toBeGreaterThan(0);
    for (const path of links) expect(() => readFileSync(new URL(path, README)), path).not.toThrow();
  });
});

describe('CONTRIBUTING', () => {
  test('gives a reason for every dependency', () => {
    const contributing = readFileSync(new URL('../../CONTRIBUTING.md', import.meta.url), 'utf8');
    const { dependencies, devDependencies } = JSON.parse(
      readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
    ) as Record<'dependencies' | 'devDependencies', Record<string, string>>;

    for (const name of Object.keys({ ...dependencies, ...devDependencies }))
      expect(contributing).toContain(name);
  });
});

function section(text: string, name: string): string | undefined {
  return new RegExp(`<!-- ${name} -->\n+([\\s\\S]*?)\n+<!-- /${name} -->`).exec(text)?.[1];
}

function replaceSection(text: string, name: string, table: string): string {
  const [before = '', rest = ''] = text.split(`<!-- ${name} -->`);
  const [, after = ''] = rest.split(`<!-- /${name} -->`);
  return `${before}<!-- ${name} -->\n\n${table}\n\n<!-- /${name} -->${after}`;
}
