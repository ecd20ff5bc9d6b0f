import yargs, { type Argv } from 'yargs';
import { quote } from '../base/shown.ts';
import { KINDS } from '../config/kinds.ts';
import { type OptionDefinition, OPTIONS } from '../config/options.ts';
import { type Arguments, type CommandContext, SWITCHES } from './command.ts';
import {
  type Command,
  type CommandGroup,
  COMMANDS,
  MOST_WANTED,
  nameOf,
  PROGRAM,
  SERVE,
} from './commands.ts';
import { didYouMean } from './output.ts';

/** A command line that cannot be understood; the message says what would be accepted. */
export class UsageError extends Error {}

/** A command that a person asks for. */
export interface AskedCommand {
  readonly name: string;
  /** Resolves to the exit status. */
  readonly run: (context: CommandContext) => Promise<number>;
  readonly needsCredentials: boolean;
  readonly isLasting: boolean;
  /** Every option with its text, known or not; the configuration checks them together with its other sources. */
  readonly options: Readonly<Record<string, unknown>>;
}

/** A command, or a text that answers the command line: help, the version, words for a shell. */
export type CommandLine = AskedCommand | { readonly answer: string };

/** An option whose text the configuration reads, or a switch of some commands. */
interface Flag {
  /** Without its dashes: `cache.max-age`. */
  readonly name: string;
  /** What the help says of it, with the words that it accepts and what happens without it. */
  readonly describe: string;
  readonly isYesOrNo: boolean;
  /** The commands that take it; absent: all. */
  readonly commands?: readonly string[] | undefined;
}

const FLAGS: ReadonlyMap<string, Flag> = new Map(
  [
    ...Object.entries(SWITCHES).map(([name, describe]) => ({
      name,
      describe,
      isYesOrNo: true,
      commands: COMMANDS.filter(({ flags }) => flags.includes(name)).map(nameOf),
    })),
    ...OPTIONS.filter(({ secret }) => secret !== true).map(flagOf),
  ].map((flag) => [flag.name, flag]),
);

function flagOf(option: OptionDefinition): Flag {
  const { flag: name, describe, choices = [], default: fallback, unset, kind, commands } = option;
  const isYesOrNo = kind === 'boolean';
  const accepted = choices.length === 0 ? '' : `: ${choices.join(', ')}`;
  // That a switch is off is what everybody expects.
  const without = isYesOrNo && fallback === 'false' ? undefined : (fallback ?? unset);
  const shown = without === undefined ? '' : ` [default: ${without.replaceAll('`', '')}]`;
  return { name, describe: describe + accepted + shown, isYesOrNo, commands };
}

const SECRETS = OPTIONS.filter(({ secret }) => secret).map(({ env }) => env);
const ABOUT_OPTIONS = `Every option is also a variable: --cache.max-age is SOLAR_CACHE_MAX_AGE.
Secrets are variables only: ${SECRETS.join(', ')}. For these alone, NAME_FILE may name a file instead.`;
const CREDENTIALS = `Set these variables. For secrets, NAME_FILE may name a file instead.
  SOLAR_ACCOUNT, SOLAR_PASSWORD, SOLAR_APP_ID and SOLAR_APP_SECRET; or SOLAR_ACCESS_TOKEN alone`;

type Words = Readonly<Record<string, unknown>> & { readonly _: readonly (string | number)[] };

/**
 * Reads a command line.
 *
 * @throws UsageError
 */
export async function readCommandLine(
  argv: readonly string[],
  version: string,
): Promise<CommandLine> {
  const [first, ...behind] = argv;
  const typed = first === 'help' ? [...behind, '--help'] : argv;
  const names = typed.flatMap((word) => /^--(?:no-)?([^=]+)/.exec(word)?.[1] ?? []);
  // yargs stumbles over a name that every object has.
  const odd = names.find((name) => name in {});
  if (odd !== undefined)
    throw new UsageError(`--${odd}: unknown option; solar-exporter --help-all lists them`);

  let entered: Command | undefined;
  let found: Command | undefined;
  let output = '';
  const add = (line: Argv, command: Command, usage = command.usage): void => {
    const { describe, details = [], isForAccount = false, flags } = command;
    const builder = (inner: Argv): void => {
      entered = command;
      addFlags(inner, flags, nameOf(command));
      inner.epilogue([...details, ...(isForAccount ? ['', CREDENTIALS] : [])].join('\n').trim());
    };
    line.command(usage, describe, builder, () => void (found = command));
  };
  const parser = yargs()
    .scriptName('solar-exporter')
    .usage('Prometheus exporter for a solar monitoring service')
    .parserConfiguration({
      'camel-case-expansion': false,
      'dot-notation': false,
      'parse-numbers': false,
      'parse-positional-numbers': false,
    })
    .wrap(100)
    .detectLocale(false)
    .exitProcess(false)
    .version('version', 'print the version', version)
    .help('help', 'say what a command needs')
    .alias('help', 'h')
    .completion('completion', 'print what makes bash or zsh complete commands and options')
    .epilogue(ABOUT_OPTIONS)
    .fail((message) => {
      const [, count = ''] = /^Not enough non-option arguments: got (\d+)/.exec(message) ?? [];
      throw new UsageError(entered?.missing?.[Number(count)] ?? message);
    });
  addFlags(parser, MOST_WANTED);
  for (const one of PROGRAM) {
    if (!('commands' in one)) add(parser, one);
    else
      parser.command(one.name, one.describe, (inner: Argv) => {
        for (const command of one.commands)
          add(inner, command, command.usage.slice(one.name.length + 1));
      });
  }
  // The type of a value is no news where the help says what it is. The types of yargs lack this.
  (parser as unknown as UsageConfigurable).usageConfiguration({ 'hide-types': true });
  const asked = names.includes('help-all') ? ['--help', ...typed] : typed;
  const words = (await parser.parseAsync(asked.map(withItsValue), {}, (_error, _words, text) => {
    output = text;
  })) as Words;
  // A shell that completes a word may find none.
  const isCompleting = names.includes('get-yargs-completions');
  if (output === '' && !isCompleting) return checked(found, words, names);
  return { answer: output === '' ? '' : `${output}\n` };
}

interface UsageConfigurable {
  usageConfiguration(options: { readonly 'hide-types': boolean }): void;
}

/** Adds the flags that a command takes, those that most people need first; the program itself knows all. */
function addFlags(line: Argv, wanted: readonly string[], command?: string): void {
  line.showHidden('help-all', 'list every option');
  for (const name of new Set([...wanted, ...FLAGS.keys()])) {
    const { describe = '', commands } = FLAGS.get(name) ?? {};
    if (command !== undefined && commands?.includes(command) === false) continue;
    line.option(name, {
      describe,
      // The configuration reads the text: yargs would read `--x=maybe` as false.
      type: 'string',
      hidden: !wanted.includes(name),
      // Each command adds its own, in its order.
      global: false,
      ...(command === undefined && commands && { group: `Options of ${commands.join(', ')}:` }),
    });
  }
}

/** Gives a yes or no that stands alone its value, so that the word behind it is none. */
function withItsValue(word: string, index: number, words: readonly string[]): string {
  const [, no, name = ''] = /^--(no-)?([^=]+)$/.exec(word) ?? [];
  if (FLAGS.get(name)?.isYesOrNo !== true) return word;
  if (no !== undefined) return `--${name}=false`;
  return isYes(words[index + 1]) === undefined ? `--${name}=true` : word;
}

function isYes(text: unknown): boolean | undefined {
  return KINDS.boolean.safeParse(text).data;
}

/** Keys of what yargs returns that are no options. */
const NO_OPTIONS = ['_', '$0', 'help', 'h', 'help-all', 'version', ...Object.keys(SWITCHES)];

/** Refuses what yargs lets pass: words that no command takes, and flags of other commands. */
function checked(found: Command | undefined, words: Words, names: readonly string[]): AskedCommand {
  const typed = words._.map(String);
  const command = found ?? (typed.length === 0 ? SERVE : undefined);
  if (command === undefined) throw unknownCommand(typed);
  const { usage, run, isForAccount = false, isLasting = false } = command;
  const name = nameOf(command);
  const surplus = typed[name.split(' ').length];
  if (surplus !== undefined) {
    const why = `one word too many; accepted: solar-exporter ${usage}`;
    const blanks = usage.includes('device') ? '; put a name with blanks into quotes' : '';
    throw new UsageError(`${quote(surplus)}: ${why}${blanks}`);
  }
  for (const flag of names) {
    const owners = FLAGS.get(flag)?.commands;
    if (owners?.includes(name) === false)
      throw new UsageError(`--${flag} belongs to ${owners.join(', ')}; ${name} does not take it`);
  }
  const isGiven = (flag: string): boolean => {
    if (words[flag] === undefined) return false;
    const text = [words[flag]].flat().map(String).at(-1) ?? '';
    const said = isYes(text);
    if (said !== undefined) return said;
    throw new UsageError(`--${flag}: ${quote(text)} ${KINDS.boolean.meta()?.refusal ?? ''}`);
  };
  const switches = new Set<string>(Object.keys(SWITCHES).filter(isGiven));
  const { device, changes } = words;
  const given: Arguments = {
    device: typeof device === 'string' ? device : undefined,
    changes: Array.isArray(changes) ? changes.map(String) : [],
    has: (flag) => switches.has(flag),
  };
  const others = [
    ...NO_OPTIONS,
    ...Array.from(usage.matchAll(/[[<](\w+)/g), ([, argument]) => argument),
  ];
  return {
    name,
    run: (context) => run(context, given),
    // The check of a configuration covers everything that serve needs to start.
    needsCredentials: isForAccount || switches.has('check'),
    isLasting,
    options: Object.fromEntries(Object.entries(words).filter(([key]) => !others.includes(key))),
  };
}

function unknownCommand([first = '', second]: readonly string[]): UsageError {
  const group = PROGRAM.find((one) => 'name' in one && one.name === first) as
    CommandGroup | undefined;
  if (group !== undefined && second === undefined) return new UsageError(group.missing);
  const word = group === undefined ? first : (second ?? '');
  const names = COMMANDS.map(nameOf);
  // Of a name with two words, the second alone will do.
  const meant = new Map(
    names.flatMap((name) => [
      [name, name],
      [name.replace(/^.* /, ''), name],
    ]),
  );
  const hint = didYouMean(word, meant);
  return new UsageError(`${quote(word)}: unknown command; ${hint}accepted: ${names.join(', ')}`);
}
