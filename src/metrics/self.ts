import { Counter, Histogram, Registry } from 'prom-client';
import { DROP_REASONS, type DropReason } from '../base/limits.ts';
import type { Operation } from '../client/endpoints.ts';
import type { ClientObserver, Outcome, RenewalMethod } from '../client/exchange/send-request.ts';
import { COUNTED_METRICS } from './definitions.ts';

const DURATION_BUCKETS_SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** How often requests of an operation ended with an outcome: `ok`, or the code of the error. */
export interface RequestCount {
  readonly operation: string;
  readonly outcome: string;
  readonly count: number;
}

/** Counts requests with their durations, renewals of the token, and reloads. */
export class SelfMetrics implements ClientObserver {
  readonly #registry = new Registry();
  readonly #requests = new Counter({ ...COUNTED_METRICS.requests, registers: [this.#registry] });
  readonly #requestDuration = new Histogram({
    ...COUNTED_METRICS.requestDuration,
    buckets: DURATION_BUCKETS_SECONDS,
    registers: [this.#registry],
  });
  readonly #renewals = new Counter({ ...COUNTED_METRICS.renewals, registers: [this.#registry] });
  readonly #dropped = new Map<DropReason, number>(DROP_REASONS.map((reason) => [reason, 0]));
  readonly #droppedLogLines: () => number;
  #version = 0;
  #isLastReloadSuccessful = true;

  /** @param droppedLogLines - how many lines of the log could not be written. */
  constructor(droppedLogLines = (): number => 0) {
    this.#droppedLogLines = droppedLogLines;
  }

  /** Grows with every change of a count. */
  get version(): number {
    return this.#version + this.#droppedLogLines();
  }

  get droppedLogLines(): number {
    return this.#droppedLogLines();
  }

  requestEnded(operation: Operation, outcome: Outcome, durationSeconds: number): void {
    this.#requests.inc({ operation, outcome });
    this.#requestDuration.observe({ operation }, durationSeconds);
    this.#version += 1;
  }

  renewalEnded(method: RenewalMethod, outcome: Outcome): void {
    this.#renewals.inc({ method, outcome });
    this.#version += 1;
  }

  reloadEnded(isSuccess: boolean): void {
    this.#isLastReloadSuccessful = isSuccess;
    this.#version += 1;
  }

  /**
   * Counts what a limit left out. The page does not change for that alone: what is left out comes with an
   * answer, which is counted as well, or with the rendering of the page itself.
   */
  dropped(reason: DropReason, count: number): void {
    this.#dropped.set(reason, (this.#dropped.get(reason) ?? 0) + count);
  }

  /** How much each limit has left out. */
  get droppedSeries(): ReadonlyMap<DropReason, number> {
    return this.#dropped;
  }

  /** Whether the last reload succeeded; true before the first. */
  get isLastReloadSuccessful(): boolean {
    return this.#isLastReloadSuccessful;
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
      .toSorted((a, b) => a.operation.localeCompare(b.operation));
  }

  /** Renders the counts in the Prometheus text format. */
  render(): Promise<string> {
    return this.#registry.metrics();
  }
}
