import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import { quantile } from '../result.ts';

// A process of its own, so that nothing shares its event loop: compares two servers by turns, and prints
// what each reached in every round.
const [, , ours = '', bare = '', encoding = '', roundMs = '', rounds = '', connections = ''] =
  process.argv;

/** One round of each server, one right after the other. */
export interface PairedRound {
  readonly ours: Round;
  readonly bare: Round;
}

const READ_BYTES = 256 * 1024;

/** What a server reached in one round. */
interface Round {
  readonly requestsPerSecond: number;
  readonly p99Ms: number;
}

/**
 * Asks over keep-alive connections, each with one request under way, and times every answer. Speaks just
 * enough HTTP to count: every answer has to have the length of the first. Keeps nothing of what it reads.
 */
async function load(address: string): Promise<Round> {
  const url = new URL(address);
  const request = `GET ${url.pathname} HTTP/1.1\r\nHost: ${url.host}\r\nAccept-Encoding: ${encoding}\r\n\r\n`;
  const clients = Array.from({ length: Number(connections) }, () => new LoadClient(url, request));
  await Promise.all(clients.map((client) => client.open()));
  const startedAtMs = performance.now();
  const answers = await Promise.all(
    clients.map((it) => it.askUntil(startedAtMs + Number(roundMs))),
  );
  const tookMs = performance.now() - startedAtMs;
  for (const client of clients) client.close();
  const latencies = answers.flat();
  return {
    requestsPerSecond: (latencies.length * 1000) / tookMs,
    p99Ms: quantile(latencies, 0.99),
  };
}

/** One connection. */
class LoadClient {
  readonly #socket: Socket;
  readonly #request: string;
  #onRead: (bytes: number, buffer: Buffer) => void = () => undefined;
  #answerBytes = Number.NaN;

  constructor(url: URL, request: string) {
    this.#request = request;
    this.#socket = connect({
      host: url.hostname,
      port: Number(url.port),
      noDelay: true,
      onread: {
        buffer: Buffer.alloc(READ_BYTES),
        callback: (bytes, buffer) => {
          this.#onRead(bytes, buffer as Buffer);
          return true;
        },
      },
    });
  }

  /** Connects, and learns from a first answer how long all are. */
  async open(): Promise<void> {
    await once(this.#socket, 'connect');
    this.#answerBytes = await this.#firstAnswerBytes();
  }

  /** Returns the milliseconds that each answer took. */
  askUntil(endsAtMs: number): Promise<readonly number[]> {
    const latencies: number[] = [];
    let received = 0;
    return new Promise((resolve, reject) => {
      this.#socket.once('error', reject);
      let askedAtMs = performance.now();
      this.#onRead = (bytes) => {
        received += bytes;
        if (received < this.#answerBytes) return;
        received = 0;
        const nowMs = performance.now();
        latencies.push(nowMs - askedAtMs);
        if (nowMs >= endsAtMs) {
          resolve(latencies);
          return;
        }
        askedAtMs = nowMs;
        this.#socket.write(this.#request);
      };
      this.#socket.write(this.#request);
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  /** The length of a whole answer, headers included. */
  #firstAnswerBytes(): Promise<number> {
    let head = '';
    let received = 0;
    return new Promise((resolve, reject) => {
      this.#socket.once('error', reject);
      this.#onRead = (bytes, buffer) => {
        received += bytes;
        if (!head.includes('\r\n\r\n')) head += buffer.toString('latin1', 0, bytes);
        const headBytes = head.indexOf('\r\n\r\n') + 4;
        const [, bodyBytes] = /content-length: (\d+)/i.exec(head.slice(0, headBytes)) ?? [];
        if (headBytes >= 4 && received >= headBytes + Number(bodyBytes)) resolve(received);
      };
      this.#socket.write(this.#request);
    });
  }
}

async function pairedRound(isBareFirst: boolean): Promise<PairedRound> {
  if (!isBareFirst) return { ours: await load(ours), bare: await load(bare) };
  const first = await load(bare);
  return { ours: await load(ours), bare: first };
}

// The first round of each warms up both servers and this program.
await pairedRound(false);
const measured: PairedRound[] = [];
for (let round = 0; round < Number(rounds); round += 1)
  measured.push(await pairedRound(round % 2 === 1));
process.stdout.write(JSON.stringify(measured));
