import fc from 'fast-check';
import { RECORDING_NAMES, readRecording } from '../support/recordings.ts';

const RECORDINGS: ReadonlyMap<string, unknown> = new Map(
  RECORDING_NAMES.map((name) => [name, readRecording(name)]),
);

/** The name of a recording; those that begin with one of the prefixes, or any. */
export function anyRecording(...prefixes: readonly string[]): fc.Arbitrary<string> {
  return fc.constantFrom(
    ...RECORDING_NAMES.filter(
      (name) => prefixes.length === 0 || prefixes.some((prefix) => name.startsWith(prefix)),
    ),
  );
}

/** The answer of a recording. */
export function answerIn(name: string): unknown {
  return RECORDINGS.get(name);
}
