import type { ClassicDashboard } from './dashboard.ts';

/** The oldest Grafana that the dashboard is meant for. */
const GRAFANA_VERSION = '11.0.0';

const PANEL_NAMES: Readonly<Record<string, string>> = {
  bargauge: 'Bar gauge',
  gauge: 'Gauge',
  stat: 'Stat',
  'state-timeline': 'State timeline',
  table: 'Table',
  timeseries: 'Time series',
};

/** Makes the copy for grafana.com, which lists its requirements and asks for the data source at the import. */
export function importCopy(dashboard: ClassicDashboard): object {
  const types = [...new Set(panelTypes(dashboard))].sort();
  return {
    __inputs: [
      {
        name: 'DS_PROMETHEUS',
        label: 'Prometheus',
        description: 'The Prometheus that scrapes the exporter.',
        type: 'datasource',
        pluginId: 'prometheus',
        pluginName: 'Prometheus',
      },
    ],
    __elements: {},
    __requires: [
      { type: 'grafana', id: 'grafana', name: 'Grafana', version: GRAFANA_VERSION },
      { type: 'datasource', id: 'prometheus', name: 'Prometheus', version: '1.0.0' },
      ...types.map((id) => ({ type: 'panel', id, name: PANEL_NAMES[id] ?? id, version: '' })),
    ],
    ...dashboard,
    templating: {
      list: dashboard.templating.list?.map((variable) =>
        variable.name === 'datasource'
          ? { ...variable, current: { text: 'Prometheus', value: '${DS_PROMETHEUS}' } }
          : variable,
      ),
    },
  };
}

function panelTypes({ panels = [] }: ClassicDashboard): string[] {
  return panels
    .flatMap((panel) => ('panels' in panel ? panel.panels : [panel]))
    .map(({ type }) => type)
    .filter((type) => type !== 'row');
}
