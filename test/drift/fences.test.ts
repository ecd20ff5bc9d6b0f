import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ESLint, Linter } from 'eslint';
import { expect, test } from 'vitest';
import { repositoryPath } from '../support/repository.ts';

/** For each room of src/, imports that its fence refuses: a room that it must not know, and a module. */
const REFUSED: Readonly<Record<string, readonly string[]>> = {
  base: ['../model/units.ts', 'node:http'],
  client: ['../collectors/collection.ts', 'undici'],
  'client/devices': ['../client.ts', 'undici'],
  'client/dialects': ['../session/session.ts', '../devices/series.ts'],
  'client/exchange': ['../session/session.ts', '../../metrics/scrape.ts', 'prom-client'],
  'client/session': ['../dialects/rules.ts', '../devices/series.ts'],
  collectors: ['../metrics/scrape.ts', 'prom-client'],

  'collectors/tariff': ['../station-targets.ts', '../collection.ts'],
  commands: ['node:process', 'undici'],
  config: ['../client/client.ts', '../exporter/exporter.ts'],
  exporter: ['../commands/run.ts', 'node:http'],
  history: ['../exporter/exporter.ts', 'node:http'],
  http: ['../exporter/exporter.ts', 'node:crypto'],
  'http/status-page': ['../routes.ts', 'node:crypto'],
  metrics: ['../status/status.ts', 'undici'],
  model: ['../client/client.ts', '../base/clock.ts'],
  simulator: ['../client/client.ts', 'undici'],
  'simulator/families': ['../simulator.ts', '../service/service.ts'],
  'simulator/physics': ['../families/fields.ts', 'node:http'],
  'simulator/service': ['../simulator.ts', '../../client/client.ts'],
  state: ['../client/client.ts', 'prom-client'],
  status: ['../http/server.ts', 'prom-client'],
};

/** The folders of src/ that have files of code. */
function rooms(): readonly string[] {
  return readdirSync(repositoryPath('src'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(?:ts|js)$/.test(entry.name))
    .map(({ parentPath }) => parentPath.slice(repositoryPath('src').length + 1))
    .filter((room) => room !== '');
}

test('every room of src/ has a fence', () => {
  expect(Object.keys(REFUSED)).toEqual([...new Set(rooms())].toSorted());
});

test.each(Object.entries(REFUSED))('the fence of %s refuses %j', async (room, imports) => {
  const file = join('src', room, 'any-file.ts');
  const eslint = new ESLint({ cwd: repositoryPath('.') });
  const config = (await eslint.calculateConfigForFile(file)) as Linter.Config;
  const rules = { 'no-restricted-imports': config.rules?.['no-restricted-imports'] };
  const refusalsOf = (name: string) =>
    new Linter({ configType: 'flat' }).verify(
      `import '${name}';`,
      [{ files: ['**/*.ts'], rules } as Linter.Config],
      file,
    );
  for (const name of imports) expect(refusalsOf(name), name).toHaveLength(1);
  expect(refusalsOf('./its-neighbour.ts')).toEqual([]);
});
