import { readFileSync } from 'node:fs';
import { run } from '../../../src/commands/run.ts';
import { LogDestination } from '../../../src/base/log-destination.ts';
import { createLog } from '../../../src/base/pino-log.ts';
import { systemRuntime } from '../../../src/base/runtime.ts';

/** What a command printed, and how it ended. */
export interface Printed {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command as the program does, in this process: many of them in the time of one program. */
export async function runCommand(
  arguments_: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Printed> {
  const texts = { stdout: '', stderr: '' };
  const destination = new LogDestination((text, sent) => {
    texts.stderr += text;
    sent();
  });
  const status = await run(arguments_, {
    env,
    readFile: (path) => readFileSync(path, 'utf8'),
    out: (text) => (texts.stdout += text),
    complain: (text) => (texts.stderr += text),
    createLog: (level, format = 'json') => createLog({ level, format, destination }),
    ask: undefined,
    terminal: undefined,
    // Nobody asks it to.
    stopRequested: () => new Promise(() => undefined),
    onReloadRequested: () => undefined,
    runtime: systemRuntime,
    build: { version: '1.2.3', revision: 'test', nodeVersion: '20.0.0' },
  });
  return { status, ...texts };
}
