import { TypeMathBuilder, TypeThresholdBuilder } from '@grafana/grafana-foundation-sdk/expr';
import { DataqueryBuilder } from '@grafana/grafana-foundation-sdk/prometheus';
import { grafanaAnnotation } from './annotation.ts';
import { inhibited, withNames } from './expression.ts';
import type { AlertRule, InhibitRule } from './source.ts';

/** The data source that `grafana/provisioning/datasources` offers. */
const DATASOURCE_UID = 'prometheus';
const EXPRESSIONS_UID = '__expr__';
const FOLDER = 'solar-exporter';

/** A query or an expression of a rule, by its letter. */
export interface ProvisionedQuery {
  readonly refId: string;
  readonly datasourceUid: string;
  /** Seconds before now. */
  readonly relativeTimeRange: { readonly from: number; readonly to: number };
  readonly model: object;
}

/** A rule as Grafana reads it from a file. */
export interface ProvisionedRule {
  readonly uid: string;
  readonly title: string;
  readonly condition: string;
  readonly data: readonly ProvisionedQuery[];
  readonly noDataState: 'OK';
  readonly execErrState: 'KeepLast' | 'Alerting';
  readonly for: string;
  readonly keepFiringFor?: string;
  readonly missing_series_evals_to_resolve: number;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

export interface ProvisionedRules {
  readonly apiVersion: 1;
  readonly groups: readonly {
    readonly orgId: number;
    readonly name: string;
    readonly folder: string;
    readonly interval: string;
    readonly rules: readonly ProvisionedRule[];
  }[];
}

/**
 * Makes the alerts of Prometheus rules of Grafana. What they ask for is still recorded by Prometheus, which also
 * knows which alerts keep others back.
 */
export function grafanaRules(
  alerts: readonly AlertRule[],
  inhibitRules: readonly InhibitRule[],
): ProvisionedRules {
  const count = (name: string): number => alerts.filter(({ alert }) => alert === name).length;
  const rules = alerts.map((rule): ProvisionedRule => {
    // Grafana wants one title and one uid for each.
    const suffix = count(rule.alert) === 1 ? '' : ` ${rule.labels['severity']}`;
    return {
      uid: `${rule.alert}${suffix}`.toLowerCase().replace(' ', '-'),
      title: `${rule.alert}${suffix}`,
      condition: 'C',
      data: [
        queryOf(inhibited(withNames(rule), rule.alert, inhibitRules)),
        // Prometheus takes any value for an alert, also 0 and NaN.
        expressionOf(
          'B',
          new TypeMathBuilder().expression('is_number($A) || is_nan($A) || is_inf($A)'),
        ),
        expressionOf(
          'C',
          new TypeThresholdBuilder()
            .expression('B')
            .conditions([{ evaluator: { type: 'gt', params: [0] } }]),
        ),
      ],
      // In Prometheus, no series is no alert.
      noDataState: 'OK',
      // Where Prometheus cannot be asked, one alert says that nothing is watched, and the others stay as they are.
      execErrState: rule.alert === 'SolarExporterDown' ? 'Alerting' : 'KeepLast',
      for: rule.for,
      ...(rule.keep_firing_for === undefined ? {} : { keepFiringFor: rule.keep_firing_for }),
      // An alert is over as soon as its series is gone.
      missing_series_evals_to_resolve: 1,
      labels: rule.labels,
      annotations: Object.fromEntries(
        Object.entries(rule.annotations).map(([name, text]) => [name, grafanaAnnotation(text)]),
      ),
    };
  });
  return {
    apiVersion: 1,
    groups: [{ orgId: 1, name: 'solar-exporter', folder: FOLDER, interval: '1m', rules }],
  };
}

function queryOf(expr: string): ProvisionedQuery {
  const model = new DataqueryBuilder().refId('A').expr(expr).instant().build();
  return {
    refId: 'A',
    datasourceUid: DATASOURCE_UID,
    relativeTimeRange: { from: 600, to: 0 },
    model: plain(model),
  };
}

function expressionOf(
  refId: string,
  builder: TypeMathBuilder | TypeThresholdBuilder,
): ProvisionedQuery {
  const model = builder.refId(refId).datasource({ type: EXPRESSIONS_UID, uid: EXPRESSIONS_UID });
  return {
    refId,
    datasourceUid: EXPRESSIONS_UID,
    relativeTimeRange: { from: 0, to: 0 },
    model: plain(model.build()),
  };
}

/** Without what only marks a type of the library. */
function plain(model: object): object {
  return JSON.parse(JSON.stringify(model)) as object;
}
