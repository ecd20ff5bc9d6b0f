import type { OptionDefinition } from './option.ts';
import { type Flag, OPTIONS, type ValueOf } from './options.ts';
import type { Given, GivenContent } from './given.ts';
import { quoteSecretPath, quoteValue } from './sentence.ts';
import { quote, readFailure } from '../shown.ts';
import { PARSERS } from './values.ts';

/** Reads one option's value, in the type its row of the table gives it. */
export type ReadSetting = <F extends Flag>(flag: F) => ValueOf<F>;

/** Is every option read as its kind, and a sentence for each that could not be. */
export interface Settings {
  readonly read: ReadSetting;
  readonly problems: readonly string[];
}

/** Reads every given text as the kind of its option. */
export function readSettings(
  given: ReadonlyMap<string, Given>,
  readFile: (path: string) => string,
): Settings {
  const values = new Map<string, unknown>();
  const problems: string[] = [];
  for (const option of OPTIONS) {
    const source = given.get(option.flag);
    if (source === undefined) continue;
    const outcome = readContent(option, source.content, readFile);
    if ('value' in outcome) values.set(option.flag, outcome.value);
    else problems.push(`${source.name}: ${outcome.fault}`);
  }
  // The one cast: PARSERS holds, for every kind, a reader of the type that the table promises.
  return { read: ((flag: string) => values.get(flag)) as ReadSetting, problems };
}

type Outcome = { readonly value: unknown } | { readonly fault: string };

function readContent(
  option: OptionDefinition,
  content: GivenContent,
  readFile: (path: string) => string,
): Outcome {
  if ('fault' in content) return content;
  const { kind } = option;
  if ('text' in content)
    return kind === 'textFile'
      ? readText(content.text, quote(content.text), readFile, (text) => ({
          value: { path: content.text, text },
        }))
      : parse(option, content.text, quoteValue(option, content.text));
  const { path } = content;
  const shown = quoteSecretPath(path);
  return readText(path, shown, readFile, (text) => parse(option, text, `the content of ${shown}`));
}

function readText(
  path: string,
  shown: string,
  readFile: (path: string) => string,
  use: (text: string) => Outcome,
): Outcome {
  let text: string;
  try {
    text = readFile(path);
  } catch (error) {
    return { fault: `cannot read ${shown}: ${readFailure(error)}` };
  }
  return use(text);
}

function parse(option: OptionDefinition, text: string, shown: string): Outcome {
  if (option.kind === 'textFile') return { fault: 'names no file' };
  const parsed = PARSERS[option.kind](text, option);
  return 'value' in parsed
    ? parsed
    : { fault: `${shown} ${parsed.fault}; accepted: ${parsed.accepted}` };
}
