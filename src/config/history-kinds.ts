import { z } from 'zod';
import { type Moment, parseMoment } from '../base/instant.ts';
import { formatDuration, parseDurationMs } from './duration.ts';
import { kindOf, withKind } from './kind.ts';
import type { Option, OptionRow } from './option.ts';

const trimmed = z.string().trim();

/** A date, or a date with a time of day. */
export const moment = kindOf<Moment>({
  kind: 'moment',
  schema: trimmed
    .transform(parseMoment)
    .pipe(z.custom<Moment>((parsed) => parsed !== undefined, { abort: true }))
    .readonly(),
  refusal:
    'is not a date; accepted: a date such as 2026-08-01, with a time such as 2026-08-01T12:30 or 2026-08-01T12:30:00+08:00',
  show: ({ text }) => text,
});

/** Prometheus forgets a value after five minutes, and a scrape may come a little late. */
const LONGEST_INTERVAL_MS = 4 * 60_000;
const SECOND_MS = 1000;

/** How far apart the samples of a series are, in milliseconds: whole seconds. */
export const interval = kindOf({
  kind: 'interval',
  schema: trimmed
    .transform(parseDurationMs)
    .pipe(z.number().min(SECOND_MS).max(LONGEST_INTERVAL_MS).multipleOf(SECOND_MS)),
  refusal: 'is not such a length; accepted: whole seconds from 1s to 4m, such as 30s or 1m',
  show: formatDuration,
});

/** Labels of series by their names; an empty value takes a label away. */
export type Labels = ReadonlyMap<string, string>;

const LABEL = /^([a-zA-Z_]\w*)=(.*)$/;
const NO_LABELS: Labels = new Map();

const labelList = {
  kind: 'labels' as const,
  schema: z
    .string()
    // A value may have a comma in it; what follows a comma is a label when it has a name.
    .transform((text) => text.split(/,(?=\s*[a-zA-Z_]\w*=)/).map((pair) => LABEL.exec(pair.trim())))
    .refine((pairs) => pairs.every((pair) => pair !== null && !pair[1]?.startsWith('__')), {
      abort: true,
    })
    .transform((pairs): Labels => new Map(pairs.map((pair) => [pair?.[1] ?? '', pair?.[2] ?? '']))),
  refusal:
    'is not a label; accepted: name=value, such as job=solar; a name is letters, digits and _',
  show: (labels: Labels) => Array.from(labels, ([name, value]) => `${name}=${value}`).join(','),
};

/** Labels, each `name=value`, separated by commas; none without a value. */
export function labels(row: OptionRow): Option<Labels> {
  return { ...withKind(row, labelList), emptyValue: NO_LABELS };
}
