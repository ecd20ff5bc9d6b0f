import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';

/** Which end of a connection a socket is. */
export type End = 'client' | 'server';

const CHANNELS: Readonly<Record<End, string>> = {
  client: 'net.client.socket',
  server: 'net.server.socket',
};

/** Counts the sockets of this process that are open, idle or not, from now on. */
export class OpenSockets {
  readonly #open: Readonly<Record<End, Set<Socket>>> = { client: new Set(), server: new Set() };
  readonly #stop: readonly (() => void)[];

  constructor() {
    this.#stop = [this.#watch('client'), this.#watch('server')];
  }

  /** How many connect to or were accepted at this port. */
  at(port: number, end: End): number {
    return [...this.#open[end]].filter(
      ({ localPort, remotePort }) => (end === 'client' ? remotePort : localPort) === port,
    ).length;
  }

  /** How many there are of all ports, also those on their way. */
  get total(): number {
    return this.#open.client.size + this.#open.server.size;
  }

  /** Takes no notice of further ones. */
  close(): void {
    for (const stop of this.#stop) stop();
  }

  #watch(end: End): () => void {
    const sockets = this.#open[end];
    const listen = (message: unknown): void => {
      const { socket } = message as { readonly socket: Socket };
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
    };
    subscribe(CHANNELS[end], listen);
    return () => unsubscribe(CHANNELS[end], listen);
  }
}
