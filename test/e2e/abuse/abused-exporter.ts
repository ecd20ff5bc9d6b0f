import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import { clientOf } from '../../support/running-server.ts';
import { readProcess } from '../../support/process-reading.ts';
import { eventually } from '../../support/eventually.ts';
import { credentialsFor, ScrapedPage, startService } from '../../doors/house.ts';
import { startServe } from '../../support/running-process.ts';

const HAS_PROC = existsSync('/proc/self/fd');

/** A real exporter that has something to say, and a scraper of it that keeps its connection. */
export async function startAbused(
  flags: readonly string[] = [],
  { devices = 1, headers = {} }: { devices?: number; headers?: Record<string, string> } = {},
) {
  const { simulator, serviceUrl } = await startService({ devicesPerStation: devices }, systemClock);
  const { exporter, url } = await startServe(
    [`--base-url=${serviceUrl}`, ...flags],
    credentialsFor(simulator),
  );
  const { ask } = clientOf({ url });

  /** Scrapes, and expects the page of a healthy exporter. */
  const expectServed = async () => {
    const { status, body } = await ask('/metrics', { headers });
    const page = new ScrapedPage(status ?? 0, String(body));
    expect(page.status).toBe(200);
    expect(page.value('solar_up')).toBe(1);
    expect(page.all('solar_device_reporting')).toHaveLength(devices);
    return page.text;
  };
  // A busy machine may need more than one scrape to read many devices.
  await eventually(expectServed);
  return { exporter, url, ask, expectServed, ...watchOpenFiles() };
}

/** Watches the open files of the exporter that this process has started. */
export function watchOpenFiles() {
  const pid = HAS_PROC ? pidOfExporter() : undefined;
  const count = (): number => (pid === undefined ? 0 : readProcess(pid).fileDescriptors);
  const before = count();
  return {
    /** Waits until it holds so many connections more than at first. */
    expectHeld: async (connections: number) => {
      // One that leads to the service may have been closed since.
      const least = pid === undefined ? 0 : before + connections - 2;
      await eventually(() => expect(count()).toBeGreaterThanOrEqual(least));
    },
    /** Waits until it holds no more than at first. */
    expectReleased: () => eventually(() => expect(count()).toBeLessThanOrEqual(before)),
  };
}

function pidOfExporter(): number {
  const pids = readdirSync('/proc').map(Number).filter(Number.isInteger);
  const found = pids.filter((pid) => {
    const [parent, words] = [textOf(pid, 'status'), textOf(pid, 'cmdline')];
    return parent.includes(`\nPPid:\t${process.pid}\n`) && words.includes('\0serve\0');
  });
  const [pid] = found;
  if (pid === undefined || found.length > 1) throw new Error('one exporter has to run');
  return pid;
}

/** What the system tells of a process; nothing when it has ended. */
function textOf(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    return '';
  }
}
