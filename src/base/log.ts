/** One structured line per change of state; never a secret. */
export type LogLine = (fields: Readonly<Record<string, unknown>>, message: string) => void;

/** The part of a logger that the program uses. */
export interface Logger {
  readonly debug: LogLine;
  readonly info: LogLine;
  readonly warn: LogLine;
  readonly error: LogLine;
}

/** The logger of the program, which can be told to say more or less. */
export interface ProgramLog extends Logger {
  readonly setLevel: (level: string) => void;
  /** How many lines could not be written. */
  readonly droppedLines: () => number;
}

/** Returns a logger whose every line has these fields, before its own. */
export function withFields(log: Logger, fields: Readonly<Record<string, unknown>>): Logger {
  const line =
    (level: keyof Logger): LogLine =>
    (own, message) =>
      log[level]({ ...fields, ...own }, message);
  return {
    debug: line('debug'),
    info: line('info'),
    warn: line('warn'),
    error: line('error'),
  };
}
