/**
 * The instants of a span at which a scrape could have been: the multiples of a step since the Unix epoch, so
 * that those of neighbouring spans are evenly spaced. They are numbered from 0.
 */
export class StepGrid {
  readonly stepMs: number;
  /** How many steps the span has. */
  readonly length: number;
  readonly #first: number;

  /** @param toMs - the first instant after the span. */
  constructor(fromMs: number, toMs: number, stepMs: number) {
    this.stepMs = stepMs;
    this.#first = Math.ceil(fromMs / stepMs);
    this.length = Math.max(0, Math.ceil(toMs / stepMs) - this.#first);
  }

  /** Returns when a step is. */
  atMs(step: number): number {
    return (this.#first + step) * this.stepMs;
  }

  /** Returns the first step at or after an instant: the first of all before the span, the length after it. */
  stepFrom(instantMs: number): number {
    const step = Math.ceil(instantMs / this.stepMs) - this.#first;
    return Math.min(Math.max(step, 0), this.length);
  }
}
