import { quote } from '../base/shown.ts';
import { argumentsOf, type Command, COMMANDS, nameOf } from './commands.ts';
import { acceptedBy, FLAG_BY_NAME, isYesOrNo } from './flags.ts';
import { didYouMean } from './output.ts';

/** A command line that cannot be understood; the message says what would be accepted. */
export class UsageError extends Error {}

/** What is said of arguments that are missing, by their name. */
const MISSING: Readonly<Record<string, string>> = {
  device:
    'names no device; accepted: the id, the name or the serial number of a device; solar-exporter devices lists them',
  changes:
    'names no change; accepted: key=value, once or more; solar-exporter settings get DEVICE lists the keys',
};

/** Says more than yargs does about what it refuses. */
export function refusal(message: string, command: Command): UsageError {
  const [, flag = ''] = /^Not enough arguments following: (.*)/.exec(message) ?? [];
  const option = FLAG_BY_NAME.get(flag)?.option;
  if (option !== undefined) return new UsageError(`--${flag}: has no value; ${acceptedBy(option)}`);
  const [, count] = /^Not enough non-option arguments: got (\d+)/.exec(message) ?? [];
  if (count === undefined) return new UsageError(message);
  const missing = MISSING[argumentsOf(command)[Number(count)] ?? ''] ?? message;
  return new UsageError(`${nameOf(command)}: ${missing}`);
}

/** Says why a word that stands behind a command, or in its place, is refused, and what would be accepted there. */
export function unknownWord(
  word: string,
  behind: Command | undefined,
  argv: readonly string[],
): UsageError {
  const before = argv[argv.indexOf(word) - 1] ?? '';
  const [, name = ''] = /^--(?:no-)?(.*)/.exec(before) ?? [];
  const flag = FLAG_BY_NAME.get(name);
  if (flag?.option !== undefined && isYesOrNo(flag))
    return new UsageError(
      `${before} ${quote(word)}: a yes or no takes its value behind =; accepted: --${name}, --${name}=false`,
    );
  if (behind !== undefined) {
    const takesDevice = argumentsOf(behind).includes('device');
    const blanks = takesDevice ? '; put a name with blanks into quotes' : '';
    return new UsageError(
      `${quote(word)}: one word too many; accepted: solar-exporter ${behind.usage}${blanks}`,
    );
  }
  const names = COMMANDS.map(nameOf);
  // Of a name with two words, the second alone will do.
  const typed = new Map(
    names.flatMap((one) => [one, ...one.split(' ').slice(1)].map((key) => [key, one])),
  );
  const hint = didYouMean(word, typed);
  return new UsageError(`${quote(word)}: unknown command; ${hint}accepted: ${names.join(', ')}`);
}
