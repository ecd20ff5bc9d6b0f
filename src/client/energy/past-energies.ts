import type { Energies } from '../../model/energy.ts';
import { type DataEndpoint, ENDPOINTS } from '../endpoints.ts';
import { bucketsOf } from './days-and-years.ts';
import { type BucketOf, dayOf, monthOf, yearOf } from './measured-buckets.ts';

/** The periods that the service sums up energy for. */
export type Period = 'day' | 'month' | 'year';

/** The energy of each period, by its name (`2026-08-01`, `2026-08`, `2026`), in kWh. */
export type EnergiesByPeriod = ReadonlyMap<string, Energies>;

/** The summaries by the period that they are about, for every period of an answer (field notes 1.4). */
export const PAST_ENERGIES: Readonly<Record<Period, DataEndpoint<EnergiesByPeriod>>> = {
  day: { ...ENDPOINTS.summaryDays, decode: decodeAll(dayOf) },
  month: { ...ENDPOINTS.summary, decode: decodeAll(monthOf) },
  year: { ...ENDPOINTS.summaryYears, decode: decodeAll(yearOf) },
};

function decodeAll(bucketOf: BucketOf) {
  return (data: unknown, path: string): EnergiesByPeriod =>
    bucketsOf(data, path, bucketOf).energies;
}
