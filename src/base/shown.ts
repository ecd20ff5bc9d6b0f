import { FileRefusedError } from './text-file.ts';

const LONGEST_SHOWN = 60;

/** Cuts a text that nobody would read to its end. */
export function cut(text: string): string {
  return text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text;
}

/** Shows a text inside a sentence: escaped, and cut to 60 characters. */
export function quote(text: string): string {
  return toJsonLine(cut(text));
}

/** Writes a value as JSON that a terminal shows as one line. */
export function toJsonLine(value: unknown): string {
  // JSON leaves these as they are, but a terminal obeys some of them and breaks lines at others.
  return JSON.stringify(value).replaceAll(
    /[\u007f-\u009f\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Says why a file could not be read: our own reason, else the system's code, never its content. */
export function readFailure(error: unknown): string {
  if (error instanceof FileRefusedError) return error.message;
  const hasCode = error instanceof Error && 'code' in error && typeof error.code === 'string';
  return hasCode ? String(error.code) : 'not readable';
}

/** Says why something of the system failed: by its code where there is one, for its own texts repeat paths. */
export function systemReason(error: unknown): string {
  if (error instanceof FileRefusedError) return error.message;
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}
