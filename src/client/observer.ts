import type { ServiceErrorCode } from '../errors.ts';
import type { Operation } from './operation.ts';

export type Outcome = 'ok' | ServiceErrorCode | 'UNEXPECTED';

export type RenewalMethod = 'refresh' | 'login';

/** Told of every request and every renewal, so that they can be counted. */
export interface ClientObserver {
  requestEnded(operation: Operation, outcome: Outcome, durationSeconds: number): void;
  renewalEnded(method: RenewalMethod, outcome: Outcome): void;
}
