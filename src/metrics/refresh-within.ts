import type { Clock } from '../clock.ts';
import type { Logger } from '../log.ts';

/** Waits for a refresh, but at most `waitMs`: one that takes longer goes on by itself. Never rejects. */
export async function refreshWithin(
  waitMs: number,
  refresh: () => Promise<void>,
  { clock, log }: { readonly clock: Clock; readonly log: Logger },
): Promise<void> {
  const refreshed = refresh().catch((error: unknown) => {
    log.error({ err: error }, 'refresh failed unexpectedly');
  });
  const patience = new AbortController();
  await Promise.race([refreshed, clock.sleep(waitMs, patience.signal)]);
  patience.abort();
}
