import type { DropReason } from '../base/limits.ts';
import type { SessionStatus } from '../client/session/session.ts';
import type { CollectorOutcome } from '../collectors/run.ts';
import { COLLECTOR_METRICS } from '../collectors/index.ts';
import {
  type Labels,
  type Metric,
  type MetricDefinition,
  pointOf,
  type Sample,
  samplesOf,
} from '../collectors/metric.ts';
import type { StationStatus } from '../collectors/station-collection.ts';

/** The labels of `solar_exporter_build_info`. */
export interface BuildInfo {
  readonly version: string;
  readonly revision: string;
  readonly nodeVersion: string;
}

/** An account as a page shows it, beside what was collected of it. */
export interface AccountState {
  /** Its name, where the page is of several; else none. */
  readonly labels: Labels;
  readonly session: SessionStatus;
  readonly isSimulated: boolean;
  /** How many stations were not read yet; absent while none is known. */
  readonly unreadStations?: number | undefined;
  /** Absent without a budget. */
  readonly remainingRequests?: number | undefined;
  /** What the limits of its lists left out. */
  readonly droppedSeries: ReadonlyMap<DropReason, number>;
}

/** The state of the program, beside that of its accounts. */
interface ProgramState {
  readonly isLastReloadSuccessful: boolean;
  readonly droppedLogLines: number;
  /** What the limits of a page left out. */
  readonly droppedSeries: ReadonlyMap<DropReason, number>;
  readonly build: BuildInfo;
}

/** The label that tells several accounts apart; a page of one account does not have it. */
export const ACCOUNT_LABEL = 'account';

/** How a station is doing, or the account. */
const STATION_METRICS: readonly Metric<StationStatus>[] = [
  {
    name: 'solar_up',
    type: 'gauge',
    help: 'Whether the last refresh of the readings of all devices of the station succeeded (1) or not (0), absent before the first one ended; without a station_id, whether stations could be discovered at all.',
    labelNames: ['station_id'],
    read: ({ isUp }) => pointOf(isUp === undefined ? undefined : Number(isUp)),
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

/** The session of an account. */
const SESSION_METRICS: readonly Metric<AccountState>[] = [
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
];

const FIRST_ROUND_METRICS: readonly Metric<AccountState>[] = [
  {
    name: 'solar_stations_unread',
    type: 'gauge',
    help: 'How many of the stations that are scraped have no solar_up yet, because the first round of their readings has not ended; with --request.rate or --request.daily-budget a first round takes a while. Absent while no station is known.',
    labelNames: [],
    read: ({ unreadStations }) => pointOf(unreadStations),
  },
];

/** How often the service may be asked for an account. */
const BUDGET_METRICS: readonly Metric<AccountState>[] = [
  {
    name: 'solar_api_budget_remaining_requests',
    type: 'gauge',
    help: 'How many requests may still be sent before midnight UTC; at 0 the service is not asked until then. Absent without --request.daily-budget.',
    labelNames: [],
    read: ({ remainingRequests }) => pointOf(remainingRequests),
  },
];

const RELOAD_METRICS: readonly Metric<ProgramState>[] = [
  {
    name: 'solar_config_last_reload_successful',
    type: 'gauge',
    help: 'Whether the last attempt to take up a changed configuration, that of the web included, succeeded (1) or the one before goes on (0); 1 before the first.',
    labelNames: [],
    read: ({ isLastReloadSuccessful }) => pointOf(Number(isLastReloadSuccessful)),
  },
];

const SIMULATION_METRICS: readonly Metric<AccountState>[] = [
  {
    name: 'solar_simulated',
    type: 'gauge',
    help: 'Always 1; only there while the service is the simulated one of the commands demo and simulate: no value on this page is then of a real inverter.',
    labelNames: [],
    read: ({ isSimulated }) => pointOf(isSimulated ? 1 : undefined),
  },
];

const LOG_METRICS: readonly Metric<ProgramState>[] = [
  {
    name: 'solar_log_lines_dropped_total',
    type: 'counter',
    help: 'Lines of the log that could not be written, because the disk is full, say, or nothing reads the pipe.',
    labelNames: [],
    read: ({ droppedLogLines }) => pointOf(droppedLogLines),
  },
];

/** Those of its lists by account, and those of a page beside them. */
const DROP_METRICS: readonly Metric<Pick<ProgramState, 'droppedSeries'>>[] = [
  {
    name: 'solar_series_dropped_total',
    type: 'counter',
    help: 'What a limit left out, by reason: series (--limit.series) and page_bytes count series, whenever a page is made; stations, devices, alarms, settings and keys count entries of lists that are longer than any honest one, whenever the service answers. While it grows, the page is not complete.',
    labelNames: ['reason'],
    read: ({ droppedSeries }) =>
      Array.from(droppedSeries, ([reason, value]) => ({ value, labels: { reason } })),
  },
];

const BUILD_METRICS: readonly Metric<ProgramState>[] = [
  {
    name: 'solar_exporter_build_info',
    type: 'gauge',
    help: 'Always 1; the version and revision of the exporter and the version of Node.js it runs on.',
    labelNames: ['version', 'revision', 'node_version'],
    read: ({ build: { version, revision, nodeVersion } }) =>
      pointOf(1, { version, revision, node_version: nodeVersion }),
  },
];

const ACCOUNT_METRICS: readonly Metric<AccountState>[] = [
  ...SESSION_METRICS,
  ...FIRST_ROUND_METRICS,
  ...BUDGET_METRICS,
  ...SIMULATION_METRICS,
  ...DROP_METRICS,
];

const PROGRAM_METRICS: readonly Metric<ProgramState>[] = [
  ...RELOAD_METRICS,
  ...LOG_METRICS,
  ...DROP_METRICS,
  ...BUILD_METRICS,
];

/** The sessions and the program, in the order of the page. */
export const EXPORTER_METRICS: readonly MetricDefinition[] = [
  ...SESSION_METRICS,
  ...FIRST_ROUND_METRICS,
  ...BUDGET_METRICS,
  ...RELOAD_METRICS,
  ...SIMULATION_METRICS,
  ...LOG_METRICS,
  ...DROP_METRICS,
  ...BUILD_METRICS,
];

/** Counted by prom-client: see account-counts.ts. */
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

/** Reads how one station and its collectors are doing, or an account. */
export function* statusSamples(status: StationStatus): Generator<Sample> {
  const ofStation = { ...status.labels, station_id: status.stationId };
  yield* samplesOf(STATION_METRICS, status, ofStation);
  for (const outcome of status.outcomes)
    yield* samplesOf(ROUND_METRICS, outcome, { ...ofStation, collector: outcome.collector });
}

/** Reads the accounts and the program itself. */
export function exporterSamples(
  accounts: readonly AccountState[],
  program: ProgramState,
): readonly Sample[] {
  const ofAccounts = accounts.flatMap((account) => [
    ...samplesOf(ACCOUNT_METRICS, account, account.labels),
  ]);
  return [...ofAccounts, ...samplesOf(PROGRAM_METRICS, program, {})];
}

function secondsOf(instantMs: number | undefined): number | undefined {
  return instantMs === undefined ? undefined : instantMs / 1000;
}
