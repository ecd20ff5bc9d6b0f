import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { SERVICE_ERROR_CODES } from '../../src/base/errors.ts';
import { QUANTITY_NAMES, rulesOf } from '../../src/client/dialects/dialect-file.ts';
import { FAMILIES } from '../../src/client/dialects/rules.ts';
import { ENDPOINT_PATHS, type EndpointName } from '../../src/base/service-names.ts';
import { ENDPOINTS } from '../../src/client/endpoints.ts';
import { SERVICE_CODES } from '../../src/client/exchange/envelope.ts';
import { readCommandLine } from '../../src/commands/command-line.ts';
import { COMMANDS, nameOf } from '../../src/commands/commands.ts';
import { OPTIONS } from '../../src/config/options.ts';
import { repositoryPath } from '../support/repository.ts';
import { ALERTS, RULES } from '../support/rules.ts';
import { keysList, metricLists, optionLists } from './generated-tables.ts';
import { headingsOf, replaceSection, section, tableRows, textOf } from './markdown.ts';

const TABLES = [
  ...Object.entries(optionLists).map(([name, list]) => ({
    path: 'docs/options.md',
    name,
    table: list(),
  })),
  ...metricLists().map((made) => ({ path: 'docs/metrics.md', ...made })),
  { path: 'docs/service.md', name: 'keys', table: keysList() },
];

// After a change of the tables: UPDATE_DOCS=1 npx vitest run test/drift
if (process.env['UPDATE_DOCS'] === '1') {
  for (const { path, name, table } of TABLES) {
    writeFileSync(repositoryPath(path), replaceSection(textOf(path), name, table));
  }
}

const readme = textOf('README.md');
const operations = textOf('docs/operations.md');
const families = textOf('docs/families.md');

test.each(TABLES)('$path holds the table $name as the code has it', ({ path, name, table }) => {
  expect(section(textOf(path), name)).toBe(table);
});

test('docs/service.md names each endpoint that is asked, and each known code', () => {
  const page = textOf('docs/service.md');
  const asked = Object.entries(ENDPOINTS).map(
    ([name, { method }]) => `\`${method} ${ENDPOINT_PATHS[name as EndpointName][0]}\``,
  );
  const rows = tableRows(page, 'purpose').map(([, where]) => where);
  expect(rows).toEqual(expect.arrayContaining(asked));
  const codes = tableRows(page, 'code').map(([code]) => code);
  expect(codes).toEqual(['0', ...Object.keys(SERVICE_CODES)]);
});

test('docs/alerts.md has each alert, its severities and a section on it', () => {
  const alerts = textOf('docs/alerts.md');
  const severitiesOf = (name: string) =>
    RULES.filter(({ alert }) => alert === name).map(({ labels }) => labels?.['severity']);
  expect(tableRows(alerts, 'alert').map(([alert, severities]) => [alert, severities])).toEqual(
    ALERTS.map((name) => [`[${name}](#${name.toLowerCase()})`, severitiesOf(name).join(', ')]),
  );
  const sections = headingsOf(alerts).filter(({ level }) => level === 2);
  expect(sections.map(({ text }) => text)).toEqual(['Whom it tells', ...ALERTS]);
});

test('docs/operations.md lists the commands, and what to do about each code', () => {
  const codes = [...operations.matchAll(/^- `([A-Z_]+)`: \S/gm)].map(([, code]) => code);
  expect(codes).toEqual([...SERVICE_ERROR_CODES, 'UNEXPECTED']);
  expect(operations).toContain('`CONFIG_INVALID`');
  const [, list = ''] = /^## Commands\n\n```\n([\s\S]*?)```/m.exec(operations) ?? [];
  const commands = [...list.matchAll(/^[a-z]+(?: [a-z]+)*/gm)].map(([command]) => command);
  expect([...commands].sort()).toEqual([...COMMANDS.map(nameOf), 'completion'].sort());
});

test('docs/families.md has each family and quantity, and a working dialect', () => {
  expect(tableRows(families, 'family').map(([family]) => family)).toEqual(
    FAMILIES.map((family) => `\`${family}\``),
  );
  const [, list = ''] = /\nThe quantities are\s([\s\S]*?)\.\s/.exec(families) ?? [];
  const named = [...list.matchAll(/`(\w+)`/g)].map(([, name]) => name);
  expect(named).toEqual(Object.keys(QUANTITY_NAMES));
  const entries = yamlIn(families) as readonly unknown[];
  expect(rulesOf({ file: { path: 'docs/families.md' }, entries })).toHaveLength(entries.length);
});

test('the README shows the scrape configuration of the example', () => {
  expect(yamlIn(readme)).toEqual(parse(textOf('prometheus/scrape.example.yml')));
});

test('SECURITY.md names every option that is secret', () => {
  const [[row = ''] = []] = tableRows(textOf('SECURITY.md'), 'what');
  const named = [...row.matchAll(/`(\w+)`/g)].map(([, name]) => name);
  expect(named).toEqual(OPTIONS.filter(({ secret }) => secret === true).map(({ env }) => env));
});

/** The first block of YAML on a page. */
function yamlIn(page: string): unknown {
  const [, block = ''] = /^```yaml\n([\s\S]*?)^```$/m.exec(page) ?? [];
  return parse(block);
}

test('who describes a new inverter is told one command, which exists', async () => {
  const template = '.github/ISSUE_TEMPLATE/new-inverter.yml';
  const asked = [template, 'docs/families.md', 'CONTRIBUTING.md'].flatMap(
    (path) =>
      /`(?:solar-exporter )?(devices --explain --share[^`]*)`/.exec(textOf(path))?.[1] ?? '',
  );
  const [command = ''] = asked;
  expect(new Set(asked).size).toBe(1);
  expect(await readCommandLine(command.split(' '), '')).toMatchObject({ name: 'devices' });
  expect(families).toContain('issues/new?template=new-inverter.yml');
});
