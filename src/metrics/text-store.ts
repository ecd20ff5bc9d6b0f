/** Bytes of many texts, and where in them the lines of each metric are. What a text has there, nobody changes. */
export interface TextStore {
  readonly bytes: Buffer;
  /** In threes: the column of a metric, where its lines begin in `bytes`, and where they end. */
  readonly spans: Uint32Array;
}

/** Where the lines of a text are. */
export interface PlaceInStore {
  readonly store: TextStore;
  /** The first entry of its spans. */
  readonly at: number;
}

/** The entries of one span. */
export const SPAN = 3;

const FIRST_BYTES = 8 * 1024;
const MOST_BYTES = 1024 * 1024;
/** Most lines are longer, so that the bytes of a store are used up first. */
const BYTES_PER_SPAN = 64;

/**
 * Keeps texts until a page has them. Many share a store: one of its own for each would take as much memory as its
 * lines. A store is twice as large as the one before, up to a limit.
 */
export class NewTexts {
  readonly #stores: TextStore[] = [];
  #store = NO_STORE;
  #bytes = 0;
  #entries = 0;

  /**
   * Keeps a text.
   *
   * @param ends - in pairs: the column of a metric, and where its lines end in the bytes of the text.
   */
  add(text: string, ends: readonly number[]): PlaceInStore {
    this.#makeRoom(ends.at(-1) ?? 0, ends.length / 2);
    const { bytes, spans } = this.#store;
    const place = { store: this.#store, at: this.#entries };
    bytes.write(text, this.#bytes);
    for (let index = 0, from = 0; index < ends.length; index += 2) {
      const to = ends[index + 1] ?? 0;
      this.#note(spans, ends[index] ?? 0, this.#bytes + from, this.#bytes + to);
      from = to;
    }
    this.#bytes += ends.at(-1) ?? 0;
    return place;
  }

  /** Keeps a copy of a text that has so many spans, so that the store in which it is can be let go. */
  copy({ store, at }: PlaceInStore, spans: number, length: number): PlaceInStore {
    this.#makeRoom(length, spans);
    const place = { store: this.#store, at: this.#entries };
    for (let index = at; index < at + spans * SPAN; index += SPAN) {
      const [column = 0, from = 0, to = 0] = store.spans.subarray(index, index + SPAN);
      store.bytes.copy(this.#store.bytes, this.#bytes, from, to);
      this.#note(this.#store.spans, column, this.#bytes, this.#bytes + to - from);
      this.#bytes += to - from;
    }
    return place;
  }

  /** Gives the memory of all texts back, none of which may be read any more. */
  letGo(): void {
    for (const store of this.#stores) letGoOf(store);
    this.#stores.length = 0;
    this.#store = NO_STORE;
    this.#bytes = 0;
    this.#entries = 0;
  }

  #note(spans: Uint32Array, column: number, from: number, to: number): void {
    spans[this.#entries] = column;
    spans[this.#entries + 1] = from;
    spans[this.#entries + 2] = to;
    this.#entries += SPAN;
  }

  #makeRoom(bytes: number, spans: number): void {
    const { bytes: known, spans: knownSpans } = this.#store;
    const isRoom =
      this.#bytes + bytes <= known.length && this.#entries + spans * SPAN <= knownSpans.length;
    if (isRoom) return;
    const next = Math.min(MOST_BYTES, Math.max(FIRST_BYTES, 2 * known.length));
    this.#store = storeOf(Math.max(next, bytes), Math.max(next / BYTES_PER_SPAN, spans));
    this.#stores.push(this.#store);
    this.#bytes = 0;
    this.#entries = 0;
  }
}

/** Creates a store of so many bytes and spans, whose memory can be given back. */
export function storeOf(bytes: number, spans: number): TextStore {
  const spanBytes = Math.ceil(spans) * SPAN * Uint32Array.BYTES_PER_ELEMENT;
  return {
    bytes: Buffer.from(new ArrayBuffer(bytes, { maxByteLength: bytes })),
    spans: new Uint32Array(new ArrayBuffer(spanBytes, { maxByteLength: spanBytes })),
  };
}

/**
 * Gives the memory of a store back; nothing in it may be read any more. Otherwise it would stay until the garbage
 * is collected, which an exporter with a page of many megabytes has no reason to do for minutes.
 */
export function letGoOf({ bytes, spans }: TextStore): void {
  (bytes.buffer as ArrayBuffer).resize(0);
  (spans.buffer as ArrayBuffer).resize(0);
}

const NO_STORE = storeOf(0, 0);
