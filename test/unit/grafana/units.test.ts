import { describe, expect, test } from 'vitest';
import { UNITS } from '../../../grafana/units.ts';
import { type PanelJson, PANELS } from './dashboard-json.ts';

const TABLES = PANELS.filter(({ type }) => type === 'table');
const KNOWN = Object.values(UNITS) as readonly string[];

/** The units of Grafana that write 0.12 W as 120 mW and 2,900 kWh as 2.9 MWh, as far as one could think of them here. */
const SCALING = /^(?:k|m|M)?(?:watt|watth|volt|amp|hertz|joule)$|^(?:short|s|ms|reqps|currency.*)$/;

/** Every unit of a panel: its own, and those of single queries and columns. */
function unitsOf({ fieldConfig }: PanelJson): readonly unknown[] {
  const overrides = fieldConfig?.overrides ?? [];
  const own = overrides.flatMap(({ properties }) =>
    properties.filter(({ id }) => id === 'unit').map(({ value }) => value),
  );
  return [...own, ...(fieldConfig?.defaults.unit === undefined ? [] : [fieldConfig.defaults.unit])];
}

/** The columns of a table that hold the values of queries, by the titles that they have. */
function valueColumns({ transformations = [] }: PanelJson): readonly string[] {
  const titles = transformations.find(({ id }) => id === 'organize')?.options.renameByName ?? {};
  return Object.entries(titles)
    .filter(([column]) => /^Value(?: #[A-Z])?$/.test(column))
    .map(([, title]) => title);
}

describe('the units', () => {
  test.each(PANELS)('of "$title" are those of the list', (panel) => {
    for (const unit of unitsOf(panel)) expect(KNOWN).toContain(unit);
  });

  test('are all in use', () => {
    expect(new Set(PANELS.flatMap(unitsOf))).toEqual(new Set(KNOWN));
  });

  test('stay as they are, whatever the value', () => {
    for (const unit of KNOWN) expect(unit).not.toMatch(SCALING);
  });

  test('are one for each quantity', () => {
    expect(new Set(KNOWN).size).toBe(KNOWN.length);
  });

  test('of power and energy have as many decimals as one reads', () => {
    for (const { title, type, fieldConfig } of PANELS) {
      const { unit, decimals } = fieldConfig?.defaults ?? {};
      if (unit === UNITS.watts) expect(decimals, title).toBe(0);
      // An axis has as many as its steps need.
      if (unit === UNITS.kilowattHours && type === 'stat')
        expect(decimals, title).toBeLessThanOrEqual(1);
    }
  });
});

describe('a table', () => {
  test('is one of several', () => {
    expect(TABLES.length).toBeGreaterThan(5);
  });

  test.each(TABLES)('"$title" reads none of its texts as numbers', (panel) => {
    const { unit, decimals } = panel.fieldConfig?.defaults ?? {};
    // Grafana would read the id 353417800001000017 as the number 353417800001000000.
    expect({ unit, decimals }).toEqual({ unit: undefined, decimals: undefined });
    const numeric = valueColumns(panel);
    for (const { matcher, properties } of panel.fieldConfig?.overrides ?? []) {
      expect(matcher.id).toBe('byName');
      if (properties.some(({ id }) => id === 'unit' || id === 'decimals'))
        expect(numeric).toContain(matcher.options);
    }
  });

  test.each(TABLES)('"$title" shows no column under the name of a query', (panel) => {
    const { renameByName = {}, excludeByName = {} } =
      panel.transformations?.find(({ id }) => id === 'organize')?.options ?? {};
    const { targets = [] } = panel;
    const values = targets.length === 1 ? ['Value'] : targets.map(({ refId }) => `Value #${refId}`);
    for (const column of values)
      expect(column in renameByName || column in excludeByName, column).toBe(true);
  });
});
