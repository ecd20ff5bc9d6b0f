import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { DROP_REASONS, type DropReason } from '../base/limits.ts';
import type { ClientObserver, Outcome, RenewalMethod } from '../client/exchange/transport.ts';
import type { SessionStatus } from '../client/session/session.ts';
import { type Metric, pointOf } from '../collectors/metric.ts';

/** The labels of `solar_exporter_build_info`. */
export interface BuildInfo {
  readonly version: string;
  readonly revision: string;
  readonly nodeVersion: string;
}

/** What the pages show of the account, besides what was collected. */
export interface AccountView {
  readonly sessionStatus: () => SessionStatus;
  /** How many stations were not read yet; undefined while no station is known. */
  readonly unreadStations: () => number | undefined;
  /** Whether its values come from the simulated service. */
  readonly isSimulated: () => boolean;
}

/** Lines of a page, and the number of series in them. */
export interface RenderedMetrics {
  readonly text: string;
  readonly series: number;
}

/** The metrics that are read from the account whenever a page is made. */
const ACCOUNT_METRICS: readonly Metric<AccountView>[] = [
  {
    name: 'solar_token_expiry_timestamp_seconds',
    type: 'gauge',
    help: 'When the access token expires; absent when unknown.',
    labelNames: [],
    read: ({ sessionStatus }) => pointOf(secondsOf(sessionStatus().accessExpiresAtMs)),
  },
  {
    name: 'solar_reauthentication_required',
    type: 'gauge',
    help: 'Whether only new credentials can help (1) or not (0); solar-exporter check says which.',
    labelNames: [],
    read: ({ sessionStatus }) => pointOf(Number(sessionStatus().isReauthenticationRequired)),
  },
  {
    name: 'solar_session_info',
    type: 'gauge',
    help: 'How the session is kept alive: account (refresh and log-in), refresh_token (refresh only), access_token (not renewable) or none.',
    labelNames: ['mode'],
    read: ({ sessionStatus }) => pointOf(1, { mode: sessionStatus().mode }),
  },
  {
    name: 'solar_login_blocked_until_timestamp_seconds',
    type: 'gauge',
    help: 'No log-in is tried before this time, after a rejection; absent otherwise.',
    labelNames: [],
    read: ({ sessionStatus }) => pointOf(secondsOf(sessionStatus().blockedUntilMs)),
  },
  {
    name: 'solar_stations_unread',
    type: 'gauge',
    help: 'Number of scraped stations whose first round of readings has not ended; absent while no station is known.',
    labelNames: [],
    read: ({ unreadStations }) => pointOf(unreadStations()),
  },
  {
    name: 'solar_simulated',
    type: 'gauge',
    help: 'Always 1; only there while the service is simulated: no value is of a real inverter.',
    labelNames: [],
    read: ({ isSimulated }) => pointOf(isSimulated() ? 1 : undefined),
  },
];

/** The metrics that prom-client keeps over reloads: counts, and facts about the program. */
const KEPT_METRICS = {
  requests: {
    name: 'solar_api_requests_total',
    type: 'counter',
    help: 'Requests to the service by operation and outcome (ok, or the error code).',
    labelNames: ['operation', 'outcome'],
  },
  requestDuration: {
    name: 'solar_api_request_duration_seconds',
    type: 'histogram',
    help: 'Duration of the requests to the service by operation, failed ones included.',
    labelNames: ['operation'],
  },
  renewals: {
    name: 'solar_token_renewals_total',
    type: 'counter',
    help: 'Attempts to renew the token by method (refresh or login) and outcome (ok, or the error code).',
    labelNames: ['method', 'outcome'],
  },
  replaced: {
    name: 'solar_session_replaced_total',
    type: 'counter',
    help: 'Tokens that the service refused long before their end: somebody else uses the account.',
    labelNames: [],
  },
  dropped: {
    name: 'solar_series_dropped_total',
    type: 'counter',
    help: 'What a limit left out, by reason: series of a page, devices and stations that are listed, points (entries) of one answer of the service.',
    labelNames: ['reason'],
  },
  lastReload: {
    name: 'solar_config_last_reload_successful',
    type: 'gauge',
    help: 'Whether the last reload of the configuration succeeded (1) or was refused (0); 1 before the first.',
    labelNames: [],
  },
  droppedLogLines: {
    name: 'solar_log_lines_dropped_total',
    type: 'counter',
    help: 'Log lines that could not be written, for example because the disk is full.',
    labelNames: [],
  },
  build: {
    name: 'solar_exporter_build_info',
    type: 'gauge',
    help: 'Version and revision of the exporter, and version of Node.js.',
    labelNames: ['version', 'revision', 'node_version'],
  },
} as const;

/** The metrics of the account and of the exporter itself, in the order of the page. */
export const EXPORTER_METRICS = [...ACCOUNT_METRICS, ...Object.values(KEPT_METRICS)];

// One bucket only: each operation has a series for each bucket and three more, and a usual account has ten operations.
const DURATION_BUCKETS_SECONDS = [1];

/** How often requests of an operation ended with an outcome: `ok`, or the code of the error. */
export interface RequestCount {
  readonly operation: string;
  readonly outcome: string;
  readonly count: number;
}

/** Counts requests, renewals, drops at limits and events of the program, over all reloads. */
export class SelfMetrics implements ClientObserver {
  readonly #registry = new Registry();
  readonly #requests = this.#counter('requests');
  readonly #requestDuration = new Histogram({
    ...KEPT_METRICS.requestDuration,
    buckets: DURATION_BUCKETS_SECONDS,
    registers: [this.#registry],
  });
  readonly #renewals = this.#counter('renewals');
  readonly #replaced = this.#counter('replaced');
  readonly #dropped = this.#counter('dropped');
  readonly #lastReload = new Gauge({ ...KEPT_METRICS.lastReload, registers: [this.#registry] });
  readonly #droppedLogLines: () => number;
  #process: Registry | undefined;
  #version = 0;

  /** @param droppedLogLines - how many lines of the log could not be written. */
  constructor({ version, revision, nodeVersion }: BuildInfo, droppedLogLines: () => number) {
    const registers = [this.#registry];
    this.#droppedLogLines = droppedLogLines;
    for (const reason of DROP_REASONS) this.#dropped.inc({ reason }, 0);
    this.#lastReload.set(1);
    new Counter({
      ...KEPT_METRICS.droppedLogLines,
      registers,
      collect() {
        this.reset();
        this.inc(droppedLogLines());
      },
    });
    const build = { version, revision, node_version: nodeVersion };
    new Gauge({ ...KEPT_METRICS.build, registers }).set(build, 1);
  }

  /** Grows with every change of a count. */
  get version(): number {
    return this.#version + this.#droppedLogLines();
  }

  requestEnded(operation: string, outcome: Outcome, durationSeconds: number): void {
    this.#requests.inc({ operation, outcome });
    this.#requestDuration.observe({ operation }, durationSeconds);
    this.#version += 1;
  }

  renewalEnded(method: RenewalMethod, outcome: Outcome): void {
    this.#renewals.inc({ method, outcome });
    this.#version += 1;
  }

  sessionReplaced(): void {
    this.#replaced.inc();
    this.#version += 1;
  }

  reloadEnded(isSuccess: boolean): void {
    this.#lastReload.set(Number(isSuccess));
    this.#version += 1;
  }

  /** Counts what a limit left out. That alone does not change `version`: an answer or a rendering goes with it. */
  dropped(reason: DropReason, count: number): void {
    this.#dropped.inc({ reason }, count);
  }

  /** Returns how often requests of each operation ended with each outcome. */
  async requestCounts(): Promise<readonly RequestCount[]> {
    const { values } = await this.#requests.get();
    return values
      .map(({ labels: { operation = '', outcome = '' }, value }) => ({
        operation: String(operation),
        outcome: String(outcome),
        count: value,
      }))
      .toSorted((a, b) => (Object.values(a).join() < Object.values(b).join() ? -1 : 1));
  }

  /**
   * Renders the account and the program in the Prometheus text format 0.0.4. A metric without series is left out,
   * because an unknown value is absent.
   */
  async render(account: AccountView): Promise<RenderedMetrics> {
    const registry = Registry.merge([accountRegistry(account), this.#registry]);
    const known = (await registry.getMetricsAsJSON()).filter(({ values }) => values.length > 0);
    const texts = known.map(({ name }) => registry.getSingleMetricAsString(name));
    return {
      text: (await Promise.all(texts)).map((text) => `${text}\n`).join(''),
      series: known.reduce((sum, { values }) => sum + values.length, 0),
    };
  }

  /** Returns the function that renders the metrics of the process, which the first call starts. */
  processMetrics(): () => Promise<string> {
    const registry = (this.#process ??= startProcessMetrics());
    return () => registry.metrics();
  }

  #counter(kept: 'requests' | 'renewals' | 'replaced' | 'dropped'): Counter {
    return new Counter({ ...KEPT_METRICS[kept], registers: [this.#registry] });
  }
}

/** Gauges of prom-client whose names end like those of counters; promtool rejects them. */
const MISNAMED = ['handles', 'requests', 'resources'].map((of) => `nodejs_active_${of}_total`);

/** Starts prom-client's default metrics of the process, which observe the garbage collector and the event loop. */
function startProcessMetrics(): Registry {
  const register = new Registry();
  collectDefaultMetrics({ register });
  for (const name of MISNAMED) register.removeSingleMetric(name);
  return register;
}

function accountRegistry(account: AccountView): Registry {
  const registry = new Registry();
  for (const metric of ACCOUNT_METRICS) {
    const { name, help, labelNames } = metric;
    const points = metric.read(account);
    // Skipped, because a gauge that was never set is not absent, but 0.
    if (points.length === 0) continue;
    const gauge = new Gauge({ name, help, labelNames, registers: [registry] });
    for (const { labels = {}, value } of points) gauge.set(labels, value);
  }
  return registry;
}

export function secondsOf(instantMs: number | undefined): number | undefined {
  return instantMs === undefined ? undefined : instantMs / 1000;
}
