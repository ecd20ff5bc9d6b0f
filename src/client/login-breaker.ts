const MINUTE_MS = 60_000;
const PAUSES_MS = [MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, 120 * MINUTE_MS];

/**
 * Keeps a refused account from being locked: after each refusal in a row the next attempt has to
 * wait longer, 1 min, 5 min, 30 min, then 2 h.
 */
export class LoginBreaker {
  #refusals = 0;
  #blockedUntilMs = 0;

  /** The end of the pause, or absent when an attempt is allowed. */
  blockedUntilMs(nowMs: number): number | undefined {
    return nowMs < this.#blockedUntilMs ? this.#blockedUntilMs : undefined;
  }

  refused(nowMs: number): void {
    // Callers that were under way together were refused once.
    if (nowMs < this.#blockedUntilMs) return;
    const pauseMs = PAUSES_MS[Math.min(this.#refusals, PAUSES_MS.length - 1)] ?? 0;
    this.#refusals += 1;
    this.#blockedUntilMs = nowMs + pauseMs;
  }

  accepted(): void {
    this.#refusals = 0;
    this.#blockedUntilMs = 0;
  }
}
