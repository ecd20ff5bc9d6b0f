import { DASHBOARD, PANELS } from './dashboard-json.ts';

/** A query and what to call it. */
export interface NamedQuery {
  readonly name: string;
  readonly expression: string;
  readonly legend: string;
}

/** What stands for the variables of the dashboard while a query is looked at. */
export interface Substitutes {
  readonly job?: string;
  readonly instance?: string;
  readonly range?: string;
  /** The step of a chart. */
  readonly interval?: string;
  readonly rateInterval?: string;
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

/** Puts values in the place of the variables, as Grafana does; throws for one that does not exist. */
export function substitute(
  expression: string,
  {
    job = '.+',
    instance = '.+',
    range = '6h',
    interval = '1h',
    rateInterval = '2m',
  }: Substitutes = {},
): string {
  const values = new Map([
    ['job', job],
    ['instance', instance],
    ['account', '.*'],
    ['station', '.+'],
    ['device', '.+'],
    ['tariff', '0.30'],
    ['feed_in_price', '0.08'],
    ['currency', 'EUR'],
    ['low_soc', '20'],
    ['__range', range],
    ['__interval', interval],
    ['__rate_interval', rateInterval],
  ]);
  return expression.replaceAll(/\$([a-z_]+)/g, (_, variable: string) => {
    const value = values.get(variable);
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
