import type { CollectorOutcome } from '../collectors/target.ts';
import { COLLECTOR_METRICS } from '../collectors/index.ts';
import {
  type Metric,
  type MetricDefinition,
  type Point,
  pointOf,
  type Sample,
  samplesOf,
} from '../collectors/metric.ts';
import type { StationStatus } from '../collectors/station-targets.ts';
import { EXPORTER_METRICS, secondsOf } from './self.ts';

/** The status of a station, or of the account. */
const STATION_METRICS: readonly Metric<StationStatus>[] = [
  {
    name: 'solar_up',
    type: 'gauge',
    help: 'Whether the last refresh of all readings of the station succeeded (1) or not (0); absent before the first. Without a station_id: whether stations could be listed.',
    labelNames: ['station_id'],
    read: ({ isUp }) => pointOf(isUp === undefined ? undefined : Number(isUp)),
  },
];

/** The outcome of the last round of a collector. */
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

export type ProblemLevel = 'critical' | 'warning' | 'info';

/** A problem, in fixed words without numbers and names. */
export interface KnownProblem {
  readonly level: ProblemLevel;
  readonly problem: string;
}

/** The problems of a device, a station or the account, as `status` finds them. */
export const PROBLEM_METRICS: readonly Metric<readonly KnownProblem[]>[] = [
  {
    name: 'solar_problem_info',
    type: 'gauge',
    help: 'Always 1; something that is wrong now with the device, with the station (without a device_id) or with the account (without both), in fixed words, and its level: critical, warning or info.',
    labelNames: ['station_id', 'device_id', 'level', 'problem'],
    read: (problems: readonly KnownProblem[]): readonly Point[] => {
      // Two alarms of one level are the same series.
      const distinct = new Map(problems.map((one) => [`${one.level} ${one.problem}`, one]));
      return [...distinct.values()].flatMap(({ level, problem }) => pointOf(1, { level, problem }));
    },
  },
];

export const COLLECTION_METRICS = [...STATION_METRICS, ...ROUND_METRICS, ...PROBLEM_METRICS];

/** Every metric of the exporter, in the order of the page, except for those of the process. */
export const CATALOGUE: readonly MetricDefinition[] = [
  ...COLLECTION_METRICS,
  ...COLLECTOR_METRICS,
  ...EXPORTER_METRICS,
];

/** Reads the status of a station or of the account, and of its collectors. */
export function* statusSamples(status: StationStatus): Generator<Sample> {
  const ofStation = { station_id: status.stationId };
  yield* samplesOf(STATION_METRICS, status, ofStation);
  for (const outcome of status.outcomes)
    yield* samplesOf(ROUND_METRICS, outcome, { ...ofStation, collector: outcome.collector });
}
