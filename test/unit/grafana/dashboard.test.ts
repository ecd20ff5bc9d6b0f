import { describe, expect, test } from 'vitest';
import { COLOURS } from '../../../grafana/colours.ts';
import { buildDashboard } from '../../../grafana/dashboard.ts';
import { dashboardFiles } from '../../../grafana/files.ts';
import { UNITS } from '../../../grafana/units.ts';
import { readText, readYaml } from '../../support/repository.ts';
import { DASHBOARD, type DashboardJson, type PanelJson, PANELS } from './dashboard-json.ts';
import { substitute } from './dashboard-queries.ts';
import { parseQuery } from './promql.ts';

const FILES = await dashboardFiles();
const KNOWN_UNITS = Object.values(UNITS) as readonly string[];
const TABLES = PANELS.filter(({ type }) => type === 'table');

/** Which metrics are drawn in which colour. */
const METRICS_BY_COLOUR: Readonly<Record<keyof typeof COLOURS, RegExp>> = {
  solar: /_pv_|solar_month_solar_ratio/,
  battery: /_battery_/,
  house: /_load_|_consumption_/,
  grid: /_grid_/,
};

/** The units of Grafana that write 0.12 W as 120 mW and 2,900 kWh as 2.9 MWh. */
const SCALING = /^(?:k|m|M)?(?:watt|watth|volt|amp|hertz|joule)$|^(?:short|s|ms|reqps|currency.*)$/;

describe('the written files', () => {
  test.each([...FILES.keys()])('%s is what `npm run dashboard` writes', (path) => {
    expect(readText(path)).toBe(FILES.get(path));
  });

  test('hold the whole dashboard, at an address that stays', () => {
    expect(DASHBOARD).toEqual(JSON.parse(JSON.stringify(buildDashboard())));
    expect(DASHBOARD).toMatchObject({ uid: 'solar-exporter', editable: false, refresh: '1m' });
    // Grafana gives its own.
    expect(DASHBOARD).not.toHaveProperty('id');
  });

  test('have a copy for import, which asks for the data source and is otherwise the same', () => {
    const copy = JSON.parse(readText('grafana/import/solar.json')) as DashboardJson & {
      readonly __requires: readonly { readonly type: string; readonly id: string }[];
    };
    expect(copy['__inputs']).toMatchObject([{ name: 'DS_PROMETHEUS', pluginId: 'prometheus' }]);
    const needed = copy.__requires.filter(({ type }) => type === 'panel').map(({ id }) => id);
    expect(needed).toEqual([...new Set(PANELS.map(({ type }) => type))].sort());
    expect(copy.panels).toEqual(DASHBOARD.panels);
    expect(copy.templating.list[0]?.current).toMatchObject({ value: '${DS_PROMETHEUS}' });
    expect(copy.templating.list.slice(1)).toEqual(DASHBOARD.templating.list.slice(1));
  });

  test('are provided by files that nobody changes in Grafana', () => {
    expect(readYaml('grafana/provisioning/datasources/prometheus.yml')).toMatchObject({
      datasources: [{ type: 'prometheus', uid: 'prometheus', isDefault: true, editable: false }],
    });
    expect(readYaml('grafana/provisioning/dashboards/solar.yml')).toMatchObject({
      providers: [
        {
          disableDeletion: true,
          allowUiUpdates: false,
          options: { path: '/var/lib/grafana/dashboards' },
        },
      ],
    });
  });
});

describe('the layout', () => {
  test('fills the 24 columns without holes, and lets no panel cover another', () => {
    for (const panels of [DASHBOARD.panels, ...DASHBOARD.panels.map((row) => row.panels ?? [])]) {
      const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
        Array.from({ length: w * h }, (_, at) => `${x + (at % w)},${y + Math.floor(at / w)}`),
      );
      expect(new Set(cells).size).toBe(cells.length);
      for (const { gridPos } of panels) expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
      const heights = panels.flatMap(({ gridPos: { y, h } }) => [y, y + h]);
      if (panels.length > 0)
        expect(cells).toHaveLength(24 * (Math.max(...heights) - Math.min(...heights)));
    }
  });

  test('has two open rows, how the roof is and how today was, and folds the rest', () => {
    const rows = DASHBOARD.panels.filter(({ type }) => type === 'row');
    const open = rows.filter(({ collapsed }) => collapsed === false);
    expect(open.map(({ title }) => title)).toEqual(['Now', 'Today']);
    expect(rows.slice(0, 2)).toEqual(open);
    const ids = [...rows, ...PANELS].map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe('a panel', () => {
  test.each(PANELS)('"$title" says what it shows, of the data source that was chosen', (panel) => {
    const isOverTime = /^(timeseries|state-timeline)$/.test(panel.type);
    expect(panel.description).toMatch(/^[A-Z].*\.$/s);
    expect(panel.fieldConfig?.defaults.noValue).toBe('–');
    const chosen = { type: 'prometheus', uid: '${datasource}' };
    expect(panel.datasource).toEqual(chosen);
    expect(panel.targets).not.toEqual([]);
    for (const target of panel.targets ?? [])
      expect(target).toMatchObject({
        datasource: chosen,
        instant: !isOverTime,
        range: isOverTime,
      });
    // A gap is a gap.
    if (isOverTime) expect(panel.fieldConfig?.defaults.custom?.spanNulls).toBe(false);
  });

  test.each(PANELS)('"$title" has units that stay as they are', ({ type, fieldConfig }) => {
    const { unit, decimals } = fieldConfig?.defaults ?? {};
    // Grafana would read the texts of a table, such as ids, as numbers.
    expect(unit === undefined).toBe(type === 'table');
    if (type === 'table') expect(decimals).toBeUndefined();
    if (unit === UNITS.watts) expect(decimals).toBe(0);
    const others = (fieldConfig?.overrides ?? []).flatMap(({ properties }) =>
      properties.filter(({ id }) => id === 'unit').map(({ value }) => value),
    );
    for (const one of [...others, ...(unit === undefined ? [] : [unit])]) {
      expect(KNOWN_UNITS).toContain(one);
      expect(one).not.toMatch(SCALING);
    }
  });

  test.each(TABLES)('"$title" names its columns, and gives units to values alone', (panel) => {
    const { renameByName = {}, excludeByName = {} } =
      panel.transformations?.find(({ id }) => id === 'organize')?.options ?? {};
    const { targets = [] } = panel;
    const values = targets.length === 1 ? ['Value'] : targets.map(({ refId }) => `Value #${refId}`);
    for (const column of values)
      expect(column in renameByName || column in excludeByName, column).toBe(true);
    for (const { matcher, properties } of panel.fieldConfig?.overrides ?? [])
      if (properties.some(({ id }) => id === 'unit' || id === 'decimals'))
        expect(values.map((column) => renameByName[column])).toContain(matcher.options);
  });

  test('has the colour of what it shows, where it has one', () => {
    const drawn = PANELS.flatMap((panel) => coloursOf(panel));
    for (const [quantity, colour] of Object.entries(COLOURS)) {
      const metrics = drawn.filter((one) => one.colour === colour).map((one) => one.metrics);
      expect(metrics, quantity).not.toEqual([]);
      for (const one of metrics)
        expect(one).toMatch(METRICS_BY_COLOUR[quantity as keyof typeof COLOURS]);
    }
  });
});

/** The queries of a panel that have a colour, with the metrics they ask for. */
function coloursOf({ fieldConfig, targets = [] }: PanelJson) {
  return (fieldConfig?.overrides ?? []).flatMap(({ matcher, properties }) => {
    const value = properties.find(({ id }) => id === 'color')?.value;
    const { fixedColor: colour } = (value ?? {}) as { readonly fixedColor?: string };
    if (colour === undefined) return [];
    const { expr = '' } = targets.find(({ refId }) => refId === matcher.options) ?? {};
    // What an energy is of is told by its label.
    const metrics = parseQuery(substitute(expr)).selectors.map(
      ({ metric, matchers }) =>
        `${metric}_${matchers.find(({ label }) => label === 'flow')?.value ?? ''}_`,
    );
    return [{ colour, metrics: metrics.join(' ') }];
  });
}
