#!/usr/bin/env node
import { fstatSync, readFileSync, writeSync } from 'node:fs';
import process from 'node:process';
import { setFlagsFromString } from 'node:v8';

/** From the first request to stop to the end, whatever still hangs. */
const DRAIN_MS = 4500;
const EXIT_INTERRUPTED = 130;
const EXIT_HUNG_UP = 129;

// An exporter is idle most of its life, and often on a small machine: rather collect garbage a little
// more often than let the heap grow while modules load (16 MiB for good). It has to be said before the
// modules load, hence the imports below.
setFlagsFromString('--semi-space-growth-factor=1');
setFlagsFromString('--heap-growing-percent=60');
// The HTTP parser of undici is WebAssembly. V8 compiles it a second time, for speed, after a few answers, and
// the 30 MiB that this takes stay with the process. That has to wait until so many answers came that it pays.
setFlagsFromString('--wasm-tiering-budget=2147483647');
const { run } = await import('./commands/run.ts');
const { systemRuntime } = await import('./base/runtime.ts');
const { readTextFile } = await import('./base/text-file.ts');
const { growYoungGenerationUnderLoad } = await import('./base/young-generation.ts');
growYoungGenerationUnderLoad();

const { version } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
) as { version: string };

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
  createLog: async (level, format) => {
    const { createLog } = await import('./base/pino-log.ts');
    const { LogDestination } = await import('./base/log-destination.ts');
    const fallback = process.stderr.isTTY ? 'pretty' : 'json';
    const destination = new LogDestination(isStderrFile ? toStderrFile : toStderr);
    return createLog({ level, format: format ?? fallback, destination });
  },
  ask: process.stdin.isTTY && process.stdout.isTTY ? ask : undefined,
  terminal: process.stderr.isTTY ? process.stderr : undefined,
  stopRequested,
  onReloadRequested: (requested) => {
    reload = requested;
  },
  runtime: systemRuntime,
  build: {
    version,
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
