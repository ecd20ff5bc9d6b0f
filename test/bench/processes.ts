import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Observed } from './programs/observer.ts';

const CLI = fileURLToPath(new URL('../../../dist/cli.js', import.meta.url));
/** What a program says once it answers: the service at the end of its introduction, all others their URL. */
const INTRODUCED = /"url":"(http[^"]+)"|Stop with|^(http\S+)\n/m;

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

/** A program that was started and answers. */
export type RunningProgram = Awaited<ReturnType<typeof startNode>>;

/** Starts the built command line. */
export function startCli(
  args: readonly string[],
  environment: NodeJS.ProcessEnv = {},
): Promise<RunningProgram> {
  return startNode([CLI, ...args], { environment });
}

/** Starts the built command line like {@link startCli}, and tells what it was seen to do while `work` ran. */
export async function startObserved(args: readonly string[], environment: NodeJS.ProcessEnv = {}) {
  const load = ['--import', benchProgram('observer')];
  const program = await startNode([...load, CLI, ...args], { environment, hasChannel: true });
  const during = async (work: () => Promise<unknown>): Promise<Observed> => {
    await program.ask('begin');
    await work();
    return (await program.ask('end')) as Observed;
  };
  return { ...program, during };
}

export const SERVE = ['serve', '--web.listen-address=127.0.0.1:0'];

/** How a simulated service with so many devices is started. */
export const simulate = (devices: number): readonly string[] => [
  'simulate',
  '--simulator.listen-address=127.0.0.1:0',
  `--simulator.devices=${devices}`,
];

/** Starts Node.js with these arguments and waits until it answers; a channel costs memory of its own. */
export async function startNode(
  args: readonly string[],
  {
    environment = {},
    hasChannel = false,
  }: { readonly environment?: NodeJS.ProcessEnv; readonly hasChannel?: boolean } = {},
) {
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env['PATH'], ...environment },
    stdio: ['ignore', 'pipe', 'pipe', hasChannel ? 'ipc' : 'ignore'],
  });
  running.add(child);
  child.once('exit', () => running.delete(child));
  const said = await introduction(child);
  const [, ofExporter, ofOthers = ''] = INTRODUCED.exec(said) ?? [];
  const exports = said.matchAll(/^\s*export (\w+)=(\S*)/gm);
  return {
    url: ofExporter ?? ofOthers,
    /** The variables that it tells a person to export. */
    environment: Object.fromEntries([...exports].map(([, name = '', value]) => [name, value])),
    /** Resident memory in MiB, as the kernel counts it. */
    rssMebibytes: () => {
      const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
      return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
    },
    /** Sends a word to a program that was started with a channel, and waits for its next message. */
    ask: async (word: string): Promise<unknown> => {
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

/** All that a program prints until it has introduced itself. */
async function introduction(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = '';
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => {
        if (INTRODUCED.test(said)) return;
        said += text;
        if (INTRODUCED.test(said)) resolve(said);
      });
    child.once('exit', (code) => reject(new Error(`ended with status ${code}: ${said}`)));
  });
}
