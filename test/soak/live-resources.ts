import { createHook } from 'node:async_hooks';

/**
 * Counts what of one kind is alive in this process, from now on: also what lets the program end, which
 * `process.getActiveResourcesInfo` leaves out.
 */
export class LiveResources {
  readonly #ids = new Set<number>();
  readonly #hook;

  /** @param kind - as `node:async_hooks` names it. */
  constructor(kind: string) {
    this.#hook = createHook({
      init: (id, initialized) => {
        if (initialized === kind) this.#ids.add(id);
      },
      destroy: (id) => this.#ids.delete(id),
    }).enable();
  }

  get count(): number {
    return this.#ids.size;
  }

  /** Takes no notice of further ones. */
  close(): void {
    this.#hook.disable();
  }
}
