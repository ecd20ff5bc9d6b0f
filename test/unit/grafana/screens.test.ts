import { describe, expect, test } from 'vitest';
import { DASHBOARD, type PanelJson, PANELS } from './dashboard-json.ts';

/** How Grafana lays a dashboard out, in pixels. */
const GRID = { columns: 24, gap: 8, row: 30, margin: 16 };
/** What is left of a browser of 900 pixels below Grafana's own bars and the variables. */
const SCREEN_PIXELS = 760;
/** A tablet in landscape, or half of a screen: below it, Grafana stacks the panels. */
const NARROWEST_PIXELS = 800;
/** A letter of a title, of 14 pixels, is about as wide. */
const LETTER_PIXELS = 7.5;
/** The padding of a header, and the mark of the description. */
const HEADER_PIXELS = 60;

const ROWS = DASHBOARD.panels.filter(({ type }) => type === 'row');
const OPEN = DASHBOARD.panels.filter(({ type }) => type !== 'row');

function widthAt(pageWidth: number, { gridPos }: PanelJson): number {
  const whole = pageWidth - 2 * GRID.margin;
  const column = (whole - GRID.gap * (GRID.columns - 1)) / GRID.columns;
  return gridPos.w * column + (gridPos.w - 1) * GRID.gap;
}

function heightOf(rows: number): number {
  return rows * (GRID.row + GRID.gap);
}

describe('the screens', () => {
  test('are two: the first says how the roof is, the second how the day was', () => {
    const open = ROWS.filter(({ collapsed }) => collapsed === false);
    expect(open.map(({ title }) => title)).toEqual(['Now', 'Today']);
    const [now, today] = open.map(({ gridPos }) => gridPos.y);
    const firstFolded = ROWS.find(({ collapsed }) => collapsed)?.gridPos.y ?? NaN;
    expect(heightOf((today ?? NaN) - (now ?? NaN))).toBeLessThanOrEqual(SCREEN_PIXELS);
    expect(heightOf(firstFolded - (today ?? NaN))).toBeLessThanOrEqual(SCREEN_PIXELS);
  });

  test('have few panels, and the folded rows not many', () => {
    expect(OPEN.length).toBeLessThanOrEqual(13);
    expect(PANELS.length).toBeLessThanOrEqual(50);
  });

  test('begin with what flows, then the day so far, then what is wrong', () => {
    expect(OPEN.slice(0, 7).map(({ title }) => title)).toEqual([
      'Sun',
      'Battery',
      'House',
      'Grid',
      'Power',
      'Battery level',
      'Is all well?',
    ]);
  });

  test('leave to folded rows what whole families never have', () => {
    const optional =
      /solar_(?:battery_so[h]|battery_temperature|pv_string|device_temperature|device_working_mode|grid_frequency|ac_output)/;
    for (const { title, targets = [] } of OPEN)
      for (const { expr } of targets) expect(expr, title).not.toMatch(optional);
  });
});

describe('a panel', () => {
  test.each(PANELS)('"$title" is as wide as one can read', (panel) => {
    expect(panel.gridPos.w).toBeGreaterThanOrEqual(6);
    expect(widthAt(NARROWEST_PIXELS, panel)).toBeGreaterThanOrEqual(180);
    if (/^(?:timeseries|state-timeline|table)$/.test(panel.type))
      expect(widthAt(NARROWEST_PIXELS, panel)).toBeGreaterThanOrEqual(300);
  });

  test.each(PANELS)('"$title" shows its whole title at 800 pixels', (panel) => {
    const needed = panel.title.length * LETTER_PIXELS + HEADER_PIXELS;
    expect(needed).toBeLessThanOrEqual(widthAt(NARROWEST_PIXELS, panel));
  });

  test.each(PANELS.filter(({ type }) => type === 'stat'))(
    '"$title" has numbers of one size, neither tiny nor all there is',
    ({ options }) => {
      expect(options?.text?.valueSize).toBeGreaterThanOrEqual(14);
      expect(options?.text?.valueSize).toBeLessThanOrEqual(34);
      expect(options?.text?.titleSize).toBeGreaterThanOrEqual(14);
    },
  );
});

describe('the legends', () => {
  const LEGENDS = PANELS.flatMap(({ title, targets = [] }) =>
    targets.map(({ legendFormat, expr }) => ({ title, legend: legendFormat, expr })),
  );

  test('say how complete a sum is only by a label that a complete one does not have', () => {
    const remarked = LEGENDS.filter(({ legend }) => legend.includes('{{coverage}}'));
    expect(remarked.length).toBeGreaterThan(8);
    for (const { legend, expr, title } of remarked) {
      expect(legend, title).toMatch(/^[a-z ]+\{\{coverage\}\}$/);
      // Made only where more than nothing is missing.
      expect(expr, title).toMatch(/count_values\("coverage", \(.*\) > 0\)/);
      expect(expr, title).toMatch(/ or on \(\) /);
    }
    for (const { legend } of LEGENDS) expect(legend).not.toMatch(/known for|all devices of/);
  });

  test('name the currency of money', () => {
    const money = LEGENDS.filter(({ title }) => /money/i.test(title));
    expect(money).toHaveLength(4);
    for (const { legend } of money) expect(legend).toMatch(/^\{\{currency\}\} /);
  });

  test('of devices have the name of the station before it where there are several', () => {
    const named = LEGENDS.filter(({ legend }) => legend.includes('{{name}}'));
    expect(named.length).toBeGreaterThan(20);
    for (const { title, expr } of named) {
      expect(expr, title).toMatch(/count\(max by \(account, station_id\) \(solar_station_info/);
      expect(expr, title).toContain('", ", "place", "name"');
    }
  });

  test('tell devices apart by colours in their order, not by shades of one', () => {
    for (const { title, type, fieldConfig } of PANELS.filter(
      ({ type: one }) => one === 'timeseries',
    )) {
      expect(fieldConfig?.defaults.color?.mode, `${title} ${type}`).toBe('palette-classic');
      for (const { properties } of fieldConfig?.overrides ?? [])
        for (const { id, value } of properties)
          if (id === 'color') expect(value).toMatchObject({ mode: 'fixed' });
    }
  });

  test('of ages have no decimals, and rates are per minute', () => {
    const age = LEGENDS.find(({ legend }) => legend.includes('{{minutes}}'));
    expect(age?.expr).toContain('floor(');
    const rates = LEGENDS.filter(({ expr }) => /\brate\(solar_api_requests_total/.test(expr));
    expect(rates).toHaveLength(1);
    for (const { expr } of rates) expect(expr).toMatch(/^60 \* /);
  });
});

describe('the day', () => {
  const TODAY = PANELS.filter(({ title }) => title.endsWith(' today'));

  test('is that of the energies of the exporter, whatever range is shown', () => {
    expect(TODAY.length).toBeGreaterThanOrEqual(4);
    for (const { title, targets = [] } of TODAY)
      if (title !== 'Requests left today')
        for (const { expr } of targets) {
          expect(expr, title).not.toContain('$__range');
          expect(expr, title).toMatch(/solar_energy_(?:today|yesterday)_kwh/);
        }
  });
});
