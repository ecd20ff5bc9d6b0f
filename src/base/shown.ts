import { inspect } from 'node:util';
import { FileRefusedError } from './text-file.ts';

const LONGEST_SHOWN = 60;

/**
 * Characters that a terminal obeys instead of showing them: control characters, marks that change the direction of a
 * text, line separators, halves of surrogate pairs.
 */
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/gu;
/** The same without the line breaks that we write ourselves. */
const UNPRINTABLE_IN_LINES = /[^\P{C}\n]|[\p{Zl}\p{Zp}]/gu;

/** Replaces every character that a terminal would obey, so that a text of the service is one harmless line. */
export function printable(text: string): string {
  return text.replaceAll(UNPRINTABLE, '?');
}

/** Replaces every character that a terminal would obey, except for line breaks. */
export function printableLines(text: string): string {
  return text.replaceAll(UNPRINTABLE_IN_LINES, '?');
}

/** Escapes, as JSON does, every character that a terminal would obey, except for line breaks. */
export function escapedLines(text: string): string {
  const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  // Some characters are two UTF-16 units.
  return text.replaceAll(UNPRINTABLE_IN_LINES, (found) => found.split('').map(escaped).join(''));
}

/** Cuts a long text to 60 characters. */
export function cut(text: string): string {
  return text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text;
}

/** Shows a text inside a sentence: escaped, and cut to 60 characters. */
export function quote(text: string): string {
  return toJsonLine(cut(text));
}

/** Writes a value as JSON that a terminal shows as one line. */
export function toJsonLine(value: unknown): string {
  // JSON escapes only some of the characters that a terminal obeys.
  return escapedLines(JSON.stringify(value));
}

/** Says why a file could not be read: our own reason, else the system's code, never its content. */
export function readFailure(error: unknown): string {
  return systemReason(error, 'not readable');
}

/** Says why a system call failed: by its code where there is one, because its messages repeat paths. */
export function systemReason(error: unknown, withoutCode = String(error)): string {
  if (error instanceof FileRefusedError) return error.message;
  return error instanceof Error && 'code' in error ? String(error.code) : withoutCode;
}

/** Says how long something lasts, as people do: `60 s`, `5 minutes`, `3 hours`; never shorter than it is. */
export function durationWords(durationMs: number): string {
  const seconds = Math.ceil(durationMs / 1000);
  if (seconds <= 90) return `${seconds} s`;
  const minutes = Math.ceil(seconds / 60);
  return minutes <= 90 ? `${minutes} minutes` : `${Math.ceil(minutes / 60)} hours`;
}

/** Says why a program cannot listen at an address, and what to do. */
export function whyNotListening(error: unknown, address: string, port: number): string {
  const reason = systemReason(error);
  return reason === 'EADDRINUSE'
    ? `port ${port} is in use. Stop the other program or choose another port.`
    : `"${address}" cannot be listened on (${reason}); accepted: an address of this machine, and a port that you may use`;
}

const PLACEHOLDER = '[secret]';

/** A value that prints, serialises and inspects as `[secret]`; its use must be asked for. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** The value itself, for the one place that sends it. */
  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return PLACEHOLDER;
  }

  toJSON(): string {
    return PLACEHOLDER;
  }

  [inspect.custom](): string {
    return PLACEHOLDER;
  }
}
