import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export const CLI = fileURLToPath(new URL('../../../dist/cli.js', import.meta.url));

/** A program that was started and has said where it answers. */
export interface RunningProgram {
  readonly url: string;
  readonly environment: NodeJS.ProcessEnv;
  /** Resident memory in MiB, as the kernel counts it. */
  rssMebibytes(): number;
  stop(): Promise<void>;
}

/** Starts the built command line and waits until a line on stdout or stderr holds its URL. */
export function startCli(
  args: readonly string[],
  environment: NodeJS.ProcessEnv = {},
): Promise<RunningProgram> {
  return startNode([CLI, ...args], environment);
}

/** Starts Node.js with these arguments and waits until it says a URL. */
export async function startNode(
  args: readonly string[],
  environment: NodeJS.ProcessEnv = {},
): Promise<RunningProgram> {
  const env = { PATH: process.env['PATH'], ...environment };
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const { url, exported } = await introduction(child);
  return {
    url,
    environment: exported,
    rssMebibytes: () => rssMebibytes(child.pid),
    stop: async () => {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/** The first URL a program prints, and the variables it tells a person to export after it. */
async function introduction(
  child: ChildProcess,
): Promise<{ url: string; exported: NodeJS.ProcessEnv }> {
  const exported: NodeJS.ProcessEnv = {};
  const { stdout, stderr } = child;
  if (stdout === null || stderr === null) throw new Error('the program has no output to read');
  return new Promise((resolve, reject) => {
    let url: string | undefined;
    const read = (line: string): void => {
      const [, name, value] = /^\s*export (\w+)=(\S*)/.exec(line) ?? [];
      if (name !== undefined) exported[name] = value;
      url ??= /http:\/\/[^\s"]+/.exec(line)?.[0];
      const isComplete = exported['SOLAR_BASE_URL'] === undefined || 'SOLAR_APP_SECRET' in exported;
      if (url !== undefined && isComplete && !line.includes('answers at'))
        resolve({ url, exported });
    };
    createInterface({ input: stdout }).on('line', read);
    createInterface({ input: stderr }).on('line', read);
    child.once('exit', (code) => {
      reject(new Error(`the program ended with status ${code ?? 'none'} before it answered`));
    });
  });
}

function rssMebibytes(pid: number | undefined): number {
  const status = readFileSync(`/proc/${pid ?? 'self'}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
}
