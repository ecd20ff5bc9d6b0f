import { type DestinationStream, pino } from 'pino';
import { ExporterError } from './errors.ts';
import type { ProgramLog } from './log.ts';
import type { LogDestination } from './log-destination.ts';

export interface LogOptions {
  readonly level: string;
  readonly format: 'json' | 'pretty';
  /** Where lines go; they are written before the call returns, so that a crash loses none. */
  readonly destination: LogDestination;
}

/** Makes the program's logger: one JSON object per line, or lines for people. */
export async function createLog({ level, format, destination }: LogOptions): Promise<ProgramLog> {
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

/** An error of ours is its code and message; of a cause, only the code: its text may quote an answer. */
function describeError(error: unknown): unknown {
  if (error instanceof ExporterError) {
    const { cause } = error;
    const reason = cause instanceof Error ? ('code' in cause ? cause.code : cause.name) : undefined;
    return { code: error.code, message: error.message, cause: reason };
  }
  // A bug of ours: only the stack helps.
  return error instanceof Error
    ? { name: error.name, message: error.message, stack: error.stack }
    : { message: String(error) };
}
