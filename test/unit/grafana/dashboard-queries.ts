import { DASHBOARD, PANELS } from './dashboard-json.ts';

/** A query and what to call it. */
export interface NamedQuery {
  readonly name: string;
  readonly expression: string;
  readonly legend: string;
}

/** Every query of every panel, named by the panel and the letter of the query. */
export const PANEL_QUERIES: readonly NamedQuery[] = PANELS.flatMap(({ title, targets = [] }) =>
  targets.map(({ refId, expr, legendFormat }) => ({
    name: `${title} ${refId}`,
    expression: expr,
    legend: legendFormat,
  })),
);

/** Every query of every annotation. */
export const ANNOTATION_QUERIES: readonly NamedQuery[] = DASHBOARD.annotations.list.map(
  ({ name, expr, titleFormat, textFormat }) => ({
    name: `annotation ${name}`,
    expression: expr,
    legend: `${titleFormat} ${textFormat}`,
  }),
);

/** What the lists of the variables are made of: the series, without Grafana's function around them. */
export const VARIABLE_QUERIES: readonly NamedQuery[] = DASHBOARD.templating.list.flatMap(
  ({ name, query }) =>
    typeof query === 'string' ? [] : [{ name: `variable ${name}`, ...listed(query.query) }],
);

/** All that Grafana asks Prometheus. */
export const ALL_QUERIES: readonly NamedQuery[] = [
  ...PANEL_QUERIES,
  ...ANNOTATION_QUERIES,
  ...VARIABLE_QUERIES,
];

/** The labels that a legend names. */
export function legendLabels(legend: string): readonly string[] {
  return [...legend.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = '']) => label);
}

/** What stands for the variables of the dashboard while a query is looked at. */
const VALUES: Readonly<Record<string, string>> = {
  ...{ job: '.+', instance: '.+', account: '.*', station: '.+', device: '.+' },
  ...{ tariff: '0.30', feed_in_price: '0.08', currency: 'EUR', low_soc: '20' },
  ...{ __range: '6h', __interval: '1h', __rate_interval: '2m' },
};

/** Puts values in the place of the variables, as Grafana does; throws for one that does not exist. */
export function substitute(
  expression: string,
  changes: Readonly<Record<string, string>> = {},
): string {
  return expression.replaceAll(/\$([a-z_]+)/g, (_, variable: string) => {
    const value = changes[variable] ?? VALUES[variable];
    if (value === undefined) throw new RangeError(`no variable ${variable}`);
    return value;
  });
}

function listed(query: string): { readonly expression: string; readonly legend: string } {
  const [, labelled, label = '', result = ''] =
    /^(?:label_values\((.+), (\w+)\)|query_result\((.+)\))$/.exec(query) ?? [];
  return labelled === undefined
    ? { expression: result, legend: '{{name}}' }
    : { expression: labelled, legend: `{{${label}}}` };
}
