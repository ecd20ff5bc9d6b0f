import type { Labels, MetricDefinition } from '../collectors/metric.ts';

/** Renders the lines that describe a metric, in the Prometheus text format 0.0.4. */
export function renderHeader({ name, type, help }: MetricDefinition): string {
  const escapedHelp = help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
  return `# HELP ${name} ${escapedHelp}\n# TYPE ${name} ${type}\n`;
}

/** Renders the labels of a series, with their braces; nothing without labels. */
export function renderLabels(labels: Labels): string {
  let pairs = '';
  for (const name in labels) {
    const value = labels[name];
    if (value === undefined) continue;
    pairs += `${pairs === '' ? '' : ','}${name}="${escapeLabelValue(value)}"`;
  }
  return pairs === '' ? '' : `{${pairs}}`;
}

function escapeLabelValue(value: string): string {
  if (!/["\\\n]/.test(value)) return value; // true of nearly all values
  return value.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"');
}

/** Renders the value of a series. */
export function renderValue(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return '+Inf';
  return value === Number.NEGATIVE_INFINITY ? '-Inf' : String(value);
}
