import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readText, repositoryPath } from './repository.ts';

const { version } = JSON.parse(readText('package.json')) as { version: string };

/** Where a version of the exporter is written down: with the pattern around it. */
const PLACES = [
  {
    path: 'deploy/helm/solar-exporter/Chart.yaml',
    pattern: /^((?:appV|v)ersion: ).*$/gm,
    times: 2,
  },
  { path: 'deploy/kubernetes/deployment.yaml', pattern: /^( *image: .*:).*$/gm, times: 1 },
] as const;

// After a change of the version: UPDATE_KUBERNETES=1 npx vitest run test/stack/versions.test.ts
if (process.env['UPDATE_KUBERNETES'] === '1')
  for (const { path, pattern } of PLACES)
    writeFileSync(repositoryPath(path), readText(path).replaceAll(pattern, `$1${version}`));

test.each(PLACES)('$path is about the version in package.json', ({ path, pattern, times }) => {
  const lines = [...readText(path).matchAll(pattern)];
  expect(lines).toHaveLength(times);
  for (const [line, before] of lines) expect(line).toBe(`${before}${version}`);
});
