import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { parseJson } from '../../src/client/exchange/json.ts';

const DIRECTORY = new URL('../fixtures/client/', import.meta.url);

/** Where each recorded answer of the service is, by its name: `readings-as-objects`. */
const PATHS: ReadonlyMap<string, string> = new Map(
  readdirSync(DIRECTORY, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.json'))
    .map((path) => [basename(path, '.json'), path]),
);

/** The names of all recorded answers. */
export const RECORDING_NAMES: readonly string[] = [...PATHS.keys()].sort();

/** Reads a recorded answer by its name, envelope included. */
export function readRecording(name: string): unknown {
  const path = PATHS.get(name);
  if (path === undefined) throw new Error(`there is no recording ${name}`);
  return parseJson(readFileSync(new URL(path, DIRECTORY), 'utf8'));
}
