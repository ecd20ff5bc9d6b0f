import type { NoteDropped } from '../../base/limits.ts';
import { outcomeOf, type ServiceErrorCode } from '../../base/errors.ts';
import { elapsedMs } from '../../base/not-before.ts';
import type { Operation } from '../endpoints.ts';
import type { ServiceClock } from './service-clock.ts';
import type { ServiceRequest, Transport } from './transport.ts';

export type Outcome = 'ok' | ServiceErrorCode | 'UNEXPECTED';

export type RenewalMethod = 'refresh' | 'login';

/** Is notified of every request and every renewal of the token, to count them. */
export interface ClientObserver {
  requestEnded(operation: Operation, outcome: Outcome, durationSeconds: number): void;
  renewalEnded(method: RenewalMethod, outcome: Outcome): void;
  /** Is told what a limit left out. */
  dropped: NoteDropped;
}

/** Sends one request and decodes its answer. */
export type SendRequest = <T>(
  operation: Operation,
  request: ServiceRequest,
  decode: (payload: unknown) => T,
) => Promise<T>;

export interface SendRequestOptions {
  readonly transport: Transport;
  readonly observer: ClientObserver;
  readonly nowMs: () => number;
  /** Is set by the date of every answer. */
  readonly serviceClock: ServiceClock;
  /** Takes a request from the budget of the day; rejects when none is left, and nothing is sent. */
  readonly spend?: (() => Promise<void>) | undefined;
}

/** Creates the function that sends all requests; it times and counts them, decoding included. */
export function createSendRequest({
  transport,
  observer,
  nowMs,
  serviceClock,
  spend,
}: SendRequestOptions): SendRequest {
  return async (operation, request, decode) => {
    await spend?.();
    const startedAtMs = nowMs();
    const ended = (outcome: Outcome): void =>
      observer.requestEnded(operation, outcome, elapsedMs(startedAtMs, nowMs()) / 1000);
    try {
      const { payload, dateMs } = await transport.send(request);
      if (dateMs !== undefined) serviceClock.observe(dateMs);
      const decoded = decode(payload);
      ended('ok');
      return decoded;
    } catch (error) {
      ended(outcomeOf(error));
      throw error;
    }
  };
}
