import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { parseJson } from '../../src/client/json.ts';

const DIRECTORY = new URL('../fixtures/client/', import.meta.url);

/** Is an answer of the service, by the name of its recording. */
export interface Recording {
  readonly file: string;
  readonly answer: unknown;
}

/** All recorded answers. */
export const RECORDINGS: readonly Recording[] = readdirSync(DIRECTORY).map((file) => ({
  file,
  answer: parseJson(readFileSync(new URL(file, DIRECTORY), 'utf8')),
}));

/** The name of a recording; those that begin with one of the prefixes, or any. */
export function anyRecording(...prefixes: readonly string[]): fc.Arbitrary<string> {
  const files = RECORDINGS.map(({ file }) => file).filter(
    (file) => prefixes.length === 0 || prefixes.some((prefix) => file.startsWith(prefix)),
  );
  return fc.constantFrom(...files);
}

/** The answer of a recording. */
export function answerIn(file: string): unknown {
  return RECORDINGS.find((recording) => recording.file === file)?.answer;
}
