import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** What a process holds at one moment, as the kernel counts it. */
export interface ProcessReading {
  readonly rssKibibytes: number;
  readonly threads: number;
  readonly fileDescriptors: number;
  /** Those of the file descriptors that are sockets. */
  readonly sockets: number;
}

/** Reads `/proc`, which only Linux has. */
export function readProcess(pid: number): ProcessReading {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const targets = readdirSync(`/proc/${pid}/fd`).map((name) => targetOf(`/proc/${pid}/fd/${name}`));
  const open = targets.filter((target) => target !== undefined);
  return {
    rssKibibytes: Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]),
    threads: Number(/^Threads:\s+(\d+)$/m.exec(status)?.[1]),
    fileDescriptors: open.length,
    sockets: open.filter((target) => target.startsWith('socket:')).length,
  };
}

/** Where a file descriptor leads; absent when it was closed since it was listed. */
function targetOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}
