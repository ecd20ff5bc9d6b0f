import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

// A process of its own: abuses the server at an address in one way, for a bounded time, and ends.
const [, , address = '', kind = 'calm', durationMs = ''] = process.argv;
const { host, hostname, port } = new URL(address);
const abuseMs = Number(durationMs);
const endsAtMs = performance.now() + abuseMs;
let answers = 0;

const isOver = () => performance.now() >= endsAtMs;
const get = (path: string, ...headers: readonly string[]) =>
  [`GET ${path} HTTP/1.1`, `Host: ${host}`, ...headers, '', ''].join('\r\n');

function connection(): Socket {
  return connect({ port: Number(port), host: hostname }).on('error', () => undefined);
}

async function open(): Promise<Socket> {
  const socket = connection();
  socket.on('data', (chunk: Buffer) => {
    // Every packet that begins an answer counts.
    if (chunk.toString('latin1', 0, 5) === 'HTTP/') answers += 1;
  });
  await Promise.race([once(socket, 'connect'), once(socket, 'close')]).catch(() => undefined);
  return socket;
}

/** So many clients at once, each of which sends again and again; thrown out, it comes again. */
async function clients(count: number, everyMs: number, text: (turn: number) => string) {
  const run = async (first: number): Promise<void> => {
    await sleep((everyMs * first) / count); // spread over the interval, as real clients are
    let socket = await open();
    for (let turn = first; !isOver(); turn += count) {
      if (socket.destroyed || socket.readableEnded) socket = await open();
      if (socket.writableLength < 65_536) socket.write(text(turn));
      await sleep(everyMs);
    }
    socket.destroy();
  };
  await Promise.all(Array.from({ length: count }, (_, index) => run(index)));
}

/** So many clients that ask much, read nothing, and come again some time after they were disconnected. */
async function unread(count: number, text: string) {
  const run = async (index: number): Promise<void> => {
    await sleep((1000 * index) / count); // spread over a second, as in `clients`
    while (!isOver()) {
      const socket = connection().pause();
      socket.write(text);
      while (!isOver() && !socket.destroyed) {
        await sleep(1000);
        // It learns of its end by writing only; between requests, an empty line is nothing.
        socket.write('\r\n');
      }
      socket.destroy();
      await sleep(1500);
    }
  };
  const all = Promise.all(Array.from({ length: count }, (_, index) => run(index)));
  await Promise.race([all, sleep(abuseMs + 1000)]);
}

const basic = (turn: number) =>
  `Authorization: Basic ${Buffer.from(`prometheus:guess ${turn}`).toString('base64')}`;

const RUN: Readonly<Record<string, () => Promise<unknown>>> = {
  calm: () => sleep(abuseMs),
  slow: () => {
    const head = `GET /metrics HTTP/1.1\r\nHost: ${host}\r\nX-Slow: `;
    return clients(600, 500, (turn) => (turn < 600 ? head : 'x'));
  },
  guessing: () => clients(50, 20, (turn) => get('/metrics', basic(turn))),
  hoarding: () => clients(2000, 2000, () => get('/-/healthy')),
  unread: () => unread(300, get('/metrics')),
};

await RUN[kind]?.();
process.stdout.write(`${answers}\n`);
process.exit(); // with whatever is still open
