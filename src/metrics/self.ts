// All of prom-client would start the exporter 30 ms later, above all for the tracing of its process metrics.
import Counter from 'prom-client/lib/counter.js';
import Gauge from 'prom-client/lib/gauge.js';
import Histogram from 'prom-client/lib/histogram.js';
import Registry from 'prom-client/lib/registry.js';
import { DROP_REASONS, type DropReason, PAGE_DROP_REASONS } from '../base/limits.ts';
import type { ClientObserver, Outcome, RenewalMethod } from '../client/exchange/transport.ts';
import type { SessionStatus } from '../client/session/session.ts';
import { type Labels, type Metric, pointOf } from '../collectors/metric.ts';

/** The labels of `solar_exporter_build_info`. */
export interface BuildInfo {
  readonly version: string;
  readonly revision: string;
  readonly nodeVersion: string;
}

/** What the pages show of an account, beside what was collected of it. */
export interface AccountView {
  /** Its name, where there are several; else absent, and then it has no labels either. */
  readonly account: string | undefined;
  readonly labels: Labels;
  readonly counts: AccountCounts;
  readonly sessionStatus: () => SessionStatus;
  /** How many stations were not read yet; undefined while none is known. */
  readonly unreadStations: () => number | undefined;
  /** What is left of the requests of the day; undefined without a budget. */
  readonly remainingRequests: () => number | undefined;
  /** Whether its values are those of the simulated service. */
  readonly isSimulated: () => boolean;
}

/** What is read of an account whenever a page is made. */
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
    name: 'solar_api_budget_remaining_requests',
    type: 'gauge',
    help: 'Requests that may still be sent before midnight UTC; absent without --request.daily-budget.',
    labelNames: [],
    read: ({ remainingRequests }) => pointOf(remainingRequests()),
  },
  {
    name: 'solar_simulated',
    type: 'gauge',
    help: 'Always 1; only there while the service is simulated: no value is of a real inverter.',
    labelNames: [],
    read: ({ isSimulated }) => pointOf(isSimulated() ? 1 : undefined),
  },
];

/** What prom-client keeps over reloads: the counts of accounts, and what is said of the program. */
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
    help: 'What a limit left out, by reason: series and page_bytes count series of a page, the others entries of lists of the service.',
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

/** What the exporter says of its accounts and of itself, in the order of the page. */
export const EXPORTER_METRICS = [...ACCOUNT_METRICS, ...Object.values(KEPT_METRICS)];

// Each operation has a series for each bucket and three more, and a usual account has ten operations.
const DURATION_BUCKETS_SECONDS = [1];

/** How often requests of an operation ended with an outcome: `ok`, or the code of the error. */
export interface RequestCount {
  readonly operation: string;
  readonly outcome: string;
  readonly count: number;
}

/** Counts the requests of one account with their durations, the renewals of its token, and what its limits left out. */
export class AccountCounts implements ClientObserver {
  /** Has the counts, without a label that tells the account from others. */
  readonly registry = new Registry();
  readonly #requests = new Counter({ ...KEPT_METRICS.requests, registers: [this.registry] });
  readonly #requestDuration = new Histogram({
    ...KEPT_METRICS.requestDuration,
    buckets: DURATION_BUCKETS_SECONDS,
    registers: [this.registry],
  });
  readonly #renewals = new Counter({ ...KEPT_METRICS.renewals, registers: [this.registry] });
  readonly #replaced = new Counter({ ...KEPT_METRICS.replaced, registers: [this.registry] });
  readonly #dropped = countDropped(
    DROP_REASONS.filter((reason) => !PAGE_DROP_REASONS.includes(reason)),
    this.registry,
  );
  readonly #changed: () => void;

  /** @param changed - is called with every change of a count. */
  constructor(changed: () => void) {
    this.#changed = changed;
  }

  requestEnded(operation: string, outcome: Outcome, durationSeconds: number): void {
    this.#requests.inc({ operation, outcome });
    this.#requestDuration.observe({ operation }, durationSeconds);
    this.#changed();
  }

  renewalEnded(method: RenewalMethod, outcome: Outcome): void {
    this.#renewals.inc({ method, outcome });
    this.#changed();
  }

  sessionReplaced(): void {
    this.#replaced.inc();
    this.#changed();
  }

  /** Counts what a limit left out. The page does not change for that alone: it comes with an answer, which is counted as well. */
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
}

/** Counts what happens to the program, reloads say, and keeps the counts of its accounts over reloads. */
export class SelfMetrics {
  readonly #registry = new Registry();
  readonly #dropped = countDropped(PAGE_DROP_REASONS, this.#registry);
  readonly #lastReload = new Gauge({ ...KEPT_METRICS.lastReload, registers: [this.#registry] });
  readonly #accounts = new Map<string | undefined, AccountCounts>();
  readonly #droppedLogLines: () => number;
  #process: Promise<Registry> | undefined;
  #version = 0;

  /** @param droppedLogLines - how many lines of the log could not be written. */
  constructor({ version, revision, nodeVersion }: BuildInfo, droppedLogLines: () => number) {
    const registers = [this.#registry];
    this.#droppedLogLines = droppedLogLines;
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

  /** Returns the counts of an account, by its name where it has one. */
  countsOf(account?: string): AccountCounts {
    const known = this.#accounts.get(account);
    const counts = known ?? new AccountCounts(() => (this.#version += 1));
    this.#accounts.set(account, counts);
    return counts;
  }

  /** Forgets the counts of an account that is configured no more. */
  forget(account: string | undefined): void {
    this.#accounts.delete(account);
    this.#version += 1;
  }

  reloadEnded(isSuccess: boolean): void {
    this.#lastReload.set(Number(isSuccess));
    this.#version += 1;
  }

  /** Counts what the limits of a page left out. The page does not change for that alone: it is rendered then. */
  dropped(reason: DropReason, count: number): void {
    this.#dropped.inc({ reason }, count);
  }

  /**
   * Renders the accounts and the program in the Prometheus text format 0.0.4. A family without series is left out: unknown
   * is absent.
   */
  async render(accounts: readonly AccountView[]): Promise<string> {
    const registries = [...accounts.map(registryOf), this.#registry];
    const texts = await Promise.all(registries.map((registry) => registry.metrics()));
    const linesOf = new Map<string, string[]>();
    for (const family of texts.flatMap((text) => text.trimEnd().split('\n\n'))) {
      const [help = '', type = '', ...lines] = family.split('\n');
      const header = `${help}\n${type}\n`;
      linesOf.set(header, [...(linesOf.get(header) ?? []), ...lines]);
    }
    return Array.from(linesOf, ([header, lines]) =>
      lines.length === 0 ? '' : `${header}${lines.join('\n')}\n`,
    ).join('');
  }

  /** Returns the function that renders the metrics of the process, which the first call starts. */
  processMetrics(): () => Promise<string> {
    const started = (this.#process ??= import('./process-metrics.ts').then((part) =>
      part.startProcessMetrics(),
    ));
    return async () => (await started).metrics();
  }
}

/** Returns the counts of an account and what is read of it now, with the labels that tell it from others. */
function registryOf(view: AccountView): Registry {
  const read = new Registry();
  for (const metric of ACCOUNT_METRICS) {
    const { name, help, labelNames } = metric;
    const points = metric.read(view);
    // A gauge that was never set is not absent, but 0.
    if (points.length === 0) continue;
    const gauge = new Gauge({ name, help, labelNames, registers: [read] });
    for (const { labels = {}, value } of points) gauge.set(labels, value);
  }
  const registry = Registry.merge([read, view.counts.registry]);
  registry.setDefaultLabels(view.labels);
  return registry;
}

/** Counts what limits leave out, from 0 on. */
function countDropped(reasons: readonly DropReason[], registry: Registry): Counter<'reason'> {
  const dropped = new Counter({ ...KEPT_METRICS.dropped, registers: [registry] });
  for (const reason of reasons) dropped.inc({ reason }, 0);
  return dropped;
}

export function secondsOf(instantMs: number | undefined): number | undefined {
  return instantMs === undefined ? undefined : instantMs / 1000;
}
