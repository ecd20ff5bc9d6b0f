import type { Outcome } from '../client/observer.ts';
import type { Sample } from './metric.ts';

/** How the last round of a collector went; a round is one pass that asked the service anything. */
export interface CollectorOutcome {
  readonly collector: string;
  readonly isSuccess: boolean;
  /** Why it failed: the code of the first failure, `ok` without one. */
  readonly code: Outcome;
  readonly durationSeconds: number;
  readonly lastSuccessAtMs: number | undefined;
  /** Whether what it brought last may still be served, of all that it asks about. */
  readonly isServed: boolean;
}

/** What can be asked of any run, whatever it fetches. */
export interface Run {
  /** How the last round went; absent before the first has ended, and with nothing to ask about. */
  outcome(): CollectorOutcome | undefined;
  /** When the next fetch is due; never, for a run without targets. */
  readonly nextFetchAtMs: number;
  /** When the next value on the page has to go. */
  readonly nextWithdrawalAtMs: number;
  /** Everything that may be served now. */
  samples(): Iterable<Sample>;
}
