import { startTimer } from '../../base/clock.ts';

/** The status, the headers and the text of an answer. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: HttpHeaders;
  /** Empty for an answer that is an error by its status. */
  readonly text: string;
}

export type HttpHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** A request that has a connection. */
interface RunningRequest {
  abort(reason: Error): void;
}

/** A longer body of an error is not waited for; it ends with its connection. */
const MAX_ERROR_BYTES = 128 * 1024;

/**
 * Receives the answer of one request, piece by piece, as the HTTP library hands it over. A stream and an
 * abort signal for each request would cost more than all that is done with a small answer.
 */
export class AnswerReceiver {
  readonly answer: Promise<HttpAnswer>;
  #resolve: (answer: HttpAnswer) => void = () => undefined;
  #reject: (error: unknown) => void = () => undefined;
  readonly #stopTimer: () => void;
  #request: RunningRequest | undefined;
  #status = 0;
  #headers: HttpHeaders = {};
  #chunks: Buffer[] = [];
  #errorBytes = 0;
  #timedOut: Error | undefined;

  /** @param timeoutMs - the longest time until the last byte, counted from now. */
  constructor(timeoutMs: number) {
    this.answer = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.#stopTimer = startTimer(timeoutMs, () => this.#timeOut());
  }

  onRequestStart(request: RunningRequest): void {
    this.#request = request;
    // It waited for a connection for too long.
    if (this.#timedOut !== undefined) request.abort(this.#timedOut);
  }

  onResponseStart(_request: RunningRequest, status: number, headers: HttpHeaders): void {
    if (status < 200) return; // says only that the answer will come
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(request: RunningRequest, chunk: Buffer): void {
    if (!this.#isError) {
      this.#chunks.push(chunk);
      return;
    }
    this.#errorBytes += chunk.length;
    if (this.#errorBytes > MAX_ERROR_BYTES) request.abort(new Error('a long error is not read'));
  }

  onResponseEnd(): void {
    this.#end();
  }

  onResponseError(_request: RunningRequest | null, error: Error): void {
    this.#fail(error);
  }

  get #isError(): boolean {
    return this.#status >= 300;
  }

  #timeOut(): void {
    this.#timedOut = new DOMException('no complete answer in time', 'TimeoutError');
    this.#request?.abort(this.#timedOut);
    this.#fail(this.#timedOut);
  }

  /** Of an error, the status says enough, however its body ends. */
  #fail(error: Error): void {
    if (this.#isError) this.#end();
    else {
      this.#stopTimer();
      this.#chunks = [];
      this.#reject(error);
    }
  }

  #end(): void {
    this.#stopTimer();
    const text = textOf(this.#chunks);
    this.#chunks = [];
    this.#resolve({ status: this.#status, headers: this.#headers, text });
  }
}

const BYTE_ORDER_MARK = 0xfeff;

function textOf(chunks: readonly Buffer[]): string {
  const [first = Buffer.alloc(0)] = chunks;
  const text = (chunks.length > 1 ? Buffer.concat(chunks) : first).toString('utf8');
  return text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text;
}
