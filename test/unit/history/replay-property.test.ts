import fc from 'fast-check';
import { expect, test } from 'vitest';
import { samplesOf as samplesOfMetrics } from '../../../src/collectors/metric.ts';
import { stepFrom } from '../../../src/history/series.ts';
import { PAST_READING_METRICS } from '../../../src/history/history-metrics.ts';
import { renderLabels } from '../../../src/metrics/text-format.ts';
import { isReporting, type PastReading, readingsAt } from '../../../src/model/readings.ts';
import { LONGEST_MAX_AGE_MS } from '../../../src/model/cadence.ts';
import { learnCadence, type ReadingCadence } from '../../../src/model/cadence.ts';
import { CLASSIC } from '../../support/device-report.ts';
import { HOUR_MS, MINUTE_MS } from '../../support/durations.ts';
import { collected, partOf, valuesAt } from './past-house.ts';

const { fromMs } = partOf();
const STEP_MS = 2 * MINUTE_MS;

/** A measurement, some of which are older than the reading that they come with. */
const measurement = fc.record({
  quantity: fc.constantFrom(
    ...(['pvPowerWatts', 'acOutputPowerWatts', 'batteryPowerWatts'] as const),
    ...(['gridImportPowerWatts', 'batterySocRatio'] as const),
  ),
  value: fc.integer({ min: -3000, max: 3000 }),
  ageMs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: LONGEST_MAX_AGE_MS })),
});

/** Readings from before the part to its end: some close together, some with a gap between them. */
const past = fc
  .array(
    fc.record({
      spacingMs: fc.oneof(
        fc.integer({ min: 1, max: 10 * MINUTE_MS }),
        fc.integer({ min: 1, max: 3 * HOUR_MS }),
      ),
      measurements: fc.uniqueArray(measurement, { selector: ({ quantity }) => quantity }),
    }),
    { maxLength: 40 },
  )
  .map((entries) => {
    let atMs = fromMs - LONGEST_MAX_AGE_MS;
    return entries.map(({ spacingMs, measurements: all }): PastReading => {
      atMs += spacingMs;
      const measurements = all.map(({ ageMs, ...one }) => ({
        ...one,
        part: '',
        measuredAtMs: atMs - ageMs,
      }));
      const newestAtMs = Math.max(...measurements.map(({ measuredAtMs }) => measuredAtMs));
      const known = { measurements, ...(all.length > 0 && { newestAtMs }), timesAtMs: [atMs] };
      return { atMs, report: { ...known, dialect: CLASSIC, serviceAheadMs: 0 } };
    });
  });

/** What the functions behind the page say of the device at an instant, had it always been asked at once. */
function shownAt(readings: readonly PastReading[], nowMs: number): Record<string, number> {
  let cadence: ReadingCadence | undefined;
  let last: PastReading | undefined;
  for (const reading of readings) {
    if (reading.atMs > nowMs) break;
    cadence = learnCadence(cadence, reading.report, reading.atMs);
    last = reading;
  }
  if (last === undefined) return {};
  const shown = readingsAt({ ...last.report, cadence }, nowMs, 'auto');
  const isLast = last === readings.at(-1);
  if (isLast && !isReporting(shown)) return {};
  const labels = { station_id: 'house', device_id: 'inverter-1' };
  const samples = samplesOfMetrics(PAST_READING_METRICS, shown, labels);
  return Object.fromEntries(
    [...samples].map(({ name, labels: own, value }) => [name + renderLabels(own), value]),
  );
}

test('what is written at a step is what the page would have shown then', async () => {
  const names = new Set<string>(PAST_READING_METRICS.map(({ name }) => name));
  await fc.assert(
    fc.asyncProperty(past, async (readings) => {
      const month = await collected({ past: readings, stepMs: STEP_MS });
      const known = readings.filter(({ atMs }) => atMs < partOf().toMs);
      const { fromMs, toMs } = partOf();
      for (let atMs = stepFrom(fromMs, STEP_MS); atMs < toMs; atMs += STEP_MS) {
        const written = Object.entries(valuesAt(month, atMs)).filter(([series]) =>
          names.has(series.replace(/\{.*/, '')),
        );
        expect(Object.fromEntries(written)).toEqual(shownAt(known, atMs));
      }
    }),
    { numRuns: 25 },
  );
});
