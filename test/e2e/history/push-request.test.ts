import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { gunzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { importUrl, metricsUrl, push, PushError } from '../../../src/history/push.ts';
import { createPushRequest } from '../../../src/history/push-request.ts';

interface Received {
  readonly path: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
}

/** Starts a database that answers as it is told; returns its address and what it received. */
async function startDatabase(answer: (response: ServerResponse) => void) {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const body: Buffer[] = [];
    request.on('data', (chunk: Buffer) => body.push(chunk));
    request.on('end', () => {
      const text = gunzipSync(Buffer.concat(body)).toString();
      received.push({ path: request.url, headers: request.headers, text });
      answer(response);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, received };
}

/** A clock that never waits, and that ends the patience of a push with its second pause. */
function impatientClock() {
  let nowMs = 0;
  return {
    nowMs: () => nowMs,
    sleep: () => {
      nowMs += 600_000;
      return Promise.resolve();
    },
  };
}

async function pushTo(base: string, lines: readonly string[]): Promise<unknown> {
  const url = importUrl(new URL(base));
  const request = createPushRequest(url, metricsUrl(url));
  try {
    await push(lines, request, url, { clock: impatientClock(), random: () => 0.5 });
    return 'taken';
  } catch (error) {
    return error;
  } finally {
    await request.close();
  }
}

test('sends compressed lines under the path of the database, with the user of the address', async () => {
  const { port, received } = await startDatabase((response) => response.writeHead(204).end());
  const base = `http://me%40home:p%3Aw@127.0.0.1:${port}/vm/?extra_label=a=b`;
  expect(await pushTo(base, ['a 1 1\n', 'b 2 2\n'])).toBe('taken');
  expect(received).toHaveLength(1);
  expect(received[0]).toMatchObject({
    path: '/vm/api/v1/import/prometheus?extra_label=a=b',
    text: 'a 1 1\nb 2 2\n',
    headers: {
      'content-encoding': 'gzip',
      authorization: `Basic ${Buffer.from('me@home:p:w').toString('base64')}`,
    },
  });
});

test('says what the database answered, and neither user nor password', async () => {
  const { port, received } = await startDatabase((response) => response.writeHead(401).end('no'));
  const error = await pushTo(`http://me:secret@127.0.0.1:${port}`, ['a 1 1\n']);
  expect(error).toBeInstanceOf(PushError);
  expect(error).toMatchObject({
    code: 'PUSH_REFUSED',
    message: `http://127.0.0.1:${port}/api/v1/import/prometheus: HTTP 401`,
  });
  expect(received).toHaveLength(1);
});

test('reads what the database says of itself, beside the path that takes lines', async () => {
  const server = createServer((request, response) => {
    const { authorization } = request.headers;
    response.writeHead(200).end(`${request.method} ${request.url} ${authorization}`);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const ask = async (base: string) => {
    const url = importUrl(new URL(base));
    const request = createPushRequest(url, metricsUrl(url));
    return request.readMetrics().finally(() => request.close());
  };
  expect(await ask(`http://me:secret@127.0.0.1:${port}/vm`)).toBe(
    `GET /vm/metrics Basic ${Buffer.from('me:secret').toString('base64')}`,
  );
  expect(await ask('http://127.0.0.1:1')).toBeUndefined();
});

test('sends again when the connection breaks, and says how it broke', async () => {
  const { port, received } = await startDatabase((response) => response.destroy());
  const error = await pushTo(`http://127.0.0.1:${port}`, ['a 1 1\n']);
  expect(error).toMatchObject({ code: 'PUSH_UNREACHABLE' });
  expect(String(error)).toMatch(/import\/prometheus: (UND_ERR_SOCKET|ECONNRESET)$/);
  expect(received.map(({ text }) => text)).toEqual(['a 1 1\n', 'a 1 1\n']);
});
