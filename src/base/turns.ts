import { systemClock } from './clock.ts';

/** After so long, others have their turn. */
const TURN_MS = 8;

/** When work was first seen in this turn of the event loop; absent before. */
let beganAtMs: number | undefined;
const waiting: (() => void)[] = [];

function beginning(): number {
  if (beganAtMs === undefined) {
    beganAtMs = systemClock.monotonicMs();
    setImmediate(() => {
      beganAtMs = undefined;
      // One alone: all those who wait, as for the answers of many devices, would take long together.
      waiting.shift()?.();
      if (waiting.length > 0) beginning();
    });
  }
  return beganAtMs;
}

/** The turn of the event loop in which work goes on: what takes long says now and then `if (turn.isOver()) await turn.next()`. */
export const turn = {
  /** Whether work has gone on for so long that others should have their turn. */
  isOver: (): boolean => systemClock.monotonicMs() - beginning() > TURN_MS,

  /** Resolves when others have had their turn: everything that is ready, and whoever waited here before. */
  next(): Promise<void> {
    beginning();
    return new Promise((resolve) => waiting.push(resolve));
  },
};
