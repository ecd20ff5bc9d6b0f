import type { Clock } from '../../base/clock.ts';
import {
  initialState,
  type SavedState,
  type SessionState,
  type SessionStorage,
} from './session-state.ts';
import { clockSeen, timeOfTokensMs } from './session-time.ts';
import type { TokenSet } from './tokens.ts';

export interface CurrentStateOptions {
  /** Absent when the session lives in memory only. */
  readonly storage?: SessionStorage | undefined;
  /** Tokens from the configuration; absent when logging in (interface 5.3: the modes' order). */
  readonly configuredTokens?: TokenSet | undefined;
  readonly clock: Clock;
}

/** Holds the state of a session: performs its transitions at the time of the clock, and saves it. */
export class CurrentState {
  readonly #clock: Clock;
  readonly #storage: SessionStorage | undefined;
  #state: SessionState;

  constructor({ storage, configuredTokens, clock }: CurrentStateOptions) {
    this.#clock = clock;
    this.#storage = storage;
    this.#state = initialState(storage?.saved, configuredTokens);
  }

  get value(): SessionState {
    return this.#state;
  }

  /** Replaces the state by the next one. */
  apply(transition: (state: SessionState, nowMs: number) => SessionState): void {
    const nowMs = this.nowMs();
    this.#state = transition(this.#state, nowMs);
  }

  /** Saves the state, or one in place of it. Never rejects. */
  async save(state: SavedState = this.#state): Promise<void> {
    await this.#storage?.save(state);
  }

  /** Reads the clock and lets the pauses see the time. */
  nowMs(): number {
    const nowMs = this.#clock.nowMs();
    this.#state = clockSeen(this.#state, nowMs);
    return nowMs;
  }

  /** Returns the time by which the tokens expire: see {@link timeOfTokensMs}. */
  timeOfTokensMs(): number {
    const nowMs = this.nowMs();
    return timeOfTokensMs(this.#state, nowMs);
  }
}
