import type { Labels } from '../collectors/metric.ts';
import { writeCsv } from './csv.ts';
import { writeJsonLines } from './json-lines.ts';
import type { MonthSeries } from './month-series.ts';
import { writeOpenMetrics } from './open-metrics.ts';

/** Writes a month in chunks of about 64 KiB; `target` are labels of every series beside its own. */
export type WriteMonth = (month: MonthSeries, target: Labels) => Generator<string>;

/** The formats of files, by the name of the option, and how the names of their files end. */
export const FILE_FORMATS = {
  openmetrics: { extension: 'om', write: writeOpenMetrics },
  csv: { extension: 'csv', write: writeCsv },
  json: { extension: 'jsonl', write: writeJsonLines },
} as const satisfies Record<string, { readonly extension: string; readonly write: WriteMonth }>;

export type FileFormat = keyof typeof FILE_FORMATS;
