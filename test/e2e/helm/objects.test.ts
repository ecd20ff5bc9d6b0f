import { describe, expect, test } from 'vitest';
import { hasProgram } from '../../support/programs.ts';
import { type DeploymentSpec, manifestFiles, readManifest } from '../../stack/manifests.ts';
import { readText, readYaml } from '../../stack/repository.ts';
import { AS_THE_MANIFESTS, onlyOf, render } from './chart.ts';
import { isOfKubernetes, typeErrors } from './type-errors.ts';
import { FULL_VALUES } from './values.ts';

/** All objects are checked at once, because the compiler takes longest to begin. */
test('the check notices a field that Kubernetes does not know, and finds none in the manifests', () => {
  const manifests = manifestFiles().map(readManifest).filter(isOfKubernetes);
  expect(manifests).toHaveLength(4);
  const service = readManifest('service.yaml');
  const misspelt = { ...service, spec: { ...(service.spec as object), selectors: {} } };
  expect(typeErrors([...manifests, misspelt])).toEqual([
    expect.stringContaining(`'"selectors"' does not exist in type 'ServiceSpec'`),
  ]);
});

describe.skipIf(!hasProgram('helm'))('what the chart renders', () => {
  test('are objects that Kubernetes knows', () => {
    const sets = [AS_THE_MANIFESTS, { demo: true }, FULL_VALUES].map((values) =>
      render(values).filter(isOfKubernetes),
    );
    expect(sets.map(({ length }) => length)).toEqual([4, 4, 8]);
    expect(typeErrors(sets.flat())).toEqual([]);
  });

  test('has the alerts of the stack', () => {
    expect(onlyOf('PrometheusRule', FULL_VALUES).spec).toEqual(
      readYaml('prometheus/rules/solar.yml'),
    );
  });

  test('has the dashboard of the stack, small enough for whoever applies it with kubectl', () => {
    const maps = render(FULL_VALUES).filter(({ kind }) => kind === 'ConfigMap');
    const map = maps.find(({ metadata }) => metadata.labels?.['grafana_dashboard'] === '1');
    const { data } = map as unknown as { readonly data: { readonly 'solar.json': string } };
    const text = data['solar.json'];
    expect(JSON.parse(text)).toEqual(JSON.parse(readText('grafana/dashboards/solar.json')));
    // The annotations of an object may have 256 KiB together, and kubectl writes the object into one; other programs
    // have some of their own.
    expect(JSON.stringify(map).length).toBeLessThan(252 * 1024);
  });

  test('asks by https, in probes and from Prometheus, where there is a certificate', () => {
    const { template } = onlyOf('Deployment', FULL_VALUES).spec as DeploymentSpec;
    const [{ livenessProbe, readinessProbe }] = template.spec.containers;
    for (const { httpGet } of [livenessProbe, readinessProbe])
      expect(httpGet).toMatchObject({ port: 'metrics', scheme: 'HTTPS' });
    const { interval, timeout: scrapeTimeout, ...letIn } = FULL_VALUES.scrape;
    expect(onlyOf('ServiceMonitor', FULL_VALUES).spec).toMatchObject({
      endpoints: [{ scheme: 'https', interval, scrapeTimeout, ...letIn }],
    });
    const targets = render({ ...FULL_VALUES, serviceMonitor: {}, scrapeConfig: { enabled: true } });
    const [stations, self] = targets.filter(({ kind }) => kind === 'ScrapeConfig');
    expect(stations?.spec).toMatchObject({ scheme: 'HTTPS', ...letIn, httpSDConfigs: [letIn] });
    expect(self?.spec).toMatchObject({ scheme: 'HTTPS', ...letIn, scrapeTimeout });
  });
});
