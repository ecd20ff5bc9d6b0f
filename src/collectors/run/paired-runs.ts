import type { CollectorRun } from './collector-run.ts';
import type { DueRun, DueTarget } from './due-queue.ts';

/** What every run offers, whatever the type of its values. */
export type AnyRun = Pick<
  CollectorRun<never, unknown>,
  'name' | 'outcome' | 'nextFetchAtMs' | 'nextWithdrawalAtMs' | 'shown' | 'shownTargets'
> &
  DueRun & { due(atMs: number): Iterable<DueTarget> };

/** Pairs the runs of two stations by their collectors. */
export function pairedRuns<Target>(
  runs: readonly CollectorRun<Target, unknown>[],
  others: readonly CollectorRun<Target, unknown>[],
): readonly (readonly [CollectorRun<Target, unknown>, CollectorRun<Target, unknown>])[] {
  return runs.flatMap((run) => {
    const same = others.find(({ name }) => name === run.name);
    return same === undefined ? [] : [[run, same] as const];
  });
}
