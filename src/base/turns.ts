import { systemClock } from './clock.ts';

/** After so long, others have their turn. */
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
  // Answers of many devices wait together: if all of them went on at once, that would take long.
  for (let ready = waiting.length; ready > 0 && !turn.isOver(); ready -= 1) {
    waiting.shift()?.();
    // Lets it go on, before there is a look at the clock.
    await Promise.resolve();
  }
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
