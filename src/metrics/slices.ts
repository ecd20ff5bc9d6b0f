/** So much work takes a few milliseconds. */
const WORK_PER_SLICE = 1500;

/** Counts work, so that others have their turn between its slices: `if (slices.isOver(work)) await nextTurn()`. */
export class Slices {
  #work = 0;

  /**
   * Takes note of work, and returns whether it is time for others.
   *
   * @param work - in lines to render, each of some 2 µs.
   */
  isOver(work: number): boolean {
    this.#work += work;
    if (this.#work < WORK_PER_SLICE) return false;
    this.#work = 0;
    return true;
  }
}
