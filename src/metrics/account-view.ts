import type { SessionStatus } from '../client/session/session.ts';
import type { AccountState } from './definitions.ts';
import type { LabelledCounts } from './self.ts';

/** What the pages show of an account, beside what was collected of it. */
export interface AccountView extends LabelledCounts {
  /** Its name, where there are several; else absent, and then it has no labels either. */
  readonly account?: string | undefined;
  readonly sessionStatus: () => SessionStatus;
  /** What is left of the requests of the day; undefined without a budget. */
  readonly remainingRequests?: (() => number | undefined) | undefined;
  readonly unreadStations?: (() => number | undefined) | undefined;
  /** Whether its values are those of the simulated service. */
  readonly isSimulated: () => boolean;
}

/** Reads the state of an account now. */
export function stateOf(view: AccountView): AccountState {
  return {
    labels: view.labels,
    session: view.sessionStatus(),
    isSimulated: view.isSimulated(),
    unreadStations: view.unreadStations?.(),
    remainingRequests: view.remainingRequests?.(),
    droppedSeries: view.counts.droppedSeries,
  };
}
