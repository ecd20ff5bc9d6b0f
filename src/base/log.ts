import { Writable } from 'node:stream';
import type { DestinationStream } from 'pino';
import { ExporterError, ServiceError } from './errors.ts';
import { remedyFor } from './remedies.ts';
import { escapedLines } from './shown.ts';

/** One structured line per change of state; never a secret. */
export type LogLine = (fields: Readonly<Record<string, unknown>>, message: string) => void;

/** The part of a logger that the program uses. */
export interface Logger {
  readonly debug: LogLine;
  readonly info: LogLine;
  readonly warn: LogLine;
  readonly error: LogLine;
}

/** The logger of the program, whose level can be changed. */
export interface ProgramLog extends Logger {
  readonly setLevel: (level: string) => void;
  /** How many lines could not be written. */
  readonly droppedLines: () => number;
}

/** Writes a text; reports by `sent` whether that worked, and may throw instead. */
export type SendText = (text: string, sent: (error?: Error | null) => void) => void;

/**
 * The destination of log lines. A full disk or a closed pipe must not end the program, so lines that cannot be
 * written are dropped and counted. Control characters are escaped, because a terminal must not obey names of
 * stations and devices, which come from the service.
 */
export class LogDestination extends Writable {
  readonly #send: SendText;
  #dropped = 0;
  /** How many lines were dropped since a line was last written. */
  #droppedInARow = 0;
  /** Called when a line could be written again, with the number that was dropped before it. */
  onRecovered: (dropped: number) => void = () => undefined;

  constructor(send: SendText) {
    super({ decodeStrings: false });
    this.#send = send;
  }

  get dropped(): number {
    return this.#dropped;
  }

  override _write(chunk: string | Buffer, _encoding: string, done: () => void): void {
    try {
      this.#send(escapedLines(String(chunk)), (error) => this.#ended(error == null));
    } catch {
      this.#ended(false);
    }
    done();
  }

  #ended(isWritten: boolean): void {
    if (!isWritten) {
      this.#dropped += 1;
      this.#droppedInARow += 1;
      return;
    }
    const dropped = this.#droppedInARow;
    this.#droppedInARow = 0;
    if (dropped > 0) this.onRecovered(dropped);
  }
}

export interface LogOptions {
  readonly level: string;
  readonly format: 'json' | 'pretty';
  /** Where lines go; they are written before the call returns, so that a crash loses none. */
  readonly destination: LogDestination;
}

/** Makes the program's logger: one JSON object per line, or lines for people. */
export async function createLog({ level, format, destination }: LogOptions): Promise<ProgramLog> {
  // Loaded on demand, because most commands log nothing.
  const { pino } = await import('pino');
  const stream = format === 'pretty' ? await prettyInto(destination) : destination;
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { err: describeError },
  };
  const log = pino(options, stream);
  destination.onRecovered = (dropped) =>
    log.warn({ dropped_lines: dropped }, 'the log could not be written for a while');
  return Object.assign(log, {
    setLevel: (name: string) => void (log.level = name),
    droppedLines: () => destination.dropped,
  });
}

async function prettyInto(destination: NodeJS.WritableStream): Promise<DestinationStream> {
  const { default: pretty } = await import('pino-pretty');
  return pretty({ destination, sync: true, translateTime: 'SYS:HH:MM:ss', colorize: false });
}

/** Describes an error of ours by code, message and remedy, and its cause only by code: its text may quote an answer. */
function describeError(error: unknown): unknown {
  if (error instanceof ExporterError) {
    const { cause } = error;
    const reason = cause instanceof Error ? ('code' in cause ? cause.code : cause.name) : undefined;
    const remedy = error instanceof ServiceError ? remedyFor(error) : undefined;
    return { code: error.code, message: error.message, cause: reason, remedy };
  }
  // Any other error is our bug: only the stack helps.
  return error instanceof Error
    ? { name: error.name, message: error.message, stack: error.stack }
    : { message: String(error) };
}
