/** How much a measurement measures. */
export interface Scope {
  /** Fewer sizes and fewer rounds, for a machine that has other things to do. */
  readonly isShort: boolean;
  /** The parts that are wanted, in the words of each measurement; all when empty. */
  readonly kinds: readonly string[];
}
