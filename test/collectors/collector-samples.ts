import type { Collector } from '../../src/collectors/collector.ts';

/** What a collector makes of what it shows: numbers by metric, and by further labels where there are any. */
export function pointsOf<Shown>(
  { metrics }: Pick<Collector<never, never, Shown>, 'metrics'>,
  value: Shown,
): Record<string, number> {
  const points: Record<string, number> = {};
  for (const { name, read } of metrics) {
    for (const point of read(value)) {
      const labels = Object.values(point.labels ?? {});
      points[labels.length === 0 ? name : `${name}{${labels.join(',')}}`] = point.value;
    }
  }
  return points;
}
