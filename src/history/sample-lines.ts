import type { Labels } from '../collectors/metric.ts';
import { renderLabels } from '../metrics/page.ts';
import { type Series, stretchesOf } from './month-series.ts';
import type { StepGrid } from './step-grid.ts';

/** A value that never changes has a line for each step of a month. */
const LONGEST_TEXT = 2048;

/**
 * Renders the lines of a series in the text formats of Prometheus, several at a time, in ascending order of time.
 *
 * @param target - the labels that Prometheus gives to everything that it scrapes from one place.
 * @param msPerUnit - 1 for times in milliseconds, 1000 for times in seconds.
 */
export function* sampleLines(
  name: string,
  series: Series,
  target: Labels,
  grid: StepGrid,
  msPerUnit: number,
): Generator<string> {
  const start = `${name}${renderLabels({ ...target, ...series.labels })} `;
  for (const { firstStep, steps, value } of stretchesOf(series)) {
    const sample = `${start}${value} `;
    let lines = '';
    for (let step = firstStep; step < firstStep + steps; step += 1) {
      lines += `${sample}${grid.atMs(step) / msPerUnit}\n`;
      if (lines.length < LONGEST_TEXT) continue;
      yield lines;
      lines = '';
    }
    yield lines;
  }
}
