import { writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { SERVICE_ERROR_CODES } from '../../src/base/errors.ts';
import { QUANTITY_NAMES, rulesOf } from '../../src/client/dialects/dialect-file.ts';
import { parseCommandLine } from '../../src/commands/command-line.ts';
import { parseConfig } from '../../src/config/config.ts';
import { OPTIONS } from '../../src/config/options.ts';
import { ALERTS, readRules } from '../prometheus/rule-files.ts';
import {
  accountKeysTable,
  confirmedRules,
  familiesTable,
  metricsTable,
  optionsTable,
  serviceCodesTable,
} from './generated-tables.ts';
import { headingsOf, replaceSection, section, tableRows, textOf } from './markdown.ts';

const ROOT = new URL('../../', import.meta.url);
const TABLES = [
  { path: 'docs/options.md', name: 'options', table: optionsTable() },
  { path: 'docs/options.md', name: 'account-keys', table: accountKeysTable() },
  { path: 'docs/metrics.md', name: 'metrics', table: metricsTable() },
  { path: 'docs/operations.md', name: 'service-codes', table: serviceCodesTable() },
  { path: 'docs/stability.md', name: 'families', table: familiesTable() },
] as const;

// After a change of the tables: UPDATE_DOCS=1 npx vitest run test/drift
if (process.env['UPDATE_DOCS'] === '1') {
  for (const { path, name, table } of TABLES) {
    writeFileSync(new URL(path, ROOT), replaceSection(textOf(path), name, table));
  }
}

const readme = textOf('README.md');
const operations = textOf('docs/operations.md');
const families = textOf('docs/families.md');

describe('the README', () => {
  test('shows the scrape configuration that the example file has', () => {
    expect(yamlIn(readme)).toEqual(parse(textOf('prometheus/scrape.example.yml')));
  });

  test('says on its first screen which portal it reads, and what a log-in needs', () => {
    const firstScreen = readme.split('\n').slice(0, 25).join('\n');
    const portal = OPTIONS.find(({ flag }) => flag === 'base-url')?.default ?? 'none';
    expect(firstScreen).toContain(portal);
    expect(firstScreen).toContain('application id and a secret');
    expect(firstScreen).toContain('docs/families.md');
  });

  test('stays short enough for a visitor', () => {
    expect(readme.split('\n').length).toBeLessThan(215);
  });

  test('lists every alert with its severities, and leads to what to do about it', () => {
    const rows = tableRows(readme, 'alert').map(([alert, severities]) => [alert, severities]);
    const rules = readRules();

    expect(rows).toEqual(
      ALERTS.map((name) => [
        `[${name}](docs/alerts.md#${name.toLowerCase()})`,
        rules
          .filter(({ alert }) => alert === name)
          .map(({ labels }) => labels?.['severity'])
          .join(', '),
      ]),
    );
  });
});

test.each(TABLES)('$path holds the table $name as the code has it', ({ path, name, table }) => {
  expect(section(textOf(path), name)).toBe(table);
});

describe('docs/stability.md', () => {
  const [, page = ''] = textOf('docs/stability.md').split('\n## With what it is tried\n');
  const tried = tableRows(page, 'what');

  test('names the versions of Node.js that every change is tried with, and the oldest', () => {
    const { engines } = JSON.parse(textOf('package.json')) as { engines: { node: string } };
    const workflow = parse(textOf('.github/workflows/ci.yml')) as {
      jobs: { check: { strategy: { matrix: { node: readonly string[] } } } };
    };
    const [oldest, ...others] = workflow.jobs.check.strategy.matrix.node;
    const versions = tried.find(([what]) => what === 'Node.js')?.[1];
    expect(engines.node).toBe(`>=${oldest}.19`);
    expect(versions).toBe(`${oldest}.19 and later, ${others.join(', ')}`);
  });
});

describe('docs/alerts.md', () => {
  test('says whom it tells, and of every alert what it means, in the order of the rules', () => {
    const headings = headingsOf(textOf('docs/alerts.md')).filter(({ level }) => level === 2);
    expect(headings.map(({ text }) => text)).toEqual(['Whom it tells', ...ALERTS]);
  });
});

describe('docs/operations.md', () => {
  test('shows a list of accounts that the exporter accepts', async () => {
    const shown = [...operations.matchAll(/^```yaml\n([\s\S]*?)^```$/gm)]
      .map(([, block = '']) => block)
      .find((block) => block.includes('accounts:'));
    const { config } = await parseConfig({
      flags: { 'config.file': 'solar.yaml' },
      env: {},
      readFile: (path) => (path === 'solar.yaml' ? (shown ?? '') : 'secret'),
    });
    expect(config.accounts.map(({ accountName }) => accountName)).toEqual(['roof', 'annex']);
  });

  test('says what to do about every error code', () => {
    const codes = tableRows(operations, 'code').map(([code]) => code);
    expect(codes).toEqual([...SERVICE_ERROR_CODES, 'UNEXPECTED'].map((code) => `\`${code}\``));
    expect(operations).toContain('`CONFIG_INVALID`');
  });

  test('gives the lifetimes of answers as the options have them', () => {
    const often = tableRows(operations, 'what').map(([, , cell = '']) => cell);
    const shown = often.flatMap((cell) => [...cell.matchAll(/`--([\w.-]+)`, (\d+) (s|min|h)$/g)]);

    expect(shown).toHaveLength(4);
    expect(often).toContain('`--cache.readings-ttl`; `auto`, see below');
    expect(OPTIONS.find(({ flag }) => flag === 'cache.readings-ttl')?.default).toBe('auto');
    for (const [, flag, count = '', unit = ''] of shown)
      expect(OPTIONS.find((option) => option.flag === flag)?.default).toBe(
        `${count}${unit === 'min' ? 'm' : unit}`,
      );
  });

  test('lists every command', () => {
    const parsed = parseCommandLine(['no-such-command'], '0');
    const [, accepted = ''] =
      /accepted: (.*)$/.exec('problem' in parsed ? parsed.problem : '') ?? [];
    const commands = tableRows(operations, 'command').map(([usage = '']) =>
      usage.replace(/^`([a-z ]*[a-z]).*$/, '$1'),
    );

    expect([...commands].sort()).toEqual(accepted.split(', ').sort());
  });

  test('lists every path that SECURITY.md knows, beside those that only the status page loads', () => {
    const pathsOf = (page: string): readonly string[] =>
      tableRows(page, 'path')
        .flatMap(([cell = '']) => [...cell.matchAll(/`(\/[^`?]*)[^`]*`/g)])
        .map(([, path = '']) => path)
        .filter((path) => !path.startsWith('/assets/'))
        .sort();

    expect(pathsOf(operations)).toEqual(pathsOf(textOf('SECURITY.md')));
  });
});

describe('docs/families.md', () => {
  test('describes every inverter family in the order of the code, with how well it is confirmed', () => {
    const rows = tableRows(families, 'family');
    expect(rows.map((row) => [row[0], row.at(-1)])).toEqual(
      confirmedRules().map(([family, rules]) => [`\`${family}\``, rules]),
    );
  });

  test('names every quantity of a dialect file', () => {
    const [, list = ''] = /\nThe quantities are\n([\s\S]*?)\.\n/.exec(families) ?? [];
    const named = [...list.matchAll(/`(\w+)`/g)].map(([, name]) => name);
    expect(named).toEqual(Object.keys(QUANTITY_NAMES));
  });

  test('shows a dialect file that the exporter accepts', () => {
    const entries = yamlIn(families) as readonly unknown[];
    expect(rulesOf({ file: { path: 'docs/families.md' }, entries })).toHaveLength(entries.length);
  });
});

/** The first block of YAML on a page. */
function yamlIn(page: string): unknown {
  const [, block = ''] = /^```yaml\n([\s\S]*?)^```$/m.exec(page) ?? [];
  return parse(block);
}
