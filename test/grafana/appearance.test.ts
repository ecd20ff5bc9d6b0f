import { describe, expect, test } from 'vitest';
import { COLOURS } from '../../grafana/colours.ts';
import { DASHBOARD, type OverrideJson, type PanelJson, PANELS } from './dashboard-json.ts';
import { substitute } from './dashboard-queries.ts';
import { parseQuery } from './promql.ts';

/** Whose JSON is known to be right without a Grafana at hand. */
const TYPES = ['bargauge', 'gauge', 'stat', 'state-timeline', 'table', 'timeseries'];

/** Which metrics are drawn in which colour. */
const METRICS_BY_COLOUR: Readonly<Record<keyof typeof COLOURS, RegExp>> = {
  solar: /_pv_|solar_month_solar_ratio/,
  battery: /_battery_/,
  house: /_load_|_consumption_/,
  grid: /_grid_/,
  output: /_ac_output_|_rated_/,
};

interface Rectangle {
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
}

const overlap = (one: Rectangle, other: Rectangle): boolean =>
  one.x < other.x + other.w &&
  other.x < one.x + one.w &&
  one.y < other.y + other.h &&
  other.y < one.y + one.h;

function overlaps(panels: readonly PanelJson[]): string[] {
  return panels.flatMap((panel, index) =>
    panels
      .slice(index + 1)
      .filter((other) => overlap(panel.gridPos, other.gridPos))
      .map((other) => `${panel.title} and ${other.title}`),
  );
}

function coloursOf(panel: PanelJson): readonly (readonly [refId: string, colour: string])[] {
  const colourOf = ({ properties }: OverrideJson): string | undefined =>
    (properties.find(({ id }) => id === 'color')?.value as { fixedColor?: string } | undefined)
      ?.fixedColor;
  return (panel.fieldConfig?.overrides ?? []).flatMap((override) => {
    const colour = colourOf(override);
    return colour === undefined ? [] : [[override.matcher.options, colour] as const];
  });
}

describe('the layout', () => {
  test('lets no panel cover another, in open rows and in folded ones', () => {
    expect(overlaps(DASHBOARD.panels)).toEqual([]);
    for (const { panels = [] } of DASHBOARD.panels) expect(overlaps(panels)).toEqual([]);
  });

  test('notices panels that cover each other', () => {
    const [first] = PANELS;
    if (first === undefined) throw new Error('no panels');
    const { gridPos } = first;
    const shifted = { ...first, gridPos: { ...gridPos, x: gridPos.x + gridPos.w - 1 } };
    expect(overlaps([first, shifted])).toHaveLength(1);
  });

  test('stays within the 24 columns of the grid, without holes', () => {
    const widths = new Map<string, number>();
    for (const [index, { panels = [] }] of [
      { panels: DASHBOARD.panels },
      ...DASHBOARD.panels,
    ].entries())
      for (const { gridPos } of panels) {
        expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
        const line = `${index} ${gridPos.y}`;
        widths.set(line, (widths.get(line) ?? 0) + gridPos.w);
      }
    expect(new Set(widths.values())).toEqual(new Set([24]));
  });

  test('gives every panel a number of its own', () => {
    const ids = [...DASHBOARD.panels.filter(({ type }) => type === 'row'), ...PANELS].map(
      ({ id }) => id,
    );
    expect(new Set(ids).size).toBe(ids.length);
    expect(Math.min(...ids)).toBe(1);
  });

  test('shows the rows in the order of attention, with the details folded', () => {
    const rows = DASHBOARD.panels.filter(({ type }) => type === 'row');
    expect(rows.map(({ title, collapsed }) => [title, collapsed])).toEqual([
      ['Now', false],
      ['Power', false],
      ['Energy', false],
      ['Battery', false],
      ['Strings, grid quality and temperatures, where devices measure them', true],
      ['Alarms and settings', false],
      ['Exporter', true],
    ]);
  });
});

describe('the panels', () => {
  test('are of these types', () => {
    expect([...new Set(PANELS.map(({ type }) => type))].sort()).toEqual(TYPES);
  });

  test.each(PANELS)('"$title" says that it has no data', ({ fieldConfig }) => {
    expect(fieldConfig?.defaults.noValue).toBe('no data');
  });

  test('that go over time do not bridge gaps', () => {
    const overTime = PANELS.filter(({ type }) => /^(timeseries|state-timeline)$/.test(type));
    expect(overTime.length).toBeGreaterThan(10);
    for (const { title, fieldConfig } of overTime)
      expect(fieldConfig?.defaults.custom?.spanNulls, title).toBe(false);
  });

  test('ask for instants or ranges as their type shows them', () => {
    for (const { type, title, targets = [] } of PANELS)
      for (const { instant, range } of targets)
        expect({ instant, range }, title).toEqual(
          /^(timeseries|state-timeline)$/.test(type)
            ? { instant: false, range: true }
            : { instant: true, range: false },
        );
  });

  test('of the day begin at midnight, and no other has a range of its own', () => {
    for (const { title, timeFrom } of PANELS)
      expect(timeFrom, title).toBe(/ today$|^Today's cycle$/.test(title) ? 'now/d' : undefined);
  });
});

function flowOf(matchers: readonly { readonly label: string; readonly value: string }[]): string {
  return matchers.find(({ label }) => label === 'flow')?.value ?? '';
}

describe('the colours', () => {
  const coloured = PANELS.flatMap((panel) =>
    coloursOf(panel).map(([refId, colour]) => {
      const target = panel.targets?.find((other) => other.refId === refId);
      const parsed = parseQuery(substitute(target?.expr ?? ''));
      return {
        name: `${panel.title} ${refId}`,
        colour,
        // What an energy is of is told by its label.
        metrics: parsed.selectors
          .map(({ metric, matchers }) => `${metric}_${flowOf(matchers)}_`)
          .join(' '),
      };
    }),
  );
  const quantities = Object.keys(COLOURS) as (keyof typeof COLOURS)[];

  test.each(quantities)('of %s is that of nothing else', (quantity) => {
    const drawn = coloured.filter(({ colour }) => colour === COLOURS[quantity]);
    expect(drawn).not.toEqual([]);
    for (const { name, metrics } of drawn)
      expect(metrics, name).toMatch(METRICS_BY_COLOUR[quantity]);
  });

  test('are five, and all different', () => {
    expect(new Set(Object.values(COLOURS)).size).toBe(5);
  });

  test('of the four flows are the ones that dashboards of this kind share', () => {
    expect(COLOURS).toMatchObject({
      solar: '#FADE2A',
      battery: '#73BF69',
      house: '#5794F2',
      grid: '#B877D9',
    });
  });
});
