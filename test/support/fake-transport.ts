import type { PostRequest, Transport } from '../../src/client/transport.ts';

/** A service without a network: every request is recorded, and `answer` says what comes back. */
export class FakeTransport implements Transport {
  readonly requests: PostRequest[] = [];
  /** Returns the parsed JSON of the answer, or throws what the transport would. */
  answer: (request: PostRequest) => unknown;

  constructor(answer: (request: PostRequest) => unknown = () => ({ code: 0 })) {
    this.answer = answer;
  }

  /** The bodies sent so far, parsed. */
  get bodies(): unknown[] {
    return this.requests.map(({ body }) => JSON.parse(body) as unknown);
  }

  async post(request: PostRequest): Promise<unknown> {
    this.requests.push(request);
    return await this.answer(request);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
