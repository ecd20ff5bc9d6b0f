import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Question } from './bcrypt-worker.js';

/** Compares passwords with bcrypt hashes, one at a time. */
export interface PasswordVerifier {
  verify(password: string, hash: string): Promise<boolean>;
  stop(): Promise<void>;
}

/**
 * Compares passwords in a thread of its own, started when first needed: bcrypt is slow on purpose, and
 * scrapes must not wait for it.
 */
export class PasswordWorker implements PasswordVerifier {
  #worker: Worker | undefined;

  /** Resolves to false when it is stopped meanwhile; rejects when the thread breaks. */
  async verify(password: string, hash: string): Promise<boolean> {
    const worker = (this.#worker ??= this.#start());
    const question: Question = { password, hash };
    worker.postMessage(question);
    const compared = new AbortController();
    const { signal } = compared;
    const outcomes = [once(worker, 'message', { signal }), once(worker, 'exit', { signal })];
    const [isRight] = (await Promise.race(outcomes)) as readonly unknown[];
    compared.abort();
    return isRight === true;
  }

  async stop(): Promise<void> {
    await this.#worker?.terminate();
  }

  #start(): Worker {
    // The environment may hold secrets, and the thread needs nothing of it.
    const options = { env: {}, execArgv: [] };
    const worker = new Worker(new URL('bcrypt-worker.js', import.meta.url), options);
    worker.once('exit', () => (this.#worker = undefined));
    worker.unref();
    return worker;
  }
}
