import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { deferred } from './deferred.ts';
import { PATIENCE_MS } from './eventually.ts';

export const CLI = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));

export interface Exit {
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
}

/**
 * A program that was started for a test and does not outlive it; as a group, also the programs that it starts get its
 * signals, and do not outlive the test either.
 */
export class RunningProcess {
  readonly exited: Promise<Exit>;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #isGroup: boolean;
  readonly #texts = { stdout: '', stderr: '' };
  readonly #changes = new Set<() => void>();

  constructor(
    command: string,
    arguments_: readonly string[],
    env: Readonly<Record<string, string>> = {},
    { folder, isGroup = false }: { readonly folder?: string; readonly isGroup?: boolean } = {},
  ) {
    // Nothing of the environment the tests run in: a SOLAR_ variable in it would count.
    const child = spawn(command, arguments_, {
      cwd: folder,
      detached: isGroup,
      env: { PATH: process.env['PATH'], ...env },
    });
    this.#child = child;
    this.#isGroup = isGroup;
    for (const stream of ['stdout', 'stderr'] as const)
      child[stream].setEncoding('utf8').on('data', (text: string) => {
        this.#texts[stream] += text;
        for (const changed of this.#changes) changed();
      });
    const exit = deferred<Exit>();
    child.once('error', exit.reject);
    child.once('close', (status, signal) => exit.resolve({ status, signal }));
    this.exited = exit.promise;
    onTestFinished(async () => {
      this.kill('SIGKILL');
      await this.exited;
    });
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  get stdout(): string {
    return this.#texts.stdout;
  }

  get stderr(): string {
    return this.#texts.stderr;
  }

  kill(signal: NodeJS.Signals): void {
    if (this.#isGroup) killGroup(this.#child, signal);
    else this.#child.kill(signal);
  }

  /** Sends keys to its standard input. */
  type(keys: string): void {
    this.#child.stdin.write(keys);
  }

  /** Resolves to the first group of a match as soon as it was printed; rejects when it can no longer be. */
  async printed(stream: 'stdout' | 'stderr', pattern: RegExp): Promise<string> {
    const found = deferred<string>();
    const look = (): void => {
      const match = pattern.exec(this.#texts[stream]);
      if (match !== null) found.resolve(match[1] ?? match[0]);
    };
    const missed = (why: string) => (): void =>
      found.reject(new Error(`${why} without ${String(pattern)}: ${this.stdout}${this.stderr}`));
    this.#changes.add(look);
    const patience = setTimeout(missed('time passed'), PATIENCE_MS);
    look();
    void this.exited.then(missed('it ended'), missed('it did not start'));
    try {
      return await found.promise;
    } finally {
      clearTimeout(patience);
      this.#changes.delete(look);
    }
  }
}

/** Runs `solar-exporter` as a person would, with nothing but this environment. */
export function startProgram(
  arguments_: readonly string[],
  env: Readonly<Record<string, string>> = {},
): RunningProcess {
  return new RunningProcess(process.execPath, [CLI, ...arguments_], env);
}

/** Runs `solar-exporter` at a terminal of its own, by way of the program `script`. */
export function startAtTerminal(
  arguments_: readonly string[],
  env: Readonly<Record<string, string>>,
): RunningProcess {
  const words = [process.execPath, CLI, ...arguments_].map((word) => `'${word}'`);
  return new RunningProcess('script', ['-qec', words.join(' '), '/dev/null'], env);
}

/** Runs `solar-exporter serve` on a free port; resolves when it listens. */
export async function startServe(
  arguments_: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<{ exporter: RunningProcess; url: string }> {
  const exporter = startProgram(['serve', '--web.listen-address=127.0.0.1:0', ...arguments_], env);
  return { exporter, url: await exporter.printed('stderr', /"url":"([^"]+)"/) };
}

/** Sends a signal to a program and to those that it has started, of which any may have ended. */
function killGroup({ pid, stdout }: ChildProcessWithoutNullStreams, signal: NodeJS.Signals): void {
  // Nobody holds its standard output any more, so the number may be another program's.
  if (pid === undefined || stdout.closed) return;
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
