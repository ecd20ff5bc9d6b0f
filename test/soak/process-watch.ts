import { readdirSync } from 'node:fs';
import { LiveResources } from './live-resources.ts';
import { type End, OpenSockets } from './open-sockets.ts';

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
