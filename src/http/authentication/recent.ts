/** Remembers the last few texts that were added. */
export class Recent {
  readonly #limit: number;
  readonly #texts = new Set<string>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  has(text: string): boolean {
    return this.#texts.has(text);
  }

  add(text: string): void {
    this.#texts.add(text);
    const [oldest] = this.#texts;
    if (this.#texts.size > this.#limit && oldest !== undefined) this.#texts.delete(oldest);
  }
}
