import { Counter, Histogram, Registry } from 'prom-client';
import { DROP_REASONS, type DropReason, PAGE_DROP_REASONS } from '../base/limits.ts';
import type { ClientObserver, Outcome, RenewalMethod } from '../client/exchange/transport.ts';
import type { Labels, Sample } from '../collectors/metric.ts';
import { COUNTED_METRICS } from './definitions.ts';

const DURATION_BUCKETS_SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** How often requests of an operation ended with an outcome: `ok`, or the code of the error. */
export interface RequestCount {
  readonly operation: string;
  readonly outcome: string;
  readonly count: number;
}

/** Counts the requests of one account with their durations, the renewals of its token, and what its limits left out. */
export class AccountCounts implements ClientObserver {
  readonly #registry = new Registry();
  readonly #requests = new Counter({ ...COUNTED_METRICS.requests, registers: [this.#registry] });
  readonly #requestDuration = new Histogram({
    ...COUNTED_METRICS.requestDuration,
    buckets: DURATION_BUCKETS_SECONDS,
    registers: [this.#registry],
  });
  readonly #renewals = new Counter({ ...COUNTED_METRICS.renewals, registers: [this.#registry] });
  readonly #dropped = new Map<DropReason, number>(
    DROP_REASONS.filter((reason) => !PAGE_DROP_REASONS.includes(reason)).map((reason) => [
      reason,
      0,
    ]),
  );
  #version = 0;

  /** Grows with every change of a count. */
  get version(): number {
    return this.#version;
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

  /** Counts what a limit left out. The page does not change for that alone: it comes with an answer, which is counted as well. */
  dropped(reason: DropReason, count: number): void {
    this.#dropped.set(reason, (this.#dropped.get(reason) ?? 0) + count);
  }

  /** How much each limit has left out. */
  get droppedSeries(): ReadonlyMap<DropReason, number> {
    return this.#dropped;
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

  /** Returns the counts as samples with these labels, for a page of several accounts; by the name of the metric. */
  async samples(labels: Labels): Promise<ReadonlyMap<string, readonly Sample[]>> {
    const counted = [this.#requests, this.#requestDuration, this.#renewals];
    const families = await Promise.all(counted.map((metric) => metric.get()));
    return new Map(
      families.map(({ name, values }) => [
        name,
        values.map((value) => ({
          name: 'metricName' in value ? value.metricName : name,
          labels: { ...labels, ...textsOf(value.labels) },
          value: value.value,
        })),
      ]),
    );
  }
}

/** The bounds of buckets are numbers. */
function textsOf(labels: Readonly<Partial<Record<string, string | number>>>): Labels {
  return Object.fromEntries(Object.entries(labels).map(([name, value]) => [name, String(value)]));
}
