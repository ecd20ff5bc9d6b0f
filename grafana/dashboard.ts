import { DATASOURCE, type Panel, panelJson, STATES } from './panel.ts';
import { BY_STATION, E, named, S } from './promql.ts';
import { batteryPanels, devicePanels, measuredPanels } from './rows/devices.ts';
import { alarmPanels, exporterPanels } from './rows/exporter.ts';
import { nowPanels } from './rows/now.ts';
import { daysPanels, todayPanels } from './rows/today.ts';

/** The rows; all but the first two are folded, and ask for nothing until a person opens them. */
const ROWS: readonly (readonly [title: string, panels: readonly Panel[]])[] = [
  ['Now', nowPanels],
  ['Today', todayPanels],
  ['Days and months', daysPanels],
  ['Devices, one by one', devicePanels],
  ['Batteries, one by one', batteryPanels],
  ['What only some inverters measure', measuredPanels],
  ['Alarms and settings', alarmPanels],
  ['Exporter', exporterPanels],
];
const OPEN_ROWS = 2;

const GRID_WIDTH = 24;

/** The oldest Grafana that the dashboard is meant for. */
const GRAFANA_VERSION = '11.0.0';

const DOCS = 'https://github.com/solar-exporter/solar-exporter/blob/main/docs';
const LINKS = [
  ['Metrics', 'metrics.md'],
  ['Queries to copy', 'queries.md'],
  ['Alerts', 'alerts.md'],
] as const;

/** What a person may type at the top, with what stands there. */
const TYPED = [
  ['tariff', 'Tariff', '0.30', 'What a kWh from the grid costs, as a plain number; empty is 0.'],
  ['feed_in_price', 'Feed-in price', '0.08', 'What a kWh fed into the grid earns; empty is 0.'],
  ['currency', 'Currency', 'EUR', 'Of both prices; those of a tariff file have their own.'],
] as const;

/** Below this the grid is gone; inverters measure a volt or a few on a dead line. */
const NO_GRID_VOLTS = 50;

/**
 * Builds the dashboard, the same every time. One file serves all ways into Grafana: grafana.com and the import by hand
 * read what it requires, provisioning does not mind, and the data source is a variable, so that no import asks for it.
 */
export function buildDashboard(): { readonly uid: string; readonly [key: string]: unknown } {
  const panels = layOut();
  const types = new Set(ROWS.flatMap(([, row]) => row.map((panel) => panelJson(panel).type)));
  return {
    __inputs: [],
    __requires: [
      { type: 'grafana', id: 'grafana', name: 'Grafana', version: GRAFANA_VERSION },
      { type: 'datasource', id: 'prometheus', name: 'Prometheus', version: '1.0.0' },
      ...[...types].sort().map((id) => ({ type: 'panel', id, name: id, version: '' })),
    ],
    title: 'Solar',
    uid: 'solar-exporter',
    tags: ['solar', 'energy', 'prometheus'],
    description:
      'What the sun, the battery, the house and the grid do, by the metrics of solar-exporter. What is not known is never shown as 0.',
    timezone: 'browser',
    time: { from: 'now-24h', to: 'now' },
    refresh: '1m',
    editable: true,
    graphTooltip: 1,
    schemaVersion: 39,
    links: LINKS.map(([title, page]) => ({
      type: 'link',
      icon: 'doc',
      title,
      url: `${DOCS}/${page}`,
      targetBlank: true,
    })),
    annotations: { list: annotations() },
    templating: { list: variables() },
    panels,
  };
}

/** Places the panels of each row from left to right, each below what is above it, and numbers them. */
function layOut(): readonly object[] {
  let id = 0;
  let below = 0;
  return ROWS.flatMap(([title, row], index): readonly object[] => {
    const collapsed = index >= OPEN_ROWS;
    const gridPos = { x: 0, y: below, w: GRID_WIDTH, h: 1 };
    const head = { type: 'row', id: (id += 1), title, collapsed, gridPos };
    const heights = new Array<number>(GRID_WIDTH).fill(below + 1);
    let from = 0;
    const panels = row.map((panel) => {
      const [w, h] = panel.size;
      if (from + w > GRID_WIDTH) from = heights.indexOf(Math.min(...heights));
      const y = Math.max(...heights.slice(from, from + w));
      const place = { x: from, y, w, h };
      heights.fill(y + h, from, from + w);
      from += w;
      return { ...panelJson(panel), id: (id += 1), gridPos: place };
    });
    // A folded row takes no space: opening it moves the rest down.
    below = collapsed ? below + 1 : Math.max(...heights);
    return collapsed ? [{ ...head, panels }] : [{ ...head, panels: [] }, ...panels];
  });
}

/** Marks on every chart; Grafana shows only values above 0. */
function annotations() {
  const silent = named(`(solar_device_reporting{${S}} == bool 0 == 1)`);
  const gone = named(`(solar_grid_voltage_volts{${S}} < bool ${NO_GRID_VOLTS} == 1)`);
  return [
    ['Alarms', STATES.attention, '{{alarm}}', named(`solar_device_alarm_firing{${S}}`)],
    ['Grid outages', STATES.bad, 'No grid voltage', gone],
    ['Silent devices', STATES.notice, 'No reading', silent],
  ].map(([name, iconColor, titleFormat, expr]) => {
    const shown = { name, iconColor, titleFormat, textFormat: '{{name}}', enable: true };
    return { ...shown, datasource: DATASOURCE, expr, step: '60s', useValueForTime: false };
  });
}

/** The variables at the top; each list depends on the choices before it. */
function variables() {
  // The order of the labels is not ours, so either group may come first.
  const regex = '/[{,] ?name="(?<text>[^"]+)"|[{,] ?station_id="(?<value>[^"]+)"/g';
  const stationInfo = `query_result(solar_station_info{${E}})`;
  const several = `count(count by ${BY_STATION} (solar_station_info{${E}})) > 1`;
  const ofStation = `query_result(label_replace(${several}, "legend", ", {{station}}", "", ""))`;
  const source = { type: 'datasource', name: 'datasource', label: 'Data source' };
  return [
    { ...source, query: 'prometheus', description: 'The Prometheus that scrapes the exporter.' },
    {
      ...chosen('job', 'Job', 'label_values(solar_exporter_build_info, job)', 1),
      description: 'The scrape jobs of the exporters; All are those with "solar" in their names.',
      // Also while an exporter is away for longer than the range, which has to be said.
      allValue: '.*solar.*',
      current: { text: ['solar'], value: ['solar'] },
    },
    {
      ...chosen('instance', 'Instance', 'label_values(up{job=~"$job"}, instance)', 1),
      description:
        'The exporters, by the address at which Prometheus scrapes them; the stations, where each is a target of its own.',
    },
    {
      ...chosen('station', 'Station', stationInfo, 3),
      description:
        'The stations of these exporters. Numbers add them up, and devices have the name of their station as well.',
      regex,
    },
    {
      // What ends the name of a device in legends: nothing, or where there are several stations the name of its own.
      ...chosen('of_station', '', ofStation, 3),
      hide: 2,
      regex: '/"(.+)"/',
      multi: false,
      includeAll: false,
      allValue: undefined,
      current: { text: '', value: '' },
    },
    ...TYPED.map(([name, label, query, description]) => {
      const current = { text: query, value: query };
      return { type: 'textbox', name, label, description, query, current };
    }),
  ];
}

/** `qryType` is how Grafana numbers the forms of such a query: 1 are values of a label, 3 results. */
function chosen(name: string, label: string, text: string, qryType: number) {
  const query = { query: text, refId: 'PrometheusVariableQueryEditor-VariableQuery', qryType };
  return {
    type: 'query',
    name,
    label,
    datasource: DATASOURCE,
    query,
    definition: text,
    // They follow the time range, and are sorted by the alphabet.
    refresh: 2,
    sort: 5,
    multi: true,
    includeAll: true,
    // Metrics that have no station yet fit that as well.
    allValue: '.*',
    current: { text: ['All'], value: ['$__all'] },
  };
}
