import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { problemsOf } from './operator-schemas.ts';
import { readYamlDocuments, repositoryPath } from './repository.ts';

const EXAMPLES = 'examples/prometheus-operator';
const FILES = [
  ...readdirSync(repositoryPath(EXAMPLES))
    .filter((name) => /\.ya?ml$/.test(name))
    .map((name) => `${EXAMPLES}/${name}`),
  'deploy/kubernetes/servicemonitor.yaml',
  'deploy/kubernetes/prometheusrule.yaml',
];

describe('the objects for the Prometheus operator', () => {
  test.each(FILES)('in %s have only fields that it knows, and values that it takes', (path) => {
    const objects = readYamlDocuments(path);
    expect(objects.length).toBeGreaterThan(0);
    expect(objects.flatMap(problemsOf)).toEqual([]);
  });

  test.each([
    { what: 'a field that nobody knows', from: '"interval"', to: '"intervall"' },
    { what: 'a rule with a misspelt target', from: '"targetLabel"', to: '"target_label"' },
    { what: 'a length of time without a unit', from: '"30s"', to: '"30"' },
    { what: 'a number in place of a text', from: '"/metrics"', to: '9' },
    { what: 'a version without that kind', from: 'com/v1"', to: 'com/v1alpha1"' },
    { what: 'a name that Kubernetes refuses', from: '"name":"solar-', to: '"name":"Solar_' },
  ])('would not pass with $what', ({ from, to }) => {
    const text = JSON.stringify(readYamlDocuments('deploy/kubernetes/servicemonitor.yaml')[0]);
    expect(text).toContain(from);
    expect(problemsOf(JSON.parse(text.replace(from, to)))).not.toEqual([]);
  });

  test.each([
    {
      what: 'an alert that is a recording as well',
      rule: { alert: 'A', record: 'a:b', expr: '1' },
    },
    { what: 'an alert without an expression', rule: { alert: 'A' } },
    { what: 'a wait that is misspelt', rule: { alert: 'A', expr: '1', For: '5m' } },
  ])('would not pass with $what', ({ rule }) => {
    const apiVersion = 'monitoring.coreos.com/v1';
    const spec = { groups: [{ name: 'solar', rules: [rule] }] };
    const object = { apiVersion, kind: 'PrometheusRule', metadata: { name: 'solar' }, spec };
    expect(problemsOf(object)).not.toEqual([]);
  });
});
