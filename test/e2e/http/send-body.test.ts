import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { connect as connectOver } from 'node:tls';
import { describe, expect, onTestFinished, test } from 'vitest';
import { sendBody } from '../../../src/http/send-body.ts';
import { pem } from '../../support/tls-harness.ts';

/** More than the buffers of the system take for one connection. */
const LARGE = Buffer.alloc(20_000_000, 'a');
const SMALL = Buffer.from('small\n');

/** Sends a body to a client that reads nothing; returns what was said of it, and the response. */
async function send(body: Buffer, isTls: boolean) {
  const server: Server = isTls
    ? createTlsServer({ cert: pem('server-rsa.pem'), key: pem('server-rsa.key') })
    : createServer();
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const options = { port: (server.address() as AddressInfo).port, host: '127.0.0.1' };
  const client: Socket = isTls
    ? connectOver({ ...options, rejectUnauthorized: false })
    : connect(options);
  onTestFinished(() => void client.destroy());
  client.on('error', () => undefined).pause();
  await once(client, isTls ? 'secureConnect' : 'connect');
  client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  const [, response] = (await once(server, 'request')) as [unknown, ServerResponse];
  response.setHeader('content-length', body.length);
  return { unsentBytes: sendBody(response, body), response };
}

describe('a large body', () => {
  test('is handed over as a whole in plain HTTP, and is counted until it is taken', async () => {
    const { unsentBytes, response } = await send(LARGE, false);
    expect(response.writableEnded).toBe(true);
    expect(unsentBytes).toBeGreaterThanOrEqual(LARGE.length);
  });

  test('is handed over in pieces with TLS, which keeps a copy of what the client has not taken', async () => {
    const { unsentBytes, response } = await send(LARGE, true);
    expect(response.writableEnded).toBe(false);
    expect(response.socket?.writableLength).toBeLessThan(200_000);
    expect(unsentBytes).toBe(LARGE.length);
  });
});

test('a small body is handed over as a whole, and is in the buffers of the system by then', async () => {
  const { unsentBytes, response } = await send(SMALL, false);
  expect(response.writableEnded).toBe(true);
  expect(unsentBytes).toBe(0);
});
