import type { Clock } from '../../base/clock.ts';
import { ServiceError } from '../../base/errors.ts';
import type { Logger } from '../../base/log.ts';
import { nextDayAtMs } from './spent-day.ts';
import type { SpentRequests } from './spent-requests.ts';

/** What is left of the requests of a day. */
export interface BudgetStatus {
  /** How many requests a day may have. */
  readonly dailyRequests: number;
  readonly remainingRequests: number;
  /** When all of them are there again. */
  readonly resetsAtMs: number;
}

/** How often the service may be asked. */
export interface Allowance {
  /** Absent: there is no limit. */
  readonly ratePerSecond?: number | undefined;
  /** Absent: there is no budget. */
  readonly budget?: BudgetStatus | undefined;
  /** How many requests were sent since the program started. */
  readonly sentRequests: number;
}

export interface RequestBudgetOptions {
  readonly dailyRequests: number;
  readonly spent: SpentRequests;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly log: Logger;
}

/** Whether a request was not sent because those of the day are used up. */
export function isBudgetUsedUp(error: unknown): error is ServiceError {
  return error instanceof ServiceError && error.code === 'SERVICE_BUDGET_USED_UP';
}

/** Lets so many requests of an account go out on each day, by UTC: those for data, log-ins and refreshes alike. */
export class RequestBudget {
  readonly #options: RequestBudgetOptions;
  #isUsedUp = false;

  constructor(options: RequestBudgetOptions) {
    this.#options = options;
  }

  status(): BudgetStatus {
    const { dailyRequests, spent, clock } = this.#options;
    return {
      dailyRequests,
      remainingRequests: Math.max(0, dailyRequests - spent.today),
      resetsAtMs: nextDayAtMs(clock.nowMs()),
    };
  }

  /**
   * Makes sure that a request may be sent, before it waits for its turn.
   *
   * @throws ServiceError `SERVICE_BUDGET_USED_UP`.
   */
  check(): void {
    if (this.status().remainingRequests === 0) throw this.#usedUp();
  }

  /** Takes one request. Rejects with a ServiceError, `SERVICE_BUDGET_USED_UP`, when none is left. */
  async spend(): Promise<void> {
    const { dailyRequests, spent, log } = this.#options;
    if (!(await spent.spend(dailyRequests))) throw this.#usedUp();
    if (this.#isUsedUp) log.info({ dailyRequests }, 'the service is asked again: a new day');
    this.#isUsedUp = false;
  }

  /** Logs it once, whoever asked: what all collectors have to say of it is the same. */
  #usedUp(): ServiceError {
    const { dailyRequests, clock, log } = this.#options;
    const { resetsAtMs } = this.status();
    const until = new Date(resetsAtMs).toISOString();
    if (!this.#isUsedUp)
      log.warn(
        { dailyRequests, until },
        'the requests of the day are used up: the service is not asked',
      );
    this.#isUsedUp = true;
    const message = `the ${dailyRequests} requests of the day (--request.daily-budget) are used up; none before ${until}`;
    const retryAfterMs = resetsAtMs - clock.nowMs();
    return new ServiceError('SERVICE_BUDGET_USED_UP', message, { retryAfterMs });
  }
}
