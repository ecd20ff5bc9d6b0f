import { describe, expect, test } from 'vitest';
import { COLOURS, STATES } from '../../../grafana/colours.ts';
import { contrast } from './contrast.ts';
import { DASHBOARD, type OverrideJson, type PanelJson, PANELS } from './dashboard-json.ts';
import { substitute } from './dashboard-queries.ts';
import { parseQuery } from './promql.ts';

/** Whose JSON is known to be right without a Grafana at hand. */
const TYPES = ['bargauge', 'stat', 'state-timeline', 'table', 'timeseries'];

/** Which metrics are drawn in which colour. */
const METRICS_BY_COLOUR: Readonly<Record<keyof typeof COLOURS, RegExp>> = {
  solar: /_pv_|solar_month_solar_ratio/,
  battery: /_battery_/,
  house: /_load_|_consumption_/,
  grid: /_grid_/,
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
    for (const panels of [DASHBOARD.panels, ...DASHBOARD.panels.map((row) => row.panels ?? [])]) {
      for (const { gridPos } of panels) expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
      const tops = panels.map(({ gridPos }) => gridPos.y);
      const bottoms = panels.map(({ gridPos }) => gridPos.y + gridPos.h);
      const covered = panels.reduce((sum, { gridPos }) => sum + gridPos.w * gridPos.h, 0);
      // Nothing covers another, so what is covered is all there is.
      if (panels.length > 0) expect(covered).toBe(24 * (Math.max(...bottoms) - Math.min(...tops)));
    }
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
      ['Today', false],
      ['Month, money and counts', true],
      ['Devices, one by one', true],
      ['Batteries, one by one', true],
      ['What only some inverters measure', true],
      ['Alarms and settings', true],
      ['Exporter', true],
    ]);
  });
});

describe('the panels', () => {
  test('are of these types', () => {
    expect([...new Set(PANELS.map(({ type }) => type))].sort()).toEqual(TYPES);
  });

  test.each(PANELS)('"$title" shows what it does not know as one short mark', ({ fieldConfig }) => {
    expect(fieldConfig?.defaults.noValue).toBe('–');
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

  test('have no range of their own, which Grafana ignores once somebody zooms', () => {
    for (const { title, timeFrom } of PANELS) expect(timeFrom, title).toBeUndefined();
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

  test('are four, and all different', () => {
    expect(new Set(Object.values(COLOURS)).size).toBe(4);
  });

  test.each(Object.entries({ ...COLOURS, ...STATES }).filter(([, colour]) => colour !== 'text'))(
    'of %s can be read as text on white and on dark panels',
    (_, colour) => {
      for (const background of ['#FFFFFF', '#181B1F', '#22252B'])
        expect(contrast(colour, background), background).toBeGreaterThanOrEqual(3);
    },
  );
});

describe('the contrast', () => {
  test('is that of the WCAG', () => {
    expect(contrast('#000000', '#FFFFFF')).toBe(21);
    expect(contrast('#777777', '#FFFFFF')).toBeCloseTo(4.48, 2);
  });
});
