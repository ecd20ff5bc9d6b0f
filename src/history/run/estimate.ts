import { LONGEST_MAX_AGE_MS } from '../../model/cadence.ts';
import type { FileFormat } from '../formats.ts';
import type { PlannedPart } from './run-history.ts';

/** How much a run will be, about. */
export interface Estimate {
  readonly requests: number;
  /** Readings of devices. */
  readonly readings: number;
  readonly samples: number;
  readonly bytes: number;
}

/** A logger sends every five minutes (field notes 4.3). */
const READING_INTERVAL_MS = 5 * 60_000;
/** What the service gives at once. */
const READINGS_PER_REQUEST = 2000;
/** Until it is known how a device speaks, it is asked for its keys and their units. */
const REQUESTS_PER_NEW_DEVICE = 4;
/** The simulated families have 20 to 40 series beside the energies. */
const SERIES_PER_DEVICE = 28;

/** What a sample takes; of JSON, and of a row of CSV, as far as the months of simulated families show it. */
const BYTES_PER_SAMPLE = { openmetrics: 153, json: 20, push: 155 } as const;
const BYTES_PER_ROW = 260;

/** Estimates a run from the length of its parts, before the service is asked for any of them. */
export function estimateRun(
  plan: readonly PlannedPart[],
  stepMs: number,
  form: FileFormat | 'push',
): Estimate {
  let [readings, pages, steps] = [0, 0, 0];
  const devices = new Set<string>();
  const summaries = new Set<string>();
  for (const { part, devices: ofPart } of plan) {
    const { stationId } = part.station;
    const ofDevice = Math.ceil((part.toMs - part.fromMs) / READING_INTERVAL_MS);
    const asked = ofDevice + LONGEST_MAX_AGE_MS / READING_INTERVAL_MS;
    readings += ofDevice * ofPart.length;
    pages += Math.ceil(asked / READINGS_PER_REQUEST) * ofPart.length;
    steps += Math.ceil((part.toMs - part.fromMs) / stepMs) * ofPart.length;
    for (const { deviceId } of ofPart) devices.add(deviceId);
    for (const period of [part.month, monthBefore(part.month), part.month.slice(0, 4), 'years'])
      summaries.add(`${stationId} ${period}`);
  }
  const samples = steps * SERIES_PER_DEVICE;
  return {
    requests: pages + devices.size * REQUESTS_PER_NEW_DEVICE + summaries.size,
    readings,
    samples: form === 'csv' ? readings * SERIES_PER_DEVICE : samples,
    bytes: form === 'csv' ? readings * BYTES_PER_ROW : samples * BYTES_PER_SAMPLE[form],
  };
}

/** Returns the calendar month before one: `2026-07` before `2026-08`. */
function monthBefore(month: string): string {
  return new Date(Date.parse(`${month}-01`) - 1).toISOString().slice(0, 7);
}
