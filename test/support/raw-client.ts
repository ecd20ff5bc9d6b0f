import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** One answer of a connection that may carry several. */
export interface RawAnswer {
  readonly status: number;
  /** Status line and headers, as sent. */
  readonly head: string;
  readonly body: string;
}

/** Connects without any manners of its own; the socket does not outlive the test. */
export async function connectTo(url: string, allowHalfOpen = false): Promise<Socket> {
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', allowHalfOpen });
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  // Being thrown out is what these clients are for.
  socket.on('error', () => undefined);
  return socket;
}

/** Everything that comes until the connection is closed or broken; every byte is one character. */
export async function allOf(socket: Socket): Promise<string> {
  let received = '';
  socket.setEncoding('latin1').on('data', (text: string) => (received += text));
  socket.resume();
  // Also a connection that breaks ends with this, and what came before counts.
  if (!socket.closed) await new Promise((resolve) => socket.once('close', resolve));
  return received;
}

/** Sends these bytes (one per character) and reads until the server closes. */
export async function exchange(url: string, sent: string): Promise<string> {
  const socket = await connectTo(url);
  socket.write(sent, 'latin1');
  return allOf(socket);
}

/** Takes apart what one connection received; an answer to HEAD has no body whatever its length says. */
export function answersIn(received: string, isToHead = false): readonly RawAnswer[] {
  const answers: RawAnswer[] = [];
  for (let at = 0; at < received.length;) {
    const headEnd = received.indexOf('\r\n\r\n', at);
    const head = received.slice(at, headEnd);
    const [, status] = /^HTTP\/1\.1 (\d{3}) /.exec(head) ?? [];
    if (headEnd < 0 || status === undefined)
      throw new Error(`not an answer: ${received.slice(at, at + 80)}`);
    const length = Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? 0);
    const bodyAt = headEnd + 4;
    const bodyEnd = isToHead ? bodyAt : bodyAt + length;
    answers.push({ status: Number(status), head, body: received.slice(bodyAt, bodyEnd) });
    at = bodyEnd;
  }
  return answers;
}

/** The statuses of everything that one connection received. */
export function statusesIn(received: string): readonly number[] {
  return answersIn(received).map(({ status }) => status);
}

/** A request for a path, with further header lines. */
export function get(path: string, ...headers: readonly string[]): string {
  return [`GET ${path} HTTP/1.1`, 'Host: exporter', ...headers, '', ''].join('\r\n');
}

/** The header line that asks for the connection to be closed. */
export const CLOSE = 'Connection: close';
