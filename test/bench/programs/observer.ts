import { subscribe } from 'node:diagnostics_channel';

// Loaded into a program before it starts. Asked over the channel to `begin`, it counts from then on;
// asked to `end`, it tells what it counted.

/** What a program used and answered between two questions. */
export interface Observed {
  /** User and system time of all threads. */
  readonly cpuMs: number;
  /** The requests that it answered. */
  readonly requests: number;
}

let cpuAtBegin = process.cpuUsage();
let requests = 0;

subscribe('http.server.response.finish', () => (requests += 1));

process.on('message', (word) => {
  if (word === 'begin') {
    cpuAtBegin = process.cpuUsage();
    requests = 0;
    process.send?.('begun');
    return;
  }
  const { user, system } = process.cpuUsage(cpuAtBegin);
  const observed: Observed = { cpuMs: (user + system) / 1000, requests };
  process.send?.(observed);
});
process.channel?.unref();
