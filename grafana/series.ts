import { ACCOUNT_LABEL, CATALOGUE, COLLECTION_METRICS } from '../src/metrics/definitions.ts';

/** Label matchers by label, each with its operator: `{ mode: '="line"' }`. */
export type Matchers = Readonly<Record<string, string>>;

/** The labels that Prometheus adds to every series, that of several accounts, and that of a histogram. */
const OTHER_LABELS: readonly string[] = ['job', 'instance', ACCOUNT_LABEL, 'le'];

/** The labels of every name that a query can ask for, those of histograms spelled out. */
const LABELS_BY_NAME: ReadonlyMap<string, readonly string[]> = new Map(
  CATALOGUE.flatMap(({ name, type, labelNames }): [string, readonly string[]][] =>
    type === 'histogram'
      ? [
          [`${name}_bucket`, [...labelNames, 'le']],
          [`${name}_sum`, labelNames],
          [`${name}_count`, labelNames],
        ]
      : [[name, labelNames]],
  ),
);

const ALL_LABELS = new Set([...OTHER_LABELS, ...[...LABELS_BY_NAME.values()].flat()]);

/** Metrics without a station_id while no station is known, which a station filter would hide. */
const WITHOUT_STATION_FILTER = new Set<string>(COLLECTION_METRICS.map(({ name }) => name));

/** Metrics of the program, which is one whatever accounts it has. */
const WITHOUT_ACCOUNT_FILTER = new Set([
  'solar_config_last_reload_successful',
  'solar_log_lines_dropped_total',
  'solar_series_dropped_total',
  'solar_exporter_build_info',
]);

/** The variables that select, each with the label it selects by, in the order they depend on each other. */
const SCOPE = [
  ['job', 'job'],
  ['instance', 'instance'],
  ['account', ACCOUNT_LABEL],
  ['station', 'station_id'],
  ['device', 'device_id'],
] as const;

/** A variable of the dashboard that selects series. */
export type ScopeVariable = (typeof SCOPE)[number][0];

/**
 * Selects the series of one metric that the variables of the dashboard choose. Throws RangeError for a
 * metric or a label that the catalogue does not have.
 */
export function series(name: string, matchers: Matchers = {}): string {
  const labelNames = labelsOf(name);
  for (const label of Object.keys(matchers))
    if (!labelNames.includes(label)) throw new RangeError(`${name} has no label ${label}`);
  const filters = SCOPE.filter(([variable, label]) => isFilter(variable, label, name)).map(
    ([variable, label]) => `${label}=~"$${variable}"`,
  );
  const own = Object.entries(matchers).map(([label, matcher]) => label + matcher);
  return `${name}{${[...filters, ...own].join(', ')}}`;
}

function isFilter(variable: ScopeVariable, label: string, name: string): boolean {
  if (variable === 'job' || variable === 'instance') return true;
  if (variable === 'account') return !WITHOUT_ACCOUNT_FILTER.has(name);
  return labelsOf(name).includes(label) && !WITHOUT_STATION_FILTER.has(name);
}

/** Selects by the variables before this one, to list the values of this one. */
export function seriesBefore(variable: ScopeVariable, name: string): string {
  labelsOf(name);
  const before = SCOPE.slice(
    0,
    SCOPE.findIndex(([other]) => other === variable),
  );
  if (before.length === 0) return name;
  return `${name}{${before.map(([other, label]) => `${label}=~"$${other}"`).join(', ')}}`;
}

/** Lists labels as a grouping or matching clause wants them; throws RangeError for an unknown one. */
export function labelList(...labels: readonly string[]): string {
  for (const label of labels)
    if (!ALL_LABELS.has(label)) throw new RangeError(`no label ${label} in the catalogue`);
  return `(${labels.join(', ')})`;
}

function labelsOf(name: string): readonly string[] {
  const labelNames = LABELS_BY_NAME.get(name);
  if (labelNames === undefined) throw new RangeError(`no metric ${name} in the catalogue`);
  return labelNames;
}
