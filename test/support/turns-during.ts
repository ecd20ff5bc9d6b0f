import { vi } from 'vitest';

/** Counts the turns that others have in the event loop while something runs, on a clock that ticks whenever it is looked at. */
export async function turnsDuring(run: () => Promise<unknown>): Promise<number> {
  let nowMs = performance.now();
  const look = vi.spyOn(performance, 'now').mockImplementation(() => (nowMs += 1));
  let turns = 0;
  let isOver = false;
  const count = (): void => {
    if (isOver) return;
    turns += 1;
    setImmediate(count);
  };
  setImmediate(count);
  await run();
  isOver = true;
  look.mockRestore();
  return turns;
}
