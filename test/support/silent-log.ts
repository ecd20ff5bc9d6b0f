import {
  createLog,
  LogDestination,
  type Logger,
  type LogLine,
  type ProgramLog,
} from '../../src/base/log.ts';

/** What a log call was given. */
export interface LoggedLine {
  readonly level: keyof Logger;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly message: string;
}

/** A logger that prints nothing and remembers every line. */
export class SilentLog implements ProgramLog {
  readonly lines: LoggedLine[] = [];
  readonly debug = this.#recorder('debug');
  readonly info = this.#recorder('info');
  readonly warn = this.#recorder('warn');
  readonly error = this.#recorder('error');

  /** Nothing: every line is remembered, whatever its level. */
  readonly setLevel = (): void => undefined;

  readonly droppedLines = (): number => 0;

  /** The messages of one level, in order. */
  messages(level: keyof Logger): string[] {
    return this.lines.filter((line) => line.level === level).map(({ message }) => message);
  }

  /** All lines as the program writes them. */
  async written(): Promise<string> {
    let text = '';
    const destination = new LogDestination((line, sent) => {
      text += line;
      sent();
    });
    const log = await createLog({ level: 'debug', format: 'json', destination });
    for (const { level, fields, message } of this.lines) log[level](fields, message);
    return text;
  }

  #recorder(level: keyof Logger): LogLine {
    return (fields, message) => this.lines.push({ level, fields, message });
  }
}
