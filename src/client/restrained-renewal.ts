import { type BreakerState, LoginBreaker } from './login-breaker.ts';
import { blockedUntil, isTokenRefused } from './reauthentication.ts';
import { Renewal, type RenewalOptions } from './renewal.ts';
import { type OutageState, RenewalOutage } from './renewal-outage.ts';
import type { TokenSet } from './tokens.ts';

export interface RestrainedRenewalOptions extends RenewalOptions {
  readonly random: () => number;
}

/** What has to be kept of what the service said to earlier attempts. */
export interface RestraintState {
  /** How often, and until when, it refused to hand out a token. */
  readonly credentials: BreakerState;
  readonly outage: OutageState;
}

/** Renews tokens, but only as often as the service's refusals and outages allow. */
export class RestrainedRenewal {
  readonly #options: RestrainedRenewalOptions;
  readonly #renewal: Renewal;
  readonly #credentials: LoginBreaker;
  readonly #outage: RenewalOutage;
  #lastRefusal: unknown;

  constructor(options: RestrainedRenewalOptions, saved?: RestraintState) {
    this.#options = options;
    this.#renewal = new Renewal(options);
    this.#credentials = new LoginBreaker(saved?.credentials);
    this.#outage = new RenewalOutage(saved?.outage);
  }

  get state(): RestraintState {
    return { credentials: this.#credentials.state, outage: this.#outage.state };
  }

  /** Whether the service's last word was a refusal. */
  get isRefused(): boolean {
    return this.#credentials.isRefused;
  }

  /** Until when nothing is asked for because the service refused; absent while it does not. */
  blockedUntilMs(nowMs: number): number | undefined {
    return this.#credentials.blockedUntilMs(nowMs);
  }

  /** Whether nothing is asked for now. */
  isHeldBack(nowMs: number): boolean {
    return (
      this.#credentials.blockedUntilMs(nowMs) !== undefined ||
      this.#outage.failureDuringPause(nowMs) !== undefined
    );
  }

  /**
   * Renews once; rejects at once during a pause.
   *
   * @param attempting - keeps what a restart has to know when the program ends during the attempt.
   */
  async obtain(
    tokens: TokenSet | undefined,
    attempting: (during: Partial<RestraintState>) => Promise<void>,
  ): Promise<TokenSet> {
    const { clock, random } = this.#options;
    const nowMs = clock.nowMs();
    const untilMs = this.#credentials.blockedUntilMs(nowMs);
    if (untilMs !== undefined) throw blockedUntil(untilMs, this.#lastRefusal, untilMs - nowMs);
    const failure = this.#outage.failureDuringPause(nowMs);
    if (failure !== undefined) throw failure;
    await attempting({ credentials: this.#credentials.stateDuringAttempt(nowMs) });
    try {
      const renewed = await this.#renewal.obtain(tokens);
      this.#outage.ended();
      this.#credentials.accepted();
      return renewed;
    } catch (error) {
      if (isTokenRefused(error)) {
        this.#lastRefusal = error;
        this.#credentials.refused(clock.nowMs());
      } else {
        this.#credentials.unanswered();
        this.#outage.failed(error, clock.nowMs(), random);
      }
      throw error;
    }
  }
}
