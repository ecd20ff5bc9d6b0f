import { createHook } from 'node:async_hooks';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { readdirSync } from 'node:fs';
import type { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { onTestFinished } from 'vitest';

setFlagsFromString('--expose-gc');
// Code that becomes hot is compiled, which takes more of the heap than any leak that is looked for: in a
// process that measures it, everything is interpreted.
for (const flag of ['--no-opt', '--no-sparkplug', '--no-use-osr', '--no-flush-bytecode'])
  setFlagsFromString(flag);
const collectGarbage = runInNewContext('gc') as () => void;

/** The bytes of this process's heap that are in use once there is no garbage in it. */
export async function liveHeapBytes(): Promise<number> {
  // What is finalized in one turn is let go of in the next.
  for (let turn = 0; turn < 2; turn += 1) {
    collectGarbage();
    await nextTurn();
  }
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

/** Watches from now on, until the test ends, what this process holds beside memory. */
export function watchProcess() {
  const sockets = { client: new Set<Socket>(), server: new Set<Socket>() };
  const stops = (['client', 'server'] as const).map((end) => {
    const listen = (message: unknown): void => {
      const { socket } = message as { readonly socket: Socket };
      sockets[end].add(socket);
      socket.once('close', () => sockets[end].delete(socket));
    };
    subscribe(`net.${end}.socket`, listen);
    return () => unsubscribe(`net.${end}.socket`, listen);
  });
  // Also what lets the program end, which `process.getActiveResourcesInfo` leaves out.
  const timers = new Set<number>();
  const hook = createHook({
    init: (id, kind) => {
      if (kind === 'Timeout') timers.add(id);
    },
    destroy: (id) => timers.delete(id),
  }).enable();
  const descriptorsBefore = countFileDescriptors();
  const activeBefore = process.getActiveResourcesInfo();
  onTestFinished(() => {
    hook.disable();
    for (const stop of stops) stop();
  });
  const countOf = (kind: string, kinds: readonly string[]): number =>
    kinds.filter((one) => one === kind).length;
  return {
    /** How many sockets connect to this port, or were accepted at it, idle ones included. */
    socketsAt: (port: number, end: 'client' | 'server'): number =>
      [...sockets[end]].filter(
        ({ localPort, remotePort }) => (end === 'client' ? remotePort : localPort) === port,
      ).length,
    /** What is held beyond what was held before: of what keeps the program running, how many of each kind. */
    held: () => {
      const active = process.getActiveResourcesInfo();
      const more = [...new Set(active)]
        .map((kind) => [kind, countOf(kind, active) - countOf(kind, activeBefore)] as const)
        .filter(([, count]) => count > 0);
      return {
        timers: timers.size,
        sockets: sockets.client.size + sockets.server.size,
        fileDescriptors: countFileDescriptors() - descriptorsBefore,
        active: new Map(more),
      };
    },
  };
}

function countFileDescriptors(): number {
  try {
    return readdirSync('/proc/self/fd').length;
  } catch {
    return 0; // only Linux has it
  }
}
