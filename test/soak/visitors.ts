import { connect, type Socket } from 'node:net';
import { once } from 'node:events';

/** Does something to a connection that has been made, and leaves or is sent away. */
type Visit = (socket: Socket) => Promise<unknown>;

const VISITS: readonly Visit[] = [
  (socket) => left(socket),
  (socket) => left(socket, 'GET /metrics HTTP/1.1\r\nHo'),
  // Gone before the answer can be sent.
  (socket) => left(socket, request('/metrics')),
  (socket) => left(socket, request('/')),
  (socket) => answered(socket, request('/metrics', 'Accept-Encoding: gzip\r\n')),
  (socket) => answered(socket, request('/')),
  (socket) => answered(socket, request('/api/v1/status')),
  (socket) => answered(socket, request('/sd')),
  (socket) => answered(socket, request('/probe?target=nobody')),
  (socket) => answered(socket, request('/-/healthy')),
  (socket) => answered(socket, 'nonsense\r\n\r\n'),
];

/** Lets the next visitor come to the exporter, and resolves when that one has gone. */
export async function visit(url: string, turn: number): Promise<void> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  // Whoever leaves early may be told so.
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  await VISITS[turn % VISITS.length]?.(socket);
}

async function left(socket: Socket, words = ''): Promise<void> {
  await new Promise((resolve) => socket.write(words, resolve));
  socket.destroy();
}

async function answered(socket: Socket, words: string): Promise<void> {
  const closed = once(socket, 'close');
  socket.resume().write(words);
  await closed;
}

function request(path: string, headers = ''): string {
  return `GET ${path} HTTP/1.1\r\nHost: exporter\r\nConnection: close\r\n${headers}\r\n`;
}
