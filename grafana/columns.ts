import type { DataTransformerConfig } from '@grafana/grafana-foundation-sdk/dashboard';

/** Columns of every instant query that a table does not need. */
const NEVER_SHOWN = ['Time', 'Value', 'Value #A', '__name__', 'job', 'station_id', 'device_id'];

/** Joins the results of several queries where their labels agree; Grafana names the values `Value #A`. */
export const MERGED: DataTransformerConfig = { id: 'merge', options: {} };

/** Shows these labels as columns, in this order and with these titles, and the account where there are several. */
export function columns(titles: Readonly<Record<string, string>>): DataTransformerConfig {
  const titleByLabel = { ...titles, account: 'Account' };
  const shown = Object.keys(titleByLabel);
  const hidden = NEVER_SHOWN.filter((label) => !shown.includes(label));
  return {
    id: 'organize',
    options: {
      excludeByName: Object.fromEntries(hidden.map((label) => [label, true])),
      indexByName: Object.fromEntries(shown.map((label, index) => [label, index])),
      renameByName: titleByLabel,
    },
  };
}
