import type { Clock } from '../../base/clock.ts';

/** Resolves when the next request may be sent, in the order of the calls. */
export type RequestPace = () => Promise<void>;

/** About what a timer of Node.js can hold: it would run out at once for anything longer. */
const LONGEST_GAP_MS = 24 * 24 * 3_600_000;

/**
 * Creates a pace of at most so many requests per second. They are evenly spaced: the gap after a request is a
 * sleep, so that neither a pause nor a clock that is set makes a burst or a longer wait.
 *
 * @param ratePerSecond - above 0; a fraction allows a request every few seconds.
 */
export function paceRequests(ratePerSecond: number, clock: Pick<Clock, 'sleep'>): RequestPace {
  const gapMs = Math.min(1000 / ratePerSecond, LONGEST_GAP_MS);
  let nextTurn: Promise<void> = Promise.resolve();
  return () => {
    const turn = nextTurn;
    nextTurn = turn.then(() => clock.sleep(gapMs));
    return turn;
  };
}
