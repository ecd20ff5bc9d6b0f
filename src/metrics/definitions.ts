import type { CollectorOutcome } from '../collectors/target.ts';
import { COLLECTOR_METRICS } from '../collectors/index.ts';
import {
  type Metric,
  type MetricDefinition,
  pointOf,
  type Sample,
  samplesOf,
} from '../collectors/metric.ts';
import type { StationStatus } from '../collectors/station-targets.ts';
import { EXPORTER_METRICS, secondsOf } from './self.ts';

/** How a station is doing, or the account. */
const STATION_METRICS: readonly Metric<StationStatus>[] = [
  {
    name: 'solar_up',
    type: 'gauge',
    help: 'Whether the last refresh of all readings of the station succeeded (1) or not (0); absent before the first. Without a station_id: whether stations could be listed.',
    labelNames: ['station_id'],
    read: ({ isUp }) => pointOf(isUp === undefined ? undefined : Number(isUp)),
  },
];

/** How the last round of a collector went. */
const ROUND_METRICS: readonly Metric<CollectorOutcome>[] = [
  {
    name: 'solar_collector_success',
    type: 'gauge',
    help: 'Whether the last round of the collector succeeded in full (1) or not (0); the status page says what to do.',
    labelNames: ['station_id', 'collector'],
    read: ({ isSuccess }) => pointOf(Number(isSuccess)),
  },
  {
    name: 'solar_collector_duration_seconds',
    type: 'gauge',
    help: 'How long the last round of the collector took.',
    labelNames: ['station_id', 'collector'],
    read: ({ durationSeconds }) => pointOf(durationSeconds),
  },
  {
    name: 'solar_collector_last_success_timestamp_seconds',
    type: 'gauge',
    help: 'When a round of the collector last succeeded; absent before the first.',
    labelNames: ['station_id', 'collector'],
    read: ({ lastSuccessAtMs }) => pointOf(secondsOf(lastSuccessAtMs)),
  },
];

export const COLLECTION_METRICS = [...STATION_METRICS, ...ROUND_METRICS];

/** Every metric of the exporter, in the order of the page; those of the process are not among them. */
export const CATALOGUE: readonly MetricDefinition[] = [
  ...COLLECTION_METRICS,
  ...COLLECTOR_METRICS,
  ...EXPORTER_METRICS,
];

/** Reads how one station and its collectors are doing, or an account. */
export function* statusSamples(status: StationStatus): Generator<Sample> {
  const ofStation = { station_id: status.stationId };
  yield* samplesOf(STATION_METRICS, status, ofStation);
  for (const outcome of status.outcomes)
    yield* samplesOf(ROUND_METRICS, outcome, { ...ofStation, collector: outcome.collector });
}
