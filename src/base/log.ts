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
