import { Worker } from 'node:worker_threads';
import type { Answer, Question } from './bcrypt-worker.js';

/** Compares passwords with bcrypt hashes. */
export interface PasswordVerifier {
  verify(password: string, hash: string): Promise<boolean>;
  stop(): Promise<void>;
}

interface Waiting {
  readonly resolve: (isRight: boolean) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Compares passwords in a thread of its own, started when first needed: bcrypt is slow on purpose, and
 * scrapes must not wait for it.
 */
export class PasswordWorker implements PasswordVerifier {
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #lastId = 0;

  verify(password: string, hash: string): Promise<boolean> {
    const id = (this.#lastId += 1);
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      const question: Question = { id, password, hash };
      (this.#worker ??= this.#start()).postMessage(question);
    });
  }

  async stop(): Promise<void> {
    // The connections of the clients that still wait are closed already.
    for (const { resolve } of this.#waiting.values()) resolve(false);
    this.#waiting.clear();
    await this.#worker?.terminate();
  }

  #start(): Worker {
    // The environment may hold secrets, and the thread needs nothing of it.
    const worker = new Worker(new URL('bcrypt-worker.js', import.meta.url), {
      env: {},
      execArgv: [],
    });
    let reason: unknown = new Error('the thread that compares passwords has ended');
    worker.on('message', ({ id, isRight }: Answer) => {
      this.#waiting.get(id)?.resolve(isRight);
      this.#waiting.delete(id);
    });
    worker.on('error', (error) => (reason = error));
    worker.on('exit', () => {
      this.#worker = undefined;
      const abandoned = [...this.#waiting.values()];
      this.#waiting.clear();
      for (const { reject } of abandoned) reject(reason);
    });
    worker.unref();
    return worker;
  }
}
