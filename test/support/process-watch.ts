import { createHook } from 'node:async_hooks';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { readdirSync } from 'node:fs';
import type { Socket } from 'node:net';

/** What this process holds at one moment, beyond what it held when the watch began. */
export interface Held {
  /** Timers, also those that let the program end. */
  readonly timers: number;
  /** Connected sockets, idle ones included. */
  readonly sockets: number;
  /** Absent where the system does not tell. */
  readonly fileDescriptors: number | undefined;
  /** What keeps the program running, by kind. */
  readonly active: ReadonlyMap<string, number>;
}

/** Watches what this process holds beside memory. */
export class ProcessWatch {
  readonly #sockets = new OpenSockets();
  readonly #timers = new LiveResources('Timeout');
  readonly #fileDescriptorsBefore = countFileDescriptors();
  readonly #activeBefore = countActive();

  /** How many sockets connect to this port, or were accepted at it. */
  socketsAt(port: number, end: End): number {
    return this.#sockets.at(port, end);
  }

  held(): Held {
    const fileDescriptors = countFileDescriptors();
    return {
      timers: this.#timers.count,
      sockets: this.#sockets.total,
      fileDescriptors: fileDescriptors && fileDescriptors - (this.#fileDescriptorsBefore ?? 0),
      active: beyond(this.#activeBefore, countActive()),
    };
  }

  /** Ends the watch. */
  close(): void {
    this.#sockets.close();
    this.#timers.close();
  }
}

function countFileDescriptors(): number | undefined {
  try {
    return readdirSync('/proc/self/fd').length;
  } catch {
    return undefined; // only Linux has it
  }
}

function countActive(): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const kind of process.getActiveResourcesInfo())
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return counts;
}

function beyond(
  before: ReadonlyMap<string, number>,
  now: ReadonlyMap<string, number>,
): ReadonlyMap<string, number> {
  const more = [...now].map(([kind, count]) => [kind, count - (before.get(kind) ?? 0)] as const);
  return new Map(more.filter(([, count]) => count > 0));
}

/** Which end of a connection a socket is. */
export type End = 'client' | 'server';

const CHANNELS: Readonly<Record<End, string>> = {
  client: 'net.client.socket',
  server: 'net.server.socket',
};

/** Counts the sockets of this process that are open, idle or not, from now on. */
class OpenSockets {
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

/**
 * Counts what of one kind is alive in this process, from now on: also what lets the program end, which
 * `process.getActiveResourcesInfo` leaves out.
 */
class LiveResources {
  readonly #ids = new Set<number>();
  readonly #hook;

  /** @param kind - as `node:async_hooks` names it. */
  constructor(kind: string) {
    this.#hook = createHook({
      init: (id, initialized) => {
        if (initialized === kind) this.#ids.add(id);
      },
      destroy: (id) => this.#ids.delete(id),
    }).enable();
  }

  get count(): number {
    return this.#ids.size;
  }

  /** Takes no notice of further ones. */
  close(): void {
    this.#hook.disable();
  }
}
