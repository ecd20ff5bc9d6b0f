import { subscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';

// Loaded into the simulated service before it starts: notes every request and, asked over the channel for
// anything, tells what came since it was last asked.

/** A request that the service answered, in milliseconds since the epoch. */
export interface ObservedRequest {
  readonly path: string;
  readonly startedAtMs: number;
  readonly endedAtMs: number;
}

const nowMs = (): number => performance.timeOrigin + performance.now();
const startedAtMs = new WeakMap<IncomingMessage, number>();
let observed: ObservedRequest[] = [];

subscribe('http.server.request.start', (message) => {
  startedAtMs.set((message as { request: IncomingMessage }).request, nowMs());
});
subscribe('http.server.response.finish', (message) => {
  const { request } = message as { request: IncomingMessage };
  observed.push({
    path: new URL(request.url ?? '', 'http://service').pathname,
    startedAtMs: startedAtMs.get(request) ?? Number.NaN,
    endedAtMs: nowMs(),
  });
});

process.on('message', () => {
  process.send?.(observed);
  observed = [];
});
process.channel?.unref();
