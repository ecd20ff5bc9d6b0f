import { readText } from './repository.ts';

/** A panel as Grafana reads it, as far as tests look. */
export interface PanelJson {
  readonly type: string;
  readonly id: number;
  readonly title: string;
  readonly description: string;
  readonly timeFrom?: string;
  readonly datasource: unknown;
  readonly gridPos: Readonly<Record<'x' | 'y' | 'w' | 'h', number>>;
  readonly targets: readonly {
    readonly refId: string;
    readonly expr: string;
    readonly legendFormat: string;
  }[];
  readonly fieldConfig: {
    readonly defaults: {
      readonly unit?: string;
      readonly decimals?: number;
      readonly min?: number;
      readonly max?: number;
      readonly noValue: string;
      readonly thresholds: { readonly steps: readonly { readonly value: number | null }[] };
    };
  };
  /** Those of a row that is folded. */
  readonly panels?: readonly PanelJson[];
}

/** The dashboard as Grafana reads it, as far as tests look. */
export const DASHBOARD = JSON.parse(readText('grafana/dashboards/solar.json')) as {
  /** The rows and the panels between them. */
  readonly panels: readonly PanelJson[];
  readonly templating: {
    readonly list: readonly { readonly name: string; readonly regex?: string }[];
  };
  readonly annotations: {
    readonly list: readonly Readonly<
      Record<'name' | 'expr' | 'titleFormat' | 'textFormat', string>
    >[];
  };
};

/** All panels that show something, those of folded rows as well. */
export const PANELS: readonly PanelJson[] = DASHBOARD.panels.flatMap((panel) =>
  panel.type === 'row' ? (panel.panels ?? []) : [panel],
);

/** A query and what to call it. */
export interface NamedQuery {
  readonly name: string;
  readonly expression: string;
  readonly legend: string;
}

/** All that Grafana asks Prometheus for panels and annotations: named by the panel and the legend, or the letter of the query. */
export const ALL_QUERIES: readonly NamedQuery[] = [
  ...PANELS.flatMap(({ title, targets }) =>
    targets.map(({ refId, expr, legendFormat }) => {
      // Where there are several stations; `$currency` is a choice.
      const legend = legendFormat.replace('$of_station', ', {{station}}');
      return { name: `${title}${legend ? ': ' : ' '}${legend || refId}`, expression: expr, legend };
    }),
  ),
  ...DASHBOARD.annotations.list.map(({ name, expr, titleFormat, textFormat }) => ({
    name: `annotation ${name}`,
    expression: expr,
    legend: `${titleFormat} ${textFormat}`,
  })),
];

/** What stands for the variables of the dashboard while a query is looked at. */
const VALUES: Readonly<Record<string, string>> = {
  job: '.*solar.*',
  instance: '.*',
  station: '.*',
  tariff: '0.30',
  feed_in_price: '0.08',
  currency: 'EUR',
  __interval: '1h',
  __interval_ms: '3600000',
  __rate_interval: '2m',
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

/** All queries of the dashboard that have this name: one for each level of a problem. */
export function queryNamed(wanted: string, values: Readonly<Record<string, string>> = {}): string {
  const queries = ALL_QUERIES.filter(({ name }) => name === wanted);
  if (queries.length === 0) throw new RangeError(`no query ${wanted}`);
  return queries.map(({ expression }) => substitute(expression, values)).join(' or ');
}
