import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { performance } from 'node:perf_hooks';

const CONNECTIONS = 8;

/**
 * Requests per second that `url` answers over keep-alive connections, each with one request under way.
 * Speaks just enough HTTP to count: every answer has to have the length of the first.
 */
export async function requestsPerSecond(
  url: URL,
  acceptEncoding: string,
  durationMs: number,
): Promise<number> {
  const request = `GET ${url.pathname} HTTP/1.1\r\nHost: ${url.host}\r\nAccept-Encoding: ${acceptEncoding}\r\n\r\n`;
  const startedAtMs = performance.now();
  const endsAtMs = startedAtMs + durationMs;
  const counts = await Promise.all(
    Array.from({ length: CONNECTIONS }, () => countAnswers(url, request, endsAtMs)),
  );
  const answers = counts.reduce((sum, count) => sum + count, 0);
  return (answers * 1000) / (performance.now() - startedAtMs);
}

async function countAnswers(url: URL, request: string, endsAtMs: number): Promise<number> {
  const socket = connect(Number(url.port), url.hostname);
  await once(socket, 'connect');
  socket.setNoDelay(true);
  const answerBytes = await firstAnswerBytes(socket, request);
  let answers = 1;
  let received = 0;
  await new Promise<void>((resolve, reject) => {
    socket.on('error', reject);
    socket.on('data', (chunk: Buffer) => {
      received += chunk.length;
      if (received < answerBytes) return;
      received -= answerBytes;
      answers += 1;
      if (performance.now() < endsAtMs) socket.write(request);
      else resolve();
    });
    socket.write(request);
  });
  socket.destroy();
  return answers;
}

/** The length of a whole answer, headers included. */
async function firstAnswerBytes(socket: Socket, request: string): Promise<number> {
  let received = Buffer.alloc(0);
  return new Promise((resolve, reject) => {
    socket.on('error', reject);
    socket.on('data', function read(chunk: Buffer) {
      received = Buffer.concat([received, chunk]);
      const headerEnd = received.indexOf('\r\n\r\n');
      if (headerEnd < 0) return;
      const header = received.subarray(0, headerEnd).toString('latin1');
      const bytes = headerEnd + 4 + Number(/content-length: (\d+)/i.exec(header)?.[1]);
      if (received.length < bytes) return;
      socket.off('data', read);
      resolve(bytes);
    });
    socket.write(request);
  });
}
