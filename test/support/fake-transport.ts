import type {
  ServiceAnswer,
  ServiceRequest,
  Transport,
} from '../../src/client/exchange/transport.ts';

/** A service without a network: every request is recorded, and `answer` says what comes back. */
export class FakeTransport implements Transport {
  readonly isSimulated = false;
  readonly requests: ServiceRequest[] = [];
  /** Returns the parsed JSON of the answer, or throws what the transport would. */
  answer: (request: ServiceRequest) => unknown;
  /** Dates the answers; they have no date when left out. */
  date: (() => number) | undefined;

  constructor(answer: (request: ServiceRequest) => unknown = () => ({ code: 0 })) {
    this.answer = answer;
  }

  /** The bodies sent so far, parsed. */
  get bodies(): unknown[] {
    return this.requests.map(({ body }) => body && (JSON.parse(body) as unknown));
  }

  async send(request: ServiceRequest): Promise<ServiceAnswer> {
    this.requests.push(request);
    const payload = await this.answer(request);
    return { payload, dateMs: this.date?.() };
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
