import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { buildDashboard } from '../../../grafana/dashboard.ts';
import { dashboardFiles } from '../../../grafana/files.ts';
import { DASHBOARD, type DashboardJson, fileText, filesIn, PANELS } from './dashboard-json.ts';

const FILES = await dashboardFiles();
const IMPORTED = JSON.parse(fileText('grafana/import/solar.json')) as DashboardJson & {
  readonly __inputs: readonly { readonly name: string; readonly pluginId: string }[];
  readonly __requires: readonly { readonly type: string; readonly id: string }[];
};

describe('the written files', () => {
  test.each([...FILES.keys()])('%s is what `npm run dashboard` writes', (path) => {
    expect(fileText(path)).toBe(FILES.get(path));
  });

  test('are the same every time', async () => {
    expect(await dashboardFiles()).toEqual(FILES);
  });

  test('hold the whole dashboard, and no number that JSON cannot say', () => {
    expect(DASHBOARD).toEqual(JSON.parse(JSON.stringify(buildDashboard())));
    // The lowest threshold begins at minus infinity, which Grafana writes as null.
    const nulls = nullPaths(DASHBOARD).filter((path) => !path.endsWith('steps.0.value'));
    expect(nulls).toEqual([]);
  });
});

function nullPaths(value: unknown, path = ''): readonly string[] {
  if (value === null) return [path];
  if (typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([key, child]) => nullPaths(child, `${path}.${key}`));
}

describe('the dashboard', () => {
  test('keeps its address, and leaves its number to Grafana', () => {
    expect(DASHBOARD['uid']).toBe('solar-exporter');
    expect(DASHBOARD).not.toHaveProperty('id');
    expect(DASHBOARD).not.toHaveProperty('version');
  });

  test('shows the last day, every minute anew, in the time of the person who looks', () => {
    expect(DASHBOARD).toMatchObject({
      schemaVersion: 42,
      time: { from: 'now-24h', to: 'now' },
      refresh: '1m',
      timezone: 'browser',
      graphTooltip: 1,
      tags: ['solar', 'energy', 'prometheus'],
    });
  });

  test('links to the page of each exporter by the address of that exporter', () => {
    const overrides =
      PANELS.find(({ title }) => title === 'Is all well?')?.fieldConfig?.overrides ?? [];
    expect(overrides.flatMap(({ properties }) => properties)).toContainEqual({
      id: 'links',
      value: [
        {
          title: 'Status page of ${__field.labels.instance}',
          url: 'http://${__field.labels.instance}/',
          targetBlank: true,
        },
      ],
    });
  });
});

describe('the copy for import', () => {
  test('asks for the data source and says what it needs', () => {
    expect(IMPORTED.__inputs).toMatchObject([{ name: 'DS_PROMETHEUS', pluginId: 'prometheus' }]);
    const needed = IMPORTED.__requires.filter(({ type }) => type === 'panel').map(({ id }) => id);
    expect(needed).toEqual([...new Set(PANELS.map(({ type }) => type))].sort());
    expect(IMPORTED.templating.list[0]?.current).toEqual({
      text: 'Prometheus',
      value: '${DS_PROMETHEUS}',
    });
  });

  test('is otherwise the same dashboard', () => {
    const { panels, annotations } = IMPORTED;
    expect({ panels, annotations }).toEqual({
      panels: DASHBOARD.panels,
      annotations: DASHBOARD.annotations,
    });
    expect(IMPORTED.templating.list.slice(1)).toEqual(DASHBOARD.templating.list.slice(1));
  });

  test('lies where the provider of dashboards does not look', () => {
    expect(filesIn('grafana/dashboards')).toEqual(['.lint', 'solar.json']);
    expect(filesIn('grafana/import')).toEqual(['solar.json']);
  });
});

describe('the provisioning', () => {
  test('offers Prometheus under an address that stays', () => {
    expect(parse(fileText('grafana/provisioning/datasources/prometheus.yml'))).toMatchObject({
      apiVersion: 1,
      datasources: [
        {
          type: 'prometheus',
          uid: 'prometheus',
          url: 'http://prometheus:9090',
          isDefault: true,
          editable: false,
        },
      ],
    });
  });

  test('loads dashboards from a directory, and lets nobody change or delete them there', () => {
    expect(parse(fileText('grafana/provisioning/dashboards/solar.yml'))).toMatchObject({
      apiVersion: 1,
      providers: [
        {
          type: 'file',
          disableDeletion: true,
          allowUiUpdates: false,
          options: { path: '/var/lib/grafana/dashboards' },
        },
      ],
    });
  });
});
