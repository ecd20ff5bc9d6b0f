/** Only a gap longer than this is worth a word. */
const LONGEST_SILENCE_MS = 3_600_000;

/** A span of time; its end is the first instant after it. */
export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/** What the service has of a device in a span. */
export interface DeviceReadings {
  readonly deviceId: string;
  /** How many readings. */
  readonly readings: number;
  readonly firstAtMs?: number | undefined;
  readonly lastAtMs?: number | undefined;
  /** Where it has none for longer than an hour, at the edges of the span as well. */
  readonly gaps: readonly Span[];
}

/** Finds out, reading by reading, what the service does not have. */
export class ReadingGaps {
  readonly #span: Span;
  readonly #gaps: Span[] = [];
  #readings = 0;
  #firstAtMs: number | undefined;
  #lastAtMs: number | undefined;

  constructor(span: Span) {
    this.#span = span;
  }

  /** Notes a reading of the span; they come in ascending order. */
  note(atMs: number): void {
    this.#noteSilence(atMs);
    this.#readings += 1;
    this.#firstAtMs ??= atMs;
    this.#lastAtMs = atMs;
  }

  /** Returns what was found, once all readings are noted. */
  end(deviceId: string): DeviceReadings {
    this.#noteSilence(this.#span.toMs);
    return {
      deviceId,
      readings: this.#readings,
      firstAtMs: this.#firstAtMs,
      lastAtMs: this.#lastAtMs,
      gaps: this.#gaps,
    };
  }

  #noteSilence(toMs: number): void {
    const fromMs = this.#lastAtMs ?? this.#span.fromMs;
    if (toMs - fromMs > LONGEST_SILENCE_MS) this.#gaps.push({ fromMs, toMs });
  }
}
