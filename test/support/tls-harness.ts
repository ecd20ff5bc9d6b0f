import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { openWebConfigFile } from '../../src/http/web-config.ts';
import { FakeClock } from './fake-clock.ts';
import { SilentLog } from './silent-log.ts';
import { startServer } from './running-server.ts';

const FOLDER = fileURLToPath(new URL('../fixtures/tls/', import.meta.url));

/** A certificate or key of the fixtures. */
export function pem(name: string): string {
  return readFileSync(`${FOLDER}${name}`, 'utf8');
}

/** Returns the certificate and the key of a client. */
export function identity(name: string): { readonly cert: string; readonly key: string } {
  return { cert: pem(`${name}.pem`), key: pem(`${name}.key`) };
}

/** Opens a web configuration that is a text in memory, beside the files of the fixtures. */
export async function openConfig(text: string) {
  const clock = new FakeClock();
  const log = new SilentLog();
  const reads: string[] = [];
  const outcomes: boolean[] = [];
  /** What is other than in the fixtures; undefined: is not there. */
  const files = new Map<string, string | undefined>([['web.yml', text]]);
  const webConfig = await openWebConfigFile('web.yml', {
    readFile: (path) => {
      reads.push(path);
      const content = files.has(path) ? files.get(path) : pem(path);
      if (content === undefined) throw Object.assign(new Error('absent'), { code: 'ENOENT' });
      return content;
    },
    log,
    ended: (isSuccess) => outcomes.push(isSuccess),
  });
  return {
    webConfig,
    outcomes,
    clock,
    log,
    files,
    /** The files that were read since. */
    reads: () => reads.splice(0),
    /** Writes the file anew, or another one. */
    change: (changed: string | undefined, name = 'web.yml') => void files.set(name, changed),
    /** Writes the file anew, and reads it as a reload does. */
    reload: (changed: string) => {
      files.set('web.yml', changed);
      webConfig.reread()();
    },
  };
}

/** The section about TLS, with more keys after those that have to be there. */
export function tlsSection(more = '', name = 'server-rsa'): string {
  const lines = ['tls_server_config:', `  cert_file: ${name}.pem`, `  key_file: ${name}.key`];
  return [...lines, ...more.split('\n').map((line) => `  ${line}`), ''].join('\n');
}

/** A server with this web configuration. */
export async function startSecured(
  text: string,
  options: Parameters<typeof startServer>[1] = {},
  routes: Parameters<typeof startServer>[0] = {},
) {
  const config = await openConfig(text);
  const { webConfig, log } = config;
  return { ...config, ...(await startServer(routes, { webConfig, log, ...options })), log };
}

/** Connects and shakes hands; rejects when the server refuses. */
export async function shakeHands(url: string, options: ConnectionOptions = {}): Promise<TLSSocket> {
  const socket = connect({
    host: '127.0.0.1',
    port: Number(new URL(url).port),
    // These tests do not check the identity of the server.
    rejectUnauthorized: false,
    ...options,
  });
  onTestFinished(() => void socket.destroy());
  await once(socket, 'secureConnect');
  return socket;
}

/** Returns the status line of an answer; rejects when there is none, as for a refused client. */
export async function askOver(socket: TLSSocket, path = '/-/healthy'): Promise<string> {
  socket.write(`GET ${path} HTTP/1.1\r\nHost: exporter\r\n\r\n`);
  const [first] = await Promise.race([
    once(socket, 'data') as Promise<[Buffer]>,
    once(socket, 'close').then(() => {
      throw new Error('closed without an answer');
    }),
  ]);
  return String(first).split('\r\n', 1)[0] ?? '';
}
