#!/usr/bin/env node
import { fstatSync, writeSync } from 'node:fs';
import process from 'node:process';
import { createLog, LogDestination } from './base/log.ts';
import { readTextFile } from './base/text-file.ts';
import { systemRuntime } from './base/clock.ts';
import { VERSION } from './base/version.ts';
import { run } from './commands/run.ts';

/** From the first request to stop to the end, whatever still hangs. */
const DRAIN_MS = 4500;
const EXIT_INTERRUPTED = 130;
const EXIT_HUNG_UP = 129;

/** What the first signal does while a command lasts; every other signal ends the program at once. */
let askToStop: (() => void) | undefined;
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.on(signal, () => {
    if (askToStop === undefined) process.exit(EXIT_INTERRUPTED);
    askToStop();
    askToStop = undefined;
  });
}

// What is printed where nobody reads must not end the program; the log counts what it loses.
process.stderr.on('error', () => undefined);
process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
  if (code !== 'EPIPE') process.stderr.write(`solar-exporter: standard output: ${message}\n`);
  process.exit(code === 'EPIPE' ? 0 : 1);
});
const toStderr = (text: string, sent: (error?: Error | null) => void): void => {
  process.stderr.write(text, sent);
};
// The stream that Node.js makes of a file stays stuck after a write that failed.
const isStderrFile = fstatSync(2).isFile();
const toStderrFile = (text: string, sent: () => void): void => {
  writeSync(2, text);
  sent();
};

// Node.js would open its debugger, and with it this program's memory, to everybody on this machine.
process.on('SIGUSR1', () => undefined);

/** What the signal to reload does; without a command that can, it ends the program as always. */
let reload: (() => void) | undefined;
process.on('SIGHUP', () => {
  if (reload === undefined) process.exit(EXIT_HUNG_UP);
  reload();
});

// A command that only waits, for a device to answer say, has nothing open that keeps the program alive.
const awake = setInterval(() => undefined, 2 ** 30);
process.exitCode = await run(process.argv.slice(2), {
  env: process.env,
  readFile: readTextFile,
  out: (text) => void process.stdout.write(text),
  complain: (text) => void process.stderr.write(text),
  createLog: (level, format) => {
    const fallback = process.stderr.isTTY ? 'pretty' : 'json';
    const destination = new LogDestination(isStderrFile ? toStderrFile : toStderr);
    return createLog({ level, format: format ?? fallback, destination });
  },
  ask: process.stdin.isTTY && process.stdout.isTTY ? ask : undefined,
  stopRequested,
  onReloadRequested: (requested) => {
    reload = requested;
  },
  runtime: systemRuntime,
  build: {
    version: VERSION,
    revision: process.env['SOLAR_REVISION'] ?? 'unknown',
    nodeVersion: process.versions.node,
  },
});
clearInterval(awake);

async function ask(question: string): Promise<string> {
  const { createInterface } = await import('node:readline/promises');
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return await terminal.question(question);
  } catch {
    // Ctrl+C and Ctrl+D: no answer, and so no consent.
    process.stdout.write('\n');
    return '';
  } finally {
    terminal.close();
  }
}

/** Lets the first signal ask to stop. */
function stopRequested(endsItself = false): Promise<void> {
  return new Promise((resolve) => {
    askToStop = (): void => {
      if (!endsItself) setTimeout(() => process.exit(0), DRAIN_MS).unref();
      resolve();
    };
  });
}
