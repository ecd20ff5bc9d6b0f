import { outcomeOf } from '../errors.ts';
import type { Operation } from './api.ts';
import type { ClientObserver, Outcome } from './observer.ts';
import type { PostRequest, Transport } from './transport.ts';

/** Sends one request and decodes its answer. */
export type SendRequest = <T>(
  operation: Operation,
  request: PostRequest,
  decode: (payload: unknown) => T,
) => Promise<T>;

export interface SendRequestOptions {
  readonly transport: Transport;
  readonly observer: ClientObserver;
  readonly nowMs: () => number;
}

/** Makes the one way by which requests leave: timed and counted, decoding included. */
export function createSendRequest({ transport, observer, nowMs }: SendRequestOptions): SendRequest {
  return async (operation, request, decode) => {
    const startedAtMs = nowMs();
    const ended = (outcome: Outcome): void =>
      observer.requestEnded(operation, outcome, (nowMs() - startedAtMs) / 1000);
    try {
      const decoded = decode(await transport.post(request));
      ended('ok');
      return decoded;
    } catch (error) {
      ended(outcomeOf(error));
      throw error;
    }
  };
}
