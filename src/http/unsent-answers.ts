import type { ServerResponse } from 'node:http';
import type { Clock } from '../base/clock.ts';
import type { Connection } from './connection.ts';
import type { LimitLog } from './limit-log.ts';
import type { ServerLimits } from './server-limits.ts';

/** Why a wait for an answer to be taken ends early. */
const SENT = 'sent';

export interface UnsentAnswersOptions {
  readonly limits: Pick<ServerLimits, 'sendSilenceMs' | 'sendTimeoutMs' | 'maxUnsentBytes'>;
  readonly clock: Clock;
  readonly limitLog: LimitLog;
}

interface UnsentAnswer {
  readonly connection: Connection;
  readonly bytes: number;
}

/**
 * The answers that their clients have not taken yet. Each has a time in which it has to be taken, and all
 * together hold so many bytes: beyond that, the one that has been on its way for longest is given up.
 */
export class UnsentAnswers {
  readonly #options: UnsentAnswersOptions;
  /** In the order in which they were handed over. */
  readonly #answers = new Set<UnsentAnswer>();
  #bytes = 0;

  constructor(options: UnsentAnswersOptions) {
    this.#options = options;
  }

  /** Watches an answer that was just handed to the socket of its connection, until all of it is sent. */
  add(connection: Connection, response: ServerResponse, bytes: number): void {
    const answer = { connection, bytes };
    this.#answers.add(answer);
    this.#bytes += bytes;
    this.#watch(answer, response);
    this.#makeRoom(answer);
  }

  /** Gives up the answer that has been on its way for longest; returns whether there was one. */
  giveUpLongest(): boolean {
    const [longest] = this.#answers;
    if (longest === undefined) return false;
    this.#giveUp(longest);
    return true;
  }

  #watch(answer: UnsentAnswer, response: ServerResponse): void {
    const { limits, clock } = this.#options;
    const sent = new AbortController();
    response.once('close', () => {
      sent.abort(SENT); // a reason of its own, because the usual one costs a stack trace
      this.#forget(answer);
    });
    const late = (): void => this.#giveUpLate(answer);
    response.setTimeout(limits.sendSilenceMs, late);
    void clock.sleep(limits.sendTimeoutMs, sent.signal).then(late);
  }

  #giveUpLate(answer: UnsentAnswer): void {
    if (!this.#answers.has(answer)) return;
    const { limitLog } = this.#options;
    limitLog.reached('clients disconnected: they take their answers too slowly', {
      client: answer.connection.address,
    });
    this.#giveUp(answer);
  }

  /** Never gives up the newest answer: however large, it has to have its chance. */
  #makeRoom(newest: UnsentAnswer): void {
    const { limits, limitLog } = this.#options;
    for (const answer of this.#answers) {
      if (this.#bytes <= limits.maxUnsentBytes || answer === newest) return;
      limitLog.reached('clients disconnected: too many bytes wait to be taken by all of them', {
        client: answer.connection.address,
        maxBytes: limits.maxUnsentBytes,
      });
      this.#giveUp(answer);
    }
  }

  #giveUp(answer: UnsentAnswer): void {
    this.#forget(answer);
    answer.connection.reset();
  }

  #forget(answer: UnsentAnswer): void {
    if (this.#answers.delete(answer)) this.#bytes -= answer.bytes;
  }
}
