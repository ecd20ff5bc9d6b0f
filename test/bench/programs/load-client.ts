import { once } from 'node:events';
import { connect } from 'node:net';

// A process of its own, so that nothing shares its event loop: compares two servers by turns, and prints
// what each reached in every round.
const [, , ours = '', bare = '', encoding = '', roundMs = '', rounds = '', connections = ''] =
  process.argv;

/** How many requests a second each server answered in one round of it, one right after the other. */
export interface PairedRound {
  readonly ours: number;
  readonly bare: number;
}

/**
 * Asks over keep-alive connections, each with one request under way, and counts the answers. Speaks just
 * enough HTTP to count: every answer has to have the length of the first. Keeps nothing of what it reads.
 */
async function load(address: string): Promise<number> {
  const clients = await Promise.all(
    Array.from({ length: Number(connections) }, () => openClient(new URL(address))),
  );
  const startedAtMs = performance.now();
  const endsAtMs = startedAtMs + Number(roundMs);
  const answers = await Promise.all(clients.map(({ askUntil }) => askUntil(endsAtMs)));
  const tookMs = performance.now() - startedAtMs;
  for (const { socket } of clients) socket.destroy();
  return (answers.reduce((all, each) => all + each, 0) * 1000) / tookMs;
}

/** Connects, and learns from a first answer how long all are. */
async function openClient({ hostname, port, pathname, host }: URL) {
  const request = `GET ${pathname} HTTP/1.1\r\nHost: ${host}\r\nAccept-Encoding: ${encoding}\r\n\r\n`;
  let onRead: (bytes: number, buffer: Buffer) => void = () => undefined;
  const callback = (bytes: number, buffer: Uint8Array): boolean => {
    onRead(bytes, buffer as Buffer);
    return true;
  };
  const onread = { buffer: Buffer.alloc(256 * 1024), callback };
  const socket = connect({ host: hostname, port: Number(port), noDelay: true, onread });
  await once(socket, 'connect');
  const answerBytes = await new Promise<number>((resolve, reject) => {
    let head = '';
    let received = 0;
    socket.once('error', reject);
    onRead = (bytes, buffer) => {
      received += bytes;
      if (!head.includes('\r\n\r\n')) head += buffer.toString('latin1', 0, bytes);
      const headBytes = head.indexOf('\r\n\r\n') + 4;
      const [, bodyBytes] = /content-length: (\d+)/i.exec(head.slice(0, headBytes)) ?? [];
      if (headBytes >= 4 && received >= headBytes + Number(bodyBytes)) resolve(received);
    };
    socket.write(request);
  });
  /** Resolves to the number of answers. */
  const askUntil = (endsAtMs: number): Promise<number> =>
    new Promise((resolve, reject) => {
      let answers = 0;
      let received = 0;
      socket.once('error', reject);
      onRead = (bytes) => {
        received += bytes;
        if (received < answerBytes) return;
        received = 0;
        answers += 1;
        if (performance.now() < endsAtMs) socket.write(request);
        else resolve(answers);
      };
      socket.write(request);
    });
  return { socket, askUntil };
}

// The first round of each warms up both servers and this program; then each server is first by turns.
const measured: PairedRound[] = [];
for (let round = 0; round <= Number(rounds); round += 1) {
  const isBareFirst = round % 2 === 0;
  const first = await load(isBareFirst ? bare : ours);
  const second = await load(isBareFirst ? ours : bare);
  if (round > 0)
    measured.push(isBareFirst ? { ours: second, bare: first } : { ours: first, bare: second });
}
process.stdout.write(JSON.stringify(measured));
