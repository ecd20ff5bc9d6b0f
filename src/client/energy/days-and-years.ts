import { type DailyEnergy, lifetimeOf, type YearlyEnergy } from '../../model/energy.ts';
import type { AnswerTime } from '../exchange/decode.ts';
import { type BucketOf, dayOf, type MeasuredBuckets, yearOf } from './measured-buckets.ts';
import { openSummary } from './summary-answer.ts';

/** The day of the request and the day before, as far as one month has them. */
interface DaysOfMonth extends DailyEnergy {
  /** The first instant of the day by the calendar. */
  readonly startsAtMs: number;
  /** Whether the day before lies in another month. */
  readonly isFirstOfMonth: boolean;
}

/** Decodes the days of a month in the zone of the request (field notes 1.4). */
export function decodeDays(
  data: unknown,
  path: string,
  { nowMs, calendar, serviceAheadMs }: AnswerTime,
): DaysOfMonth {
  const { energies: days } = bucketsOf(data, path, dayOf);
  const { startsAtMs, endsAtMs } = calendar.dayPeriod(nowMs);
  const today = calendar.day(nowMs);
  return {
    today: days.get(today) ?? {},
    yesterday: days.get(calendar.day(startsAtMs - 1)) ?? {},
    startsAtMs,
    // As for the month: by our clock, which this answer may show to be wrong.
    endsAtMs: endsAtMs - serviceAheadMs,
    isFirstOfMonth: today.endsWith('-01'),
  };
}

/**
 * Decodes the years of a lifetime (field notes 1.4): the year of the request, and the sum of all. A quantity
 * with a year that cannot be read has no sum: it might be the first one, which nobody would miss.
 */
export function decodeYears(
  data: unknown,
  path: string,
  { nowMs, calendar, serviceAheadMs }: AnswerTime,
): YearlyEnergy {
  const { energies: buckets, unreadable } = bucketsOf(data, path, yearOf);
  const years = new Map(Array.from(buckets, ([year, energies]) => [Number(year), energies]));
  const year = Number(calendar.year(nowMs));
  const unknown = Object.fromEntries(Array.from(unreadable, (name) => [name, undefined]));
  return {
    year: years.get(year) ?? {},
    lifetime: { ...lifetimeOf(years, year), ...unknown },
    endsAtMs: calendar.yearPeriod(nowMs).endsAtMs - serviceAheadMs,
  };
}

/**
 * Returns the energies by day or year. An item of the flat form whose key is a day or a year is PV
 * generated, as that of a month is (interface 2.5); other keys say nothing of a single bucket.
 */
export function bucketsOf(data: unknown, path: string, bucketOf: BucketOf): MeasuredBuckets {
  const { measured, flat = [] } = openSummary(data, path, bucketOf);
  const energies = new Map(measured.energies);
  for (const [key, pvGeneratedKwh] of flat) {
    const bucket = bucketOf(key);
    if (bucket !== undefined) energies.set(bucket, { pvGeneratedKwh, ...energies.get(bucket) });
  }
  return { ...measured, energies };
}
