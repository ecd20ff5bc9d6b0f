/** Counts the turns that others have in the event loop while something runs. */
export async function turnsDuring(run: () => Promise<unknown>): Promise<number> {
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
  return turns;
}
