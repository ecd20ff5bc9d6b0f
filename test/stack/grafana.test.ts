import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parseDurationMs } from '../../src/config/duration.ts';
import { bindMounts, interpolate, readCompose } from './compose.ts';
import { readText, readYaml, repositoryPath } from './repository.ts';

const { services } = readCompose();
const grafana = services['grafana'] ?? {};
const mounts = new Map(bindMounts(grafana).map(([source, target]) => [target, source]));

interface Datasource {
  readonly uid: string;
  readonly url: string;
  readonly jsonData: { readonly timeInterval: string };
}

const { datasources } = readYaml('grafana/provisioning/datasources/prometheus.yml') as {
  datasources: readonly [Datasource];
};

/** The file of the repository that a path inside the container shows. */
function mountedFile(path: string): string {
  const [target, source] = [...mounts].find(([mounted]) => path.startsWith(`${mounted}/`)) ?? [];
  if (target === undefined) throw new Error(`nothing is mounted at ${path}`);
  return path.replace(target, source ?? '');
}

test('Grafana finds its provisioning where it looks for it', () => {
  const folder = mounts.get('/etc/grafana/provisioning') ?? '';
  expect(readdirSync(repositoryPath(folder)).sort()).toEqual([
    'alerting',
    'dashboards',
    'datasources',
  ]);
});

test('Grafana asks the Prometheus of the stack', () => {
  const { hostname, port } = new URL(datasources[0].url);
  expect(services[hostname]?.ports?.[0]).toMatch(new RegExp(`:${port}$`));
});

test('Grafana leaves alerts to Prometheus and Alertmanager until .env says otherwise', () => {
  const execute = grafana.environment?.['GF_UNIFIED_ALERTING_EXECUTE_ALERTS'] ?? '';
  expect(interpolate(execute, {})).toBe('false');
  expect(interpolate(execute, { GRAFANA_ALERTS: 'true' })).toBe('true');
});

test('Grafana expects no more values than Prometheus scrapes', () => {
  const { global } = readYaml('prometheus/prometheus.yml') as {
    global: { scrape_interval: string };
  };
  const expectedEveryMs = parseDurationMs(datasources[0].jsonData.timeInterval);
  expect(expectedEveryMs).toBeGreaterThanOrEqual(
    parseDurationMs(global.scrape_interval) ?? Infinity,
  );
});

test('the dashboards are mounted where the provider reads them', () => {
  const [file = ''] = readdirSync(repositoryPath('grafana/provisioning/dashboards'));
  const { providers } = readYaml(`grafana/provisioning/dashboards/${file}`) as {
    providers: readonly { options: { path: string } }[];
  };
  for (const { options } of providers) expect([...mounts.keys()]).toContain(options.path);
});

test('the first page is the dashboard', () => {
  const path = grafana.environment?.['GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH'] ?? '';
  const dashboard = readText(mountedFile(path));
  expect(JSON.parse(dashboard)).toMatchObject({ title: expect.any(String) as string });
});
