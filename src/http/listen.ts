import type { Server } from 'node:net';
import { ConfigError } from '../base/errors.ts';
import { whyNotListening } from '../base/shown.ts';

export interface ListenAddress {
  /** All interfaces when absent. */
  readonly host?: string | undefined;
  readonly port: number;
}

/** So many connections wait to be accepted: beyond it, the system makes newcomers try again after seconds. */
const MOST_WAITING = 4096;

/**
 * Resolves when the server listens.
 *
 * @param acceptFailed - called each time that the system cannot give a connection to the listening server
 * @throws ConfigError when the address cannot be listened on.
 */
export function listen(
  server: Server,
  { host = '', port }: ListenAddress,
  acceptFailed: (error: NodeJS.ErrnoException) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const refuse = (error: NodeJS.ErrnoException): void => {
      const why = whyNotListening(error, `${bracketed(host)}:${port}`, port);
      reject(new ConfigError([`--web.listen-address: ${why}`], { cause: error }));
    };
    server.once('error', refuse);
    server.listen({ port, backlog: MOST_WAITING, ...(host === '' ? {} : { host }) }, () => {
      // Without a listener, the error would end the program.
      server.off('error', refuse).on('error', acceptFailed);
      resolve();
    });
  });
}

/** Returns the host for a URL with which a person on this machine reaches the server. */
export function hostForPeople(host = ''): string {
  return ['', '0.0.0.0', '::'].includes(host) ? 'localhost' : bracketed(host);
}

/** Puts an IPv6 address into brackets, because it has colons of its own. */
function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
