import yargs, { type Argv } from 'yargs';
import { type Command, nameOf, PROGRAM, SERVE } from './commands.ts';
import { FLAG_BY_NAME, FLAGS, listed, SECRET_VARIABLES } from './flags.ts';
import { refusal } from './refusals.ts';

/** What yargs makes of a command line. */
export interface Parsed {
  /** What it prints itself: help, the version, words for a shell; else empty. */
  readonly output: string;
  readonly command: Command;
  /** All that was typed, by name; in `_` the name of the command and the words that no argument takes. */
  readonly words: Words;
}

type Words = Readonly<Record<string, unknown>> & { readonly _: readonly (string | number)[] };

/** Which options help and completion know. A line that asks for neither is read in half the time without them. */
export type Shown = 'none' | 'most wanted' | 'all';

/**
 * Takes a command line apart; its words stay as they are typed, for the configuration to read.
 *
 * @throws UsageError
 */
export async function parse(
  argv: readonly string[],
  version: string,
  shown: Shown,
): Promise<Parsed> {
  let entered = SERVE;
  let found: Omit<Parsed, 'output'> | undefined;
  let output = '';
  function describe(line: Argv, command: Command): Argv {
    if (shown !== 'none' || command === PROGRAM) addFlags(line, command, shown);
    // yargs composes the help of every command that it runs.
    if (shown !== 'none') line.usage(usageOf(command)).epilogue(epilogueOf(command, shown));
    for (const inner of command.commands ?? [])
      line.command({
        command: inner.usage.slice(command.usage.length).trim(),
        describe: inner.describe,
        builder: (innerLine) => {
          entered = inner;
          return describe(
            innerLine.hide('version').hide(shown === 'all' ? 'version' : 'help'),
            inner,
          );
        },
        // The command runs when nothing of yargs is in memory any more.
        handler: (words) => {
          found = { command: inner, words };
        },
      });
    return line;
  }
  const parser = describe(yargs(), PROGRAM)
    // A name would stand before every command of the list.
    .scriptName(argv[0] === 'completion' ? 'solar-exporter' : '')
    .completion('completion', 'print what makes bash or zsh complete commands and options')
    .parserConfiguration({
      'camel-case-expansion': false,
      'dot-notation': false,
      'parse-numbers': false,
      'parse-positional-numbers': false,
    })
    .version('version', 'print the version', version)
    .help('help', 'say what a command needs')
    .alias('help', 'h')
    .option('help-all', { type: 'boolean', describe: 'list every option' })
    .wrap(100)
    .detectLocale(false)
    .exitProcess(false)
    .fail((message) => {
      throw refusal(message, entered);
    });
  // The type of a value is no news where the help says what it is. The types of yargs lack this.
  (parser as unknown as UsageConfigurable).usageConfiguration({ 'hide-types': true });
  const words = (await parser.parseAsync(argv, {}, (_error, _words, text) => {
    output = text;
  })) as Words;
  return { output, ...(found ?? { command: SERVE, words }) };
}

interface UsageConfigurable {
  usageConfiguration(options: { readonly 'hide-types': boolean }): void;
}

/** Adds the flags that a command takes, those that most people need first. */
function addFlags(line: Argv, command: Command, shown: Shown): void {
  const { flags: names = [] } = command;
  const wanted = names.flatMap((name) => FLAG_BY_NAME.get(name) ?? []);
  for (const flag of [...wanted, ...FLAGS]) {
    const { name, describe, commands } = flag;
    // The program itself knows all, so that a word behind them is not taken for their value.
    if (command !== PROGRAM && commands?.includes(nameOf(command)) === false) continue;
    const owners = command === PROGRAM && shown === 'all' ? commands : undefined;
    line.option(name, {
      type: 'string',
      nargs: 1,
      hidden: shown === 'none' || (shown === 'most wanted' && !names.includes(name)),
      // Each command adds its own, in its order.
      global: shown === 'none',
      ...(shown !== 'none' && {
        describe,
        group: owners === undefined ? 'Options:' : `Options of ${listed(owners)}:`,
      }),
    });
  }
}

function usageOf({
  usage,
  describe,
  details = [],
  isForAccount = false,
  commands,
}: Command): string {
  const words = ['solar-exporter', usage, commands && '[command]', '[options]'];
  return [
    `Usage: ${words.filter((word) => word !== '' && word !== undefined).join(' ')}`,
    '',
    `${describe[0]?.toUpperCase() ?? ''}${describe.slice(1)}.`,
    ...details,
    ...(isForAccount ? ['', CREDENTIALS] : []),
  ].join('\n');
}

const CREDENTIALS = `Needs in the environment, or each with _FILE at its end as the name of a file:
SOLAR_ACCOUNT, SOLAR_PASSWORD, SOLAR_APP_ID and SOLAR_APP_SECRET; or SOLAR_ACCESS_TOKEN alone`;

function epilogueOf(command: Command, shown: Shown): string {
  const secrets = `Secrets are never flags: ${SECRET_VARIABLES.join(', ')} come by environment, or from the file that the variable with _FILE at its end names.\n`;
  if (shown === 'all')
    return `${secrets}Every option is also an environment variable: --cache.max-age is SOLAR_CACHE_MAX_AGE.`;
  if (command !== PROGRAM) return '';
  return `${secrets}solar-exporter COMMAND --help says what a command takes; --help-all lists every option.`;
}
