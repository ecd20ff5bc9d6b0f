import { nextTurn } from './clock.ts';

/** Resolves when the caller may go on. */
export type Turns = () => Promise<void>;

/**
 * Lets so many callers go on in each turn of the event loop, in the order of their calls. Answers that arrive
 * together are read a few at a time, so that whoever else is ready has a turn in between.
 */
export function takeTurns(perTurn: number): Turns {
  const waiting: (() => void)[] = [];
  let free = perTurn;
  let isNextTurnComing = false;

  function startTurn(): void {
    free = perTurn;
    for (const goOn of waiting.splice(0, perTurn)) {
      free -= 1;
      goOn();
    }
    isNextTurnComing = free < perTurn;
    if (isNextTurnComing) void nextTurn().then(startTurn);
  }

  return () => {
    if (!isNextTurnComing) void nextTurn().then(startTurn);
    isNextTurnComing = true;
    if (free > 0) {
      free -= 1;
      return Promise.resolve();
    }
    return new Promise((resolve) => waiting.push(resolve));
  };
}
