import { outcomeOf } from '../errors.ts';
import type { Operation } from './api.ts';
import { limitConcurrency } from './concurrency-limit.ts';
import type { ClientObserver } from './observer.ts';
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
  /** Requests in flight at once; the others wait, and their time-out does not run meanwhile. */
  readonly concurrency: number;
  readonly nowMs: () => number;
}

/** Makes the one way by which requests leave: limited, timed and counted, decoding included. */
export function createSendRequest(options: SendRequestOptions): SendRequest {
  const { transport, observer, concurrency, nowMs } = options;
  const limit = limitConcurrency(concurrency);

  return (operation, request, decode) =>
    limit(async () => {
      const startedAtMs = nowMs();
      const ended = (outcome: Parameters<ClientObserver['requestEnded']>[1]): void =>
        observer.requestEnded(operation, outcome, (nowMs() - startedAtMs) / 1000);
      try {
        const decoded = decode(await transport.post(request));
        ended('ok');
        return decoded;
      } catch (error) {
        ended(outcomeOf(error));
        throw error;
      }
    });
}
