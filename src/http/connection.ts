import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { TlsSettings } from './web-config/tls-settings.ts';

/** What becomes of a request when it is its turn; a refused one is the last of its connection. */
export type Turn = 'answer' | 'refuse';

export interface ConnectionOptions {
  /** The requests that may wait while one is answered; the one beyond that is the last. */
  readonly maxWaiting: number;
  /** The requests behind the last one that are dropped before the connection is closed at once. */
  readonly maxDropped: number;
  /** Called each time that no request is left. */
  readonly onIdle: (connection: Connection) => void;
  /** Called when more requests wait than may. */
  readonly onTooManyWaiting: (connection: Connection) => void;
}

interface Waiting {
  readonly response: ServerResponse;
  readonly take: (turn: Turn) => void;
  readonly turn: Turn;
}

/**
 * One connection, which answers one request at a time. Node.js sends answers in the order of the requests,
 * but it has all of them made as soon as it has read them, and keeps them for a client that reads none.
 */
export class Connection {
  /** The socket as it was accepted; with TLS, requests come through another one around it. */
  readonly socket: Socket;
  /** The address of the client; undefined when it has left already. */
  readonly address: string | undefined;
  /** The TLS settings that it began with. */
  readonly tls: TlsSettings | undefined;
  readonly #options: ConnectionOptions;
  readonly #waiting: Waiting[] = [];
  #isAnswering = false;
  #droppedCount = 0;

  constructor(socket: Socket, tls: TlsSettings | undefined, options: ConnectionOptions) {
    this.socket = socket;
    this.address = socket.remoteAddress;
    this.tls = tls;
    this.#options = options;
  }

  /** Whether every request was answered. */
  get isIdle(): boolean {
    return !this.#isAnswering;
  }

  /** Calls `take` when all requests before this one were answered; never if the connection ends before that. */
  add(response: ServerResponse, take: (turn: Turn) => void): void {
    const { maxWaiting, maxDropped, onTooManyWaiting } = this.#options;
    if (!this.#isAnswering) {
      this.#begin(response, take, 'answer');
    } else if (this.#waiting.length < maxWaiting) {
      this.#waiting.push({ response, take, turn: 'answer' });
    } else if (this.#waiting.length === maxWaiting) {
      this.#waiting.push({ response, take, turn: 'refuse' });
      onTooManyWaiting(this);
    } else {
      // Node.js keeps some 2 KB for every request that it has read, dropped or not.
      this.#droppedCount += 1;
      if (this.#droppedCount > maxDropped) this.reset();
    }
  }

  /** Closes the connection. An idle client still gets what is on its way; any other one gets nothing more. */
  close(): void {
    if (!this.isIdle) this.reset();
    this.socket.destroy();
  }

  /** Closes the connection at once; what the client has not taken is thrown away, also by the system. */
  reset(): void {
    if (this.socket.destroyed) return;
    // Alone, the first call waits until everything is sent, and the second one leaves that to the system.
    this.socket.resetAndDestroy();
    this.socket.destroy();
  }

  #begin(response: ServerResponse, take: Waiting['take'], turn: Turn): void {
    this.#isAnswering = true;
    // A response closes once, so that the listener need not be wrapped and removed again.
    response.on('close', this.#next);
    take(turn);
  }

  /** The same function for every response of the connection. */
  readonly #next = (): void => {
    const next = this.#waiting.shift();
    // A response without a socket comes after one that closes the connection: nobody would receive it.
    if (next !== undefined && next.response.socket !== null) {
      // The time-out of the answer before still runs, and is none for an answer that has to be made.
      next.response.setTimeout(0);
      this.#begin(next.response, next.take, next.turn);
      return;
    }
    this.#waiting.length = 0;
    this.#isAnswering = false;
    this.#options.onIdle(this);
  };
}
