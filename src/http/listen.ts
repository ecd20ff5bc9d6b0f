import type { Server } from 'node:net';
import { ConfigError } from '../base/errors.ts';

export interface ListenAddress {
  /** All interfaces when absent. */
  readonly host?: string | undefined;
  readonly port: number;
}

/**
 * Resolves when the server listens.
 *
 * @param acceptFailed - called each time that the system cannot give a connection to the listening server
 * @throws ConfigError when the address cannot be listened on.
 */
export function listen(
  server: Server,
  { host, port }: ListenAddress,
  acceptFailed: (error: NodeJS.ErrnoException) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const refuse = (error: NodeJS.ErrnoException): void =>
      reject(new ConfigError([describe(error, host, port)], { cause: error }));
    server.once('error', refuse);
    server.listen({ port, ...(host === undefined ? {} : { host }) }, () => {
      server.off('error', refuse);
      // Without a listener, the error would end the program.
      server.on('error', acceptFailed);
      resolve();
    });
  });
}

/** Returns the host for a URL with which a person on this machine reaches the server. */
export function hostForPeople(host: string | undefined): string {
  return host === undefined || host === '0.0.0.0' || host === '::' ? 'localhost' : bracketed(host);
}

function describe(error: NodeJS.ErrnoException, host = '', port: number): string {
  const given = `--web.listen-address: "${bracketed(host)}:${port}"`;
  if (error.code === 'EADDRINUSE')
    return `${given} is in use by another program; accepted: a free port`;
  return `${given} cannot be listened on (${error.code ?? error.message}); accepted: an address of this machine and a port it lets us have`;
}

/** Puts an IPv6 address into brackets, because it has colons of its own. */
function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
