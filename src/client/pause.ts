/** What has to be kept of a pause. */
export interface PauseState {
  readonly endsAtMs: number;
  readonly lengthMs: number;
}

/** A time of not asking. It may outlive the program, and no clock that is set back makes it longer. */
export class Pause {
  #endsAtMs: number;
  #lengthMs: number;
  #endsAfterSetBackMs: number | undefined;

  constructor({ endsAtMs, lengthMs }: PauseState = { endsAtMs: 0, lengthMs: 0 }) {
    this.#endsAtMs = endsAtMs;
    this.#lengthMs = lengthMs;
  }

  get state(): PauseState {
    return { endsAtMs: this.#endsAtMs, lengthMs: this.#lengthMs };
  }

  begin(lengthMs: number, nowMs: number): void {
    this.#lengthMs = lengthMs;
    this.#endsAtMs = nowMs + lengthMs;
    this.#endsAfterSetBackMs = undefined;
  }

  /** The end of the pause, or absent when it is over. */
  endsAtMs(nowMs: number): number | undefined {
    if (nowMs >= this.#endsAtMs) return undefined;
    const wasSetBack = nowMs < this.#endsAtMs - this.#lengthMs;
    if (!wasSetBack) return this.#endsAtMs;
    // The real end stays as it is: a clock that is wrong at first, after a power cut, may be put right.
    this.#endsAfterSetBackMs = Math.min(
      this.#endsAfterSetBackMs ?? Number.POSITIVE_INFINITY,
      nowMs + this.#lengthMs,
    );
    return nowMs >= this.#endsAfterSetBackMs ? undefined : this.#endsAfterSetBackMs;
  }
}

/** When the last of several pauses ends; absent when none is under way. */
export function latestEnd(...endsAtMs: readonly (number | undefined)[]): number | undefined {
  const underWay = endsAtMs.filter((atMs) => atMs !== undefined);
  return underWay.length === 0 ? undefined : Math.max(...underWay);
}
