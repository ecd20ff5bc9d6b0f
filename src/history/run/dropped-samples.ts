import type { Clock } from '../../base/clock.ts';
import type { PushRequest } from '../push-request.ts';
import { rowCounts, type RowCounts } from '../row-counts.ts';

/** VictoriaMetrics makes the page of its own metrics anew every second. */
const POLL_MS = 500;
/** The page of a busy one; afterwards its counts are taken for what they are. */
const LONGEST_WAIT_MS = 10_000;

export interface DroppedSamplesOptions {
  readonly request: Pick<PushRequest, 'readMetrics'>;
  readonly clock: Clock;
  /** Ends the wait. */
  readonly stop: AbortSignal;
}

/** Reads what a database says that it has counted; undefined where it does not say. */
export async function readRowCounts(
  request: Pick<PushRequest, 'readMetrics'>,
): Promise<RowCounts | undefined> {
  const metrics = await request.readMetrics();
  return metrics === undefined ? undefined : rowCounts(metrics);
}

/**
 * Resolves to how many of the samples that a database has acknowledged it threw away, as far as it says. Its
 * counts come late, so they are read until they show that all of the samples were counted.
 *
 * @param before - what it had counted before they were sent.
 */
export async function droppedSamples(
  before: RowCounts | undefined,
  sent: number,
  { request, clock, stop }: DroppedSamplesOptions,
): Promise<number> {
  if (before === undefined) return 0;
  const givesUpAtMs = clock.nowMs() + LONGEST_WAIT_MS;
  for (;;) {
    const now = await readRowCounts(request);
    // One that counts less than before was started again meanwhile.
    if (now === undefined || now.taken < before.taken) return 0;
    const isCounted = now.taken >= before.taken + sent;
    if (isCounted || stop.aborted || clock.nowMs() >= givesUpAtMs)
      return Math.max(0, now.dropped - before.dropped);
    await clock.sleep(POLL_MS, stop);
  }
}
