import type { DropReason } from '../base/limits.ts';
import type { SessionStatus } from '../client/session/session-status.ts';
import type { CollectorOutcome } from '../collectors/run/rounds.ts';
import { COLLECTOR_METRICS } from '../collectors/index.ts';
import { type Metric, pointOf, type Sample, samplesOf } from '../collectors/metric.ts';
import type { StationStatus } from '../collectors/station-collection.ts';

/** The labels of `solar_exporter_build_info`. */
export interface BuildInfo {
  readonly version: string;
  readonly revision: string;
  readonly nodeVersion: string;
}

/** The state of the session and the program, beside the counts. */
interface ExporterState {
  readonly session: SessionStatus;
  readonly isLastReloadSuccessful: boolean;
  readonly isSimulated: boolean;
  readonly droppedLogLines: number;
  readonly droppedSeries: ReadonlyMap<DropReason, number>;
  /** Absent without a budget. */
  readonly remainingRequests?: number | undefined;
  /** Absent without a budget and a rate. */
  readonly effectiveIntervalMs?: number | undefined;
  readonly build: BuildInfo;
}

/** How a station is doing, or the account. */
const STATION_METRICS: readonly Metric<StationStatus>[] = [
  {
    name: 'solar_up',
    type: 'gauge',
    help: 'Whether the last refresh of the readings of all devices of the station succeeded (1) or not (0); without a station_id, whether stations could be discovered at all.',
    labelNames: ['station_id'],
    read: ({ isUp }) => pointOf(Number(isUp)),
  },
];

/** How the last round of a collector went. */
const ROUND_METRICS: readonly Metric<CollectorOutcome>[] = [
  {
    name: 'solar_collector_success',
    type: 'gauge',
    help: 'Whether the last round of the collector succeeded for all it asked about (1) or not (0).',
    labelNames: ['station_id', 'collector'],
    read: ({ isSuccess }) => pointOf(Number(isSuccess)),
  },
  {
    name: 'solar_collector_duration_seconds',
    type: 'gauge',
    help: 'How long the last round of the collector took, in seconds.',
    labelNames: ['station_id', 'collector'],
    read: ({ durationSeconds }) => pointOf(durationSeconds),
  },
  {
    name: 'solar_collector_last_success_timestamp_seconds',
    type: 'gauge',
    help: 'When a round of the collector last succeeded, in seconds since the Unix epoch; absent before the first.',
    labelNames: ['station_id', 'collector'],
    read: ({ lastSuccessAtMs }) => pointOf(secondsOf(lastSuccessAtMs)),
  },
];

export const COLLECTION_METRICS = [...STATION_METRICS, ...ROUND_METRICS];

/** The session and the program. */
export const EXPORTER_METRICS: readonly Metric<ExporterState>[] = [
  {
    name: 'solar_token_expiry_timestamp_seconds',
    type: 'gauge',
    help: 'When the access token expires, in seconds since the Unix epoch; absent when unknown.',
    labelNames: [],
    read: ({ session }) => pointOf(secondsOf(session.accessExpiresAtMs)),
  },
  {
    name: 'solar_reauthentication_required',
    type: 'gauge',
    help: 'Whether only new credentials can help (1) or the session is fine as far as known (0).',
    labelNames: [],
    read: ({ session }) => pointOf(Number(session.isReauthenticationRequired)),
  },
  {
    name: 'solar_session_info',
    type: 'gauge',
    help: 'Always 1; how the session is kept alive: account (refreshes and logs in), refresh_token (refreshes only), access_token (cannot be renewed) or none.',
    labelNames: ['mode'],
    read: ({ session }) => pointOf(1, { mode: session.mode }),
  },
  {
    name: 'solar_login_blocked_until_timestamp_seconds',
    type: 'gauge',
    help: 'Until when no new token is asked for in place of a refused one, because the service refused the credentials or a fresh token, in seconds since the Unix epoch; absent while it does not refuse.',
    labelNames: [],
    read: ({ session }) => pointOf(secondsOf(session.blockedUntilMs)),
  },
  {
    name: 'solar_api_budget_remaining_requests',
    type: 'gauge',
    help: 'How many requests may still be sent before midnight UTC; at 0 the service is not asked until then. Absent without --request.daily-budget.',
    labelNames: [],
    read: ({ remainingRequests }) => pointOf(remainingRequests),
  },
  {
    name: 'solar_api_effective_interval_seconds',
    type: 'gauge',
    help: 'How far apart the readings of a device are asked for at present, in seconds: the interval of --cache.readings-ttl, or a longer one that fits --request.daily-budget and --request.rate. Absent without both, and while no device is known.',
    labelNames: [],
    read: ({ effectiveIntervalMs }) => pointOf(secondsOf(effectiveIntervalMs)),
  },
  {
    name: 'solar_config_last_reload_successful',
    type: 'gauge',
    help: 'Whether the last attempt to take up a changed configuration, that of the web included, succeeded (1) or the one before goes on (0); 1 before the first.',
    labelNames: [],
    read: ({ isLastReloadSuccessful }) => pointOf(Number(isLastReloadSuccessful)),
  },
  {
    name: 'solar_simulated',
    type: 'gauge',
    help: 'Always 1; only there while the service is the simulated one of the commands demo and simulate: no value on this page is then of a real inverter.',
    labelNames: [],
    read: ({ isSimulated }) => pointOf(isSimulated ? 1 : undefined),
  },
  {
    name: 'solar_log_lines_dropped_total',
    type: 'counter',
    help: 'Lines of the log that could not be written, because the disk is full, say, or nothing reads the pipe.',
    labelNames: [],
    read: ({ droppedLogLines }) => pointOf(droppedLogLines),
  },
  {
    name: 'solar_series_dropped_total',
    type: 'counter',
    help: 'What a limit left out, by reason: series (--limit.series) and page_bytes count series, whenever a page is made; stations, devices, alarms, settings and keys count entries of lists that are longer than any honest one, whenever the service answers. While it grows, the page is not complete.',
    labelNames: ['reason'],
    read: ({ droppedSeries }) =>
      Array.from(droppedSeries, ([reason, value]) => ({ value, labels: { reason } })),
  },
  {
    name: 'solar_exporter_build_info',
    type: 'gauge',
    help: 'Always 1; the version and revision of the exporter and the version of Node.js it runs on.',
    labelNames: ['version', 'revision', 'node_version'],
    read: ({ build: { version, revision, nodeVersion } }) =>
      pointOf(1, { version, revision, node_version: nodeVersion }),
  },
];

/** Counted by prom-client: see self.ts. */
export const COUNTED_METRICS = {
  requests: {
    name: 'solar_api_requests_total',
    type: 'counter',
    help: 'Requests to the service by operation and outcome: ok, or the code of the error.',
    labelNames: ['operation', 'outcome'],
  },
  requestDuration: {
    name: 'solar_api_request_duration_seconds',
    type: 'histogram',
    help: 'Duration of the requests to the service by operation, in seconds, failed ones included.',
    labelNames: ['operation'],
  },
  renewals: {
    name: 'solar_token_renewals_total',
    type: 'counter',
    help: 'Attempts to renew the token by method (refresh or login) and outcome: ok, or the code of the error.',
    labelNames: ['method', 'outcome'],
  },
} as const;

/** Every metric of the exporter, in the order of the page; those of the process are not among them. */
export const CATALOGUE: readonly {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  readonly labelNames: readonly string[];
}[] = [
  ...COLLECTION_METRICS,
  ...COLLECTOR_METRICS,
  ...EXPORTER_METRICS,
  ...Object.values(COUNTED_METRICS),
];

/** Reads how every station and its collectors are doing. */
export function* collectionSamples(statuses: readonly StationStatus[]): Generator<Sample> {
  const isAnyStationKnown = statuses.some(({ stationId }) => stationId !== undefined);
  for (const status of statuses) yield* statusSamples(status, isAnyStationKnown);
}

/**
 * Reads how one station and its collectors are doing, or the account. The account itself is up or down only
 * while no station of it is known.
 */
export function* statusSamples(
  status: StationStatus,
  isAnyStationKnown: boolean,
): Generator<Sample> {
  const { stationId, outcomes } = status;
  if (stationId !== undefined || !isAnyStationKnown)
    yield* samplesOf(STATION_METRICS, status, { station_id: stationId });
  for (const outcome of outcomes) {
    const labels = { station_id: stationId, collector: outcome.collector };
    yield* samplesOf(ROUND_METRICS, outcome, labels);
  }
}

/** Reads the session and the program itself. */
export function exporterSamples(state: ExporterState): readonly Sample[] {
  return [...samplesOf(EXPORTER_METRICS, state, {})];
}

function secondsOf(instantMs: number | undefined): number | undefined {
  return instantMs === undefined ? undefined : instantMs / 1000;
}
