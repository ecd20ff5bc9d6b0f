import { fromConfigFile } from './config-file.ts';
import { fromEnvironment, warnOfUnknown } from './environment.ts';
import { fromFlags } from './flags.ts';
import type { Given, Level } from './given.ts';
import { OPTIONS } from './options.ts';
import { quote, readFailure } from '../shown.ts';

/** Holds everything a configuration can come from; nothing here is read from the process. */
export interface ConfigSources {
  /** Flags without their dashes, `cache.readings-ttl`; undefined means not given. */
  readonly flags: Readonly<Record<string, unknown>>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Returns the text of a file, or throws. */
  readonly readFile: (path: string) => string;
}

/** Is what all sources give, merged. */
export interface Merged extends Level {
  readonly warnings: readonly string[];
}

/** Merges flags over environment over file over defaults; each value keeps where it came from. */
export async function mergeSources(sources: ConfigSources): Promise<Merged> {
  const flags = fromFlags(sources.flags);
  const environment = fromEnvironment(sources.env);
  const file = await readConfigFile(
    flags.given.get('config.file') ?? environment.given.get('config.file'),
    sources,
  );
  const levels = [DEFAULTS, file, environment, flags];
  return {
    // Later entries of a Map replace earlier ones: the strongest source comes last.
    given: new Map(levels.flatMap((level) => [...level.given])),
    problems: levels.toReversed().flatMap((level) => level.problems),
    warnings: warnOfUnknown(sources.env),
  };
}

const NOTHING: Level = { given: new Map(), problems: [] };

const DEFAULTS: Level = {
  given: new Map(
    OPTIONS.filter((option) => option.default !== undefined).map((option): [string, Given] => [
      option.flag,
      { origin: 'default', name: option.flag, content: { text: option.default ?? '' } },
    ]),
  ),
  problems: [],
};

async function readConfigFile(
  given: Given | undefined,
  { readFile }: ConfigSources,
): Promise<Level> {
  // What is no text, or a blank one, is refused with all other values.
  if (given === undefined || !('text' in given.content) || given.content.text.trim() === '') {
    return NOTHING;
  }
  const path = given.content.text;
  let text: string;
  try {
    text = readFile(path);
  } catch (error) {
    return {
      ...NOTHING,
      problems: [`${given.name}: cannot read ${quote(path)}: ${readFailure(error)}`],
    };
  }
  return fromConfigFile(path, text);
}
