import { type ChildProcess, spawn, type StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Observed } from './programs/observer.ts';

export const CLI = fileURLToPath(new URL('../../../dist/cli.js', import.meta.url));

/** What this program has started and has to end, however it ends itself. */
const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => process.exit(1));

/** A folder for this run. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'solar-bench-'));
  process.once('exit', () => rmSync(folder, { recursive: true }));
  return folder;
}

/** Returns the path of a program that a measurement starts beside itself. */
export function benchProgram(name: string): string {
  return fileURLToPath(new URL(`programs/${name}.js`, import.meta.url));
}

/** A program that was started and has said where it answers. */
export interface RunningProgram {
  readonly url: string;
  readonly environment: NodeJS.ProcessEnv;
  /** When it was started, and when it said its URL, in milliseconds since the epoch. */
  readonly spawnedAtMs: number;
  readonly readyAtMs: number;
  /** Resident memory in MiB, as the kernel counts it. */
  rssMebibytes(): number;
  /** Sends a word to a program that was started with a channel, and waits for its next message. */
  ask(word: string): Promise<unknown>;
  stop(): Promise<void>;
}

/** How a program is started. */
export interface StartOptions {
  readonly environment?: NodeJS.ProcessEnv;
  /** Whether it can be asked; a channel costs memory of its own. */
  readonly hasChannel?: boolean;
}

const WITHOUT_CHANNEL: StdioOptions = ['ignore', 'pipe', 'pipe'];
const WITH_CHANNEL: StdioOptions = ['ignore', 'pipe', 'pipe', 'ipc'];

/** Starts the built command line and waits until a line on stdout or stderr holds its URL. */
export function startCli(
  args: readonly string[],
  environment: NodeJS.ProcessEnv = {},
): Promise<RunningProgram> {
  return startNode([CLI, ...args], { environment });
}

/** An exporter or a service that tells what it used and was asked. */
export interface ObservedProgram extends RunningProgram {
  /** What it was seen to do while `work` ran. */
  during(work: () => Promise<unknown>): Promise<Observed>;
}

/** Starts the built command line like {@link startCli}, and observes it. */
export async function startObserved(
  args: readonly string[],
  environment: NodeJS.ProcessEnv = {},
): Promise<ObservedProgram> {
  const load = ['--import', benchProgram('observer')];
  const program = await startNode([...load, CLI, ...args], { environment, hasChannel: true });
  return {
    ...program,
    during: async (work) => {
      await program.ask('begin');
      await work();
      return (await program.ask('end')) as Observed;
    },
  };
}

export const SERVE = ['serve', '--web.listen-address=127.0.0.1:0'];

/** How a simulated service with so many devices is started. */
export const simulate = (devices: number): readonly string[] => [
  'simulate',
  '--simulator.listen-address=127.0.0.1:0',
  `--simulator.devices=${devices}`,
];

/** Starts Node.js with these arguments and waits until it says a URL. */
export async function startNode(
  args: readonly string[],
  { environment = {}, hasChannel = false }: StartOptions = {},
): Promise<RunningProgram> {
  const env = { PATH: process.env['PATH'], ...environment };
  const spawnedAtMs = nowMs();
  const stdio = hasChannel ? WITH_CHANNEL : WITHOUT_CHANNEL;
  const child = spawn(process.execPath, args, { env, stdio });
  running.add(child);
  child.once('exit', () => running.delete(child));
  const { url, exported } = await introduction(child);
  return {
    url,
    environment: exported,
    spawnedAtMs,
    readyAtMs: nowMs(),
    rssMebibytes: () => rssMebibytes(child.pid),
    ask: async (word) => {
      const answered = once(child, 'message');
      child.send(word);
      const [answer] = (await answered) as [unknown];
      return answer;
    },
    stop: async () => {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/** The time in milliseconds since the epoch, with fractions: the same in every process. */
export function nowMs(): number {
  return performance.timeOrigin + performance.now();
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
    let lastLine = '';
    const read = (line: string): void => {
      lastLine = line;
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
      const status = `status ${code ?? 'none'}`;
      reject(new Error(`the program ended with ${status} before it answered: ${lastLine}`));
    });
  });
}

function rssMebibytes(pid: number | undefined): number {
  const status = readFileSync(`/proc/${pid ?? 'self'}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
}
