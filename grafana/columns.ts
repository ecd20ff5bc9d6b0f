import type {
  DataTransformerConfig,
  DynamicConfigValue,
  ValueMapping,
} from '@grafana/grafana-foundation-sdk/dashboard';
import type { Unit } from './units.ts';

/** Columns of every instant query that a table does not need. */
const NEVER_SHOWN = ['Time', 'Value', '__name__', 'job', 'station_id', 'device_id'];

/** Joins the results of several queries where their labels agree; Grafana names the values `Value #A`. */
export const MERGED: DataTransformerConfig = { id: 'merge', options: {} };

/** Rows of two queries are joined only where no name of a metric tells them apart. */
export function nameless(expression: string): string {
  return `${expression} + 0`;
}

/**
 * Shows these labels and values as columns, in this order and with these titles, and the account where there are
 * several. `hidden` are further ones that the queries have.
 */
export function columns(
  titles: Readonly<Record<string, string>>,
  ...hidden: readonly string[]
): DataTransformerConfig {
  const titleByLabel = { ...titles, account: 'Account' };
  const shown = Object.keys(titleByLabel);
  const notShown = [...NEVER_SHOWN, ...hidden].filter((label) => !shown.includes(label));
  return {
    id: 'organize',
    options: {
      excludeByName: Object.fromEntries(notShown.map((label) => [label, true])),
      indexByName: Object.fromEntries(shown.map((label, index) => [label, index])),
      renameByName: titleByLabel,
    },
  };
}

/** Sorts the rows of a table by a column. */
export function sortedBy(column: string, desc = false): DataTransformerConfig {
  return { id: 'sortBy', options: { fields: {}, sort: [{ field: column, desc }] } };
}

/** How the numbers of a column show. */
export function numbers(unit: Unit, decimals: number): readonly DynamicConfigValue[] {
  return [
    { id: 'unit', value: unit },
    { id: 'decimals', value: decimals },
  ];
}

/** The instants of a column. */
export function instants(unit: Unit): readonly DynamicConfigValue[] {
  return [{ id: 'unit', value: unit }];
}

/** The words that stand for the values of a column, each in its colour. */
export function words(mappings: readonly ValueMapping[]): readonly DynamicConfigValue[] {
  return [
    { id: 'mappings', value: mappings },
    { id: 'custom.cellOptions', value: { type: 'color-text' } },
  ];
}

/** How wide a column is, in pixels. */
export function width(pixels: number): DynamicConfigValue {
  return { id: 'custom.width', value: pixels };
}

/** As wide as an id of 18 digits. */
export const ID_WIDTH = width(165);
