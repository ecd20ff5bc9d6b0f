import splitWords from 'yargs-parser';
import { OPTIONS } from '../config/options.ts';
import {
  commandNamed,
  type CommandSpec,
  DEFAULT_COMMAND,
  GROUP,
  nameOf,
  SWITCHES,
} from './commands.ts';

/** What the parser found in a command line, by name; positional arguments and flags alike. */
export type Found = Readonly<Record<string, unknown>>;

/** The name of the argument `device`, which must not be that of the option `--device`. */
export const DEVICE_ARGUMENT = 'device-argument';

/** Splits words only; the configuration reads their values. */
export interface CommandParser {
  /**
   * Finds the command and its arguments. Returns a text that answers the command line at once, if any.
   *
   * @throws Error when an option has no value, or a command is not known.
   */
  parse(argv: readonly string[]): string | undefined;
}

const VALUED = OPTIONS.filter(({ kind, secret }) => kind !== 'boolean' && secret !== true);
const FLAGS = {
  boolean: [
    ...['version', ...SWITCHES.map(({ name }) => name)],
    ...OPTIONS.filter(({ kind }) => kind === 'boolean').map(({ flag }) => flag),
  ],
  string: VALUED.map(({ flag }) => flag),
  narg: Object.fromEntries(VALUED.map(({ flag }) => [flag, 1])),
  configuration: {
    'dot-notation': false,
    'camel-case-expansion': false,
    'parse-numbers': false,
    'parse-positional-numbers': false,
  },
};

/** Makes the parser. */
export function buildParser(
  version: string,
  take: (command: string, found: Found) => void,
): CommandParser {
  return {
    parse: (argv) => {
      // All of yargs would take 5 MiB more, for a help that is not its own here.
      const { argv: found, error } = splitWords.detailed([...argv], FLAGS);
      if (found['version'] === true) return `${version}\n`;
      if (error !== null) throw error;
      const words = found._.map(String);
      const command = commandOf(words);
      const name = command === undefined ? DEFAULT_COMMAND : nameOf(command);
      take(name, { ...found, ...(command && argumentsOf(command, words)) });
      return undefined;
    },
  };
}

/** Finds the command that is named first; absent where the first word is none. */
function commandOf([first = DEFAULT_COMMAND, second]: readonly string[]): CommandSpec | undefined {
  if (first !== GROUP) return commandNamed(first);
  if (second === undefined)
    throw new Error(
      'settings: accepted: get <device>, set <device> key=value…; solar-exporter devices lists the devices',
    );
  const command = commandNamed(`${GROUP} ${second}`);
  if (command === undefined) throw new Error(`Unknown command: ${second}`);
  return command;
}

/** Gives the words behind a command to the arguments of its usage; what is left stays in `_`. */
function argumentsOf(command: CommandSpec, words: readonly string[]): Found {
  const length = nameOf(command).split(' ').length;
  const left = words.slice(length);
  const found: Record<string, unknown> = {};
  for (const [, name = '', isMany] of command.usage.matchAll(/[[<](\w+)(\.\.)?[\]>]/g)) {
    const taken = left.splice(0, isMany === undefined ? 1 : left.length);
    found[name === 'device' ? DEVICE_ARGUMENT : name] = isMany === undefined ? taken[0] : taken;
  }
  return { ...found, _: [...words.slice(0, length), ...left] };
}
