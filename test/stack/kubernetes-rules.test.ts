import { writeFileSync } from 'node:fs';
import { format, resolveConfig } from 'prettier';
import { stringify } from 'yaml';
import { expect, test } from 'vitest';
import { readManifest } from './manifests.ts';
import { readYaml, repositoryPath } from './repository.ts';

const MANIFEST = repositoryPath('deploy/kubernetes/prometheusrule.yaml');

/** The rules as the Prometheus operator takes them. */
function prometheusRule(): object {
  return {
    apiVersion: 'monitoring.coreos.com/v1',
    kind: 'PrometheusRule',
    metadata: { name: 'solar-exporter', labels: { 'app.kubernetes.io/name': 'solar-exporter' } },
    spec: readYaml('prometheus/rules/solar.yml'),
  };
}

// After a change of the rules: UPDATE_KUBERNETES=1 npx vitest run test/stack/kubernetes-rules.test.ts
if (process.env['UPDATE_KUBERNETES'] === '1') {
  const rules = stringify(prometheusRule(), { aliasDuplicateObjects: false, lineWidth: 0 });
  const text = `# Made from prometheus/rules/solar.yml, by test/stack/kubernetes-rules.test.ts.\n${rules}`;
  writeFileSync(
    MANIFEST,
    await format(text, { ...(await resolveConfig(MANIFEST)), filepath: MANIFEST }),
  );
}

test('the PrometheusRule has the rules of the stack', () => {
  expect(readManifest('prometheusrule.yaml')).toEqual(prometheusRule());
});
