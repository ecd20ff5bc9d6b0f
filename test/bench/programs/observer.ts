import { subscribe } from 'node:diagnostics_channel';
import { monitorEventLoopDelay } from 'node:perf_hooks';

// Loaded into a program before it starts. Asked over the channel to `begin`, it counts from then on;
// asked to `end`, it tells what it counted.

/** What a program used and answered between two questions. */
export interface Observed {
  /** User and system time of all threads. */
  readonly cpuMs: number;
  /** How long the event loop was kept from its next turn. */
  readonly delayMaxMs: number;
  /** The requests that it answered. */
  readonly requests: number;
}

/** How often the delay is looked at; a shorter stall is not seen, and nothing is said of one. */
const EVERY_MS = 1;

const delay = monitorEventLoopDelay({ resolution: EVERY_MS });
let cpuAtBegin = process.cpuUsage();
let requests = 0;

subscribe('http.server.response.finish', () => (requests += 1));

process.on('message', (word) => {
  if (word === 'begin') {
    delay.reset();
    delay.enable();
    cpuAtBegin = process.cpuUsage();
    requests = 0;
    process.send?.('begun');
    return;
  }
  const { user, system } = process.cpuUsage(cpuAtBegin);
  delay.disable();
  const observed: Observed = {
    cpuMs: (user + system) / 1000,
    delayMaxMs: Math.max(0, delay.max / 1e6 - EVERY_MS),
    requests,
  };
  process.send?.(observed);
});
process.channel?.unref();
