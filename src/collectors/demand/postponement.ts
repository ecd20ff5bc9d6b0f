import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/log.ts';
import type { Allowance } from '../../client/exchange/request-budget.ts';
import { type MaxAge, maxAgeMs as maxAgeOf } from '../../model/cadence.ts';
import { postponedUntil, type RequestTerms, wantedPerSecond } from '../../model/postponed.ts';
import { type Demand, NO_DEMAND } from './demand.ts';
import { RequestCost } from './request-cost.ts';

const DAY_SECONDS = 86_400;
/** How long what is wanted counts, because it takes a while to add up; it changes with the lists of devices. */
const DEMAND_MS = 10_000;
/** How long what may be sent counts. */
const TERMS_MS = 1000;

export interface PostponementOptions {
  readonly allowance: () => Allowance;
  /** Adds up what all collectors want. */
  readonly demand: () => Demand;
  /** Adds up what the collector of readings wants, of devices. */
  readonly readings: () => Demand;
  readonly maxAge: MaxAge;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly log: Logger;
}

/**
 * Stretches the intervals of all collectors, so that their requests fit the rate and the budget. One round of
 * everything is kept in hand, for what nobody plans: a repetition, a log-in, a device that is new.
 */
export class Postponement {
  readonly #options: PostponementOptions;
  readonly #cost: RequestCost;
  #demand: Demand = NO_DEMAND;
  /** The part of the readings in that. */
  #readings: Demand = NO_DEMAND;
  #demandAtMs = -Infinity;
  #terms: RequestTerms = { wantedPerSecond: 0 };
  #termsAtMs = -Infinity;
  #hasWarned = false;

  constructor(options: PostponementOptions) {
    this.#options = options;
    this.#cost = new RequestCost(options.allowance().sentRequests);
  }

  /** Returns until when a question is postponed; -Infinity where it is not: see {@link postponedUntil}. */
  readonly until = (sinceMs: number, waitMs: number): number =>
    postponedUntil(sinceMs, waitMs, this.#currentTerms());

  /** Takes note of a fetch that has ended, to learn how many requests one costs. */
  fetched(isSuccess: boolean): void {
    this.#cost.fetched(isSuccess, this.#options.allowance().sentRequests, this.#demand.targets);
  }

  /** Returns how far apart the readings of a device are asked for from now on; absent while no device is known. */
  readingIntervalMs(): number | undefined {
    const readings = this.#options.readings();
    if (readings.targets === 0) return undefined;
    const nowMs = this.#options.clock.nowMs();
    return stretchedMs(readings, nowMs, this.#currentTerms());
  }

  #currentTerms(): RequestTerms {
    const nowMs = this.#options.clock.nowMs();
    if (isWithin(nowMs - this.#termsAtMs, TERMS_MS)) return this.#terms;
    if (!isWithin(nowMs - this.#demandAtMs, DEMAND_MS)) {
      this.#demand = this.#options.demand();
      this.#readings = this.#options.readings();
      this.#demandAtMs = nowMs;
    }
    this.#terms = this.#termsOf(this.#options.allowance());
    this.#termsAtMs = nowMs;
    return this.#terms;
  }

  #termsOf({ ratePerSecond, budget }: Allowance): RequestTerms {
    const { targets } = this.#demand;
    const cost = this.#cost.perFetch(targets);
    if (budget === undefined) return this.#checked(this.#termsFor(cost, ratePerSecond));
    const { dailyRequests, remainingRequests, resetsAtMs } = budget;
    const inHand = Math.min(cost * targets, dailyRequests / 2);
    const dailyPerSecond = (dailyRequests - inHand) / DAY_SECONDS;
    this.#checked(this.#termsFor(cost, Math.min(ratePerSecond ?? Infinity, dailyPerSecond)));
    // Once a budget is used up, questions fail when they are due, without being sent: so everybody sees it.
    if (remainingRequests === 0) return this.#termsFor(cost, ratePerSecond);
    const requests = Math.floor(remainingRequests - inHand);
    const secondsLeft = Math.max(1, resetsAtMs - this.#options.clock.nowMs()) / 1000;
    const leftPerSecond = Math.min(ratePerSecond ?? Infinity, Math.max(0, requests) / secondsLeft);
    const { wantedPerSecond } = this.#termsFor(cost, leftPerSecond);
    return { wantedPerSecond, ratePerSecond, budget: { requests, resetsAtMs } };
  }

  /** Returns the terms of a rate; absent: there is no limit. */
  #termsFor(cost: number, ratePerSecond: number | undefined): RequestTerms {
    const [all, readings] = [this.#demand, this.#readings];
    const wishes = {
      othersPerSecond: cost * (all.fetchesPerSecond - readings.fetchesPerSecond),
      readingsPerSecond: cost * readings.fetchesPerSecond,
      weightedPerSecond: cost * readings.weightedPerSecond,
    };
    return { wantedPerSecond: wantedPerSecond(wishes, ratePerSecond ?? Infinity), ratePerSecond };
  }

  /** Logs once when the readings that are shown would be too old before they are asked for again. */
  #checked(terms: RequestTerms): RequestTerms {
    if (this.#hasWarned) return terms;
    const { maxAge, allowance, log } = this.#options;
    const readings = this.#options.readings();
    if (readings.targets === 0) return terms;
    const intervalMs = stretchedMs(readings, 0, terms);
    const maxAgeMs = maxAgeOf(maxAge);
    if (intervalMs <= maxAgeMs) return terms;
    this.#hasWarned = true;
    const { ratePerSecond, budget } = allowance();
    log.warn(
      {
        devices: readings.targets,
        dailyRequests: budget?.dailyRequests,
        ratePerSecond,
        wantedPerDay: Math.ceil(
          this.#cost.perFetch(this.#demand.targets) * this.#demand.fetchesPerSecond * DAY_SECONDS,
        ),
        intervalSeconds: Math.round(intervalMs / 1000),
        maxAgeSeconds: maxAgeMs / 1000,
      },
      'so few requests are allowed that readings are withdrawn before they are asked for again',
    );
    return terms;
  }
}

/** Returns how far apart questions about readings are from an instant on, on average. */
function stretchedMs(
  { targets, fetchesPerSecond, weightedPerSecond }: Demand,
  sinceMs: number,
  terms: RequestTerms,
): number {
  const plannedMs = (targets / fetchesPerSecond) * 1000;
  const countedMs = (targets / weightedPerSecond) * 1000;
  return Math.max(plannedMs, postponedUntil(sinceMs, countedMs, terms) - sinceMs);
}

/** Whether an age is below a limit; a negative one means that the clock was set back. */
function isWithin(ageMs: number, limitMs: number): boolean {
  return ageMs >= 0 && ageMs < limitMs;
}
