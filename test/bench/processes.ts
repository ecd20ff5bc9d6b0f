import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const CLI = fileURLToPath(new URL('../../../dist/cli.js', import.meta.url));
/** What a program says once it answers: the service at the end of its introduction, all others their URL. */
const INTRODUCED = /"url":"(http[^"]+)"|Stop with|^(http\S+)\n/m;

/** What this program has started and has to end, however it ends itself. */
const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => process.exit(1));

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
  return startNode([CLI, ...args], environment);
}

export const SERVE = ['serve', '--web.listen-address=127.0.0.1:0'];

/** How a simulated service with so many devices is started. */
export const simulate = (devices: number): readonly string[] => [
  'simulate',
  '--simulator.listen-address=127.0.0.1:0',
  `--simulator.devices=${devices}`,
];

/** Starts Node.js with these arguments and waits until it answers. */
export async function startNode(args: readonly string[], environment: NodeJS.ProcessEnv = {}) {
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env['PATH'], ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
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
    /** User and system time of all threads, which the kernel counts in hundredths of a second. */
    cpuMs: () => {
      const [, , ...fields] = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(/\) | /);
      const [user, system] = fields.slice(11, 13).map(Number);
      return 10 * ((user ?? NaN) + (system ?? NaN));
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
