import { outcomeOf } from '../errors.ts';
import type { Operation } from './operation.ts';
import type { ClientObserver, Outcome } from './observer.ts';
import type { ServiceClock } from './service-clock.ts';
import type { ServiceRequest, Transport } from './transport.ts';

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
  /** Set by the date of every answer. */
  readonly serviceClock: ServiceClock;
}

/** Makes the one way by which requests leave: timed and counted, decoding included. */
export function createSendRequest({
  transport,
  observer,
  nowMs,
  serviceClock,
}: SendRequestOptions): SendRequest {
  return async (operation, request, decode) => {
    const startedAtMs = nowMs();
    const ended = (outcome: Outcome): void =>
      observer.requestEnded(operation, outcome, (nowMs() - startedAtMs) / 1000);
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
