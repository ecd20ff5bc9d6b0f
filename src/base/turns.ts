import { systemClock } from './clock.ts';

/** After so long, other work gets its turn. */
const TURN_MS = 8;

/** When work was first seen in this turn of the event loop; absent before. */
let beganAtMs: number | undefined;
const waiting: (() => void)[] = [];

function beginning(): number {
  if (beganAtMs === undefined) {
    beganAtMs = systemClock.monotonicMs();
    setImmediate(() => void startNextTurn());
  }
  return beganAtMs;
}

async function startNextTurn(): Promise<void> {
  beganAtMs = undefined;
  // Answers of many devices may wait here. Continuing all of them at once would take long.
  for (let ready = waiting.length; ready > 0 && !turn.isOver(); ready -= 1) {
    waiting.shift()?.();
    // Let it run before looking at the clock.
    await Promise.resolve();
  }
}

/** The current turn of the event loop. Long work calls `if (turn.isOver()) await turn.next()` now and then. */
export const turn = {
  /** Whether work has gone on for so long that other work should get its turn. */
  isOver: (): boolean => systemClock.monotonicMs() - beginning() > TURN_MS,

  /** Resolves when other work has had its turn: everything that is ready, and earlier calls that wait here. */
  next(): Promise<void> {
    beginning();
    return new Promise((resolve) => waiting.push(resolve));
  },
};
