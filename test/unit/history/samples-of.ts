import { familiesOf, type MonthSeries, stretchesOf } from '../../../src/history/month-series.ts';
import { renderLabels } from '../../../src/metrics/render.ts';

/** The samples of a metric, `[ISO time, value]`, by the labels that it adds to those of its device or station. */
export function samplesOf(month: MonthSeries, name: string): Record<string, [string, number][]> {
  const found: Record<string, [string, number][]> = {};
  for (const { metric, series } of familiesOf(month))
    if (metric.name === name)
      for (const one of series) {
        const samples: [string, number][] = [];
        for (const { firstStep, steps, value } of stretchesOf(one))
          for (let step = firstStep; step < firstStep + steps; step += 1)
            samples.push([new Date(month.grid.atMs(step)).toISOString(), value]);
        found[renderLabels(one.column.labels ?? {})] = samples;
      }
  return found;
}

/** Every value at one instant, by series as the page spells it. */
export function valuesAt(month: MonthSeries, atMs: number): Record<string, number> {
  const values: Record<string, number> = {};
  const { grid } = month;
  for (const { metric, series } of familiesOf(month))
    for (const one of series)
      for (const { firstStep, steps, value } of stretchesOf(one))
        if (atMs >= grid.atMs(firstStep) && atMs < grid.atMs(firstStep + steps))
          values[metric.name + renderLabels(one.labels)] = value;
  return values;
}
