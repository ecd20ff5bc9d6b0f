import type { CommandContext } from './command.ts';
import { type Arguments, argumentsOf, COMMANDS, nameOf, SERVE, SWITCHES } from './commands.ts';
import { FLAG_BY_NAME, isYesOrNo } from './flags.ts';
import type { Parsed } from './parser.ts';
import { unknownWord, UsageError } from './refusals.ts';

/** A command that a person asks for. */
export interface AskedCommand {
  /** Resolves to the exit status. */
  readonly run: (context: CommandContext) => Promise<number>;
  readonly needsCredentials: boolean;
  readonly isLasting: boolean;
  /** Every option with its text, known or not; the configuration checks them together with its other sources. */
  readonly options: Readonly<Record<string, unknown>>;
}

/** A command, or a text that answers the command line: help, the version, words for a shell. */
export type CommandLine = AskedCommand | { readonly answer: string };

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
  // What a shell asks while somebody types.
  if (first === '--get-yargs-completions') {
    const { parse } = await import('./parser.ts');
    return { answer: asLine((await parse(argv, version, 'all')).output) };
  }
  // The name of a command alone, as containers have it: without yargs the program starts sooner, and is smaller.
  const alone = argv.length === 0 ? SERVE : COMMANDS.find(({ usage }) => usage === argv.join(' '));
  if (alone !== undefined) return checked({ command: alone, words: { _: argv } }, [], argv);
  const asked = first === 'help' ? ['--help', ...behind] : argv;
  const end = asked.indexOf('--');
  const typed = end === -1 ? asked : asked.slice(0, end);
  const names = typed.flatMap((word) => /^--(?:no-)?([^=]+)/.exec(word)?.[1] ?? []);
  // yargs stumbles over a name that every object has.
  const odd = names.find((name) => name in {});
  if (odd !== undefined)
    throw new UsageError(`--${odd}: unknown option; solar-exporter --help-all lists them`);
  const isAllShown = names.includes('help-all');
  const isHelp = typed.some((word) => /^-*h(?:elp)?(?:=|$)|^-\w+h/.test(word));
  const words = [...typed.map(withItsValue), ...asked.slice(typed.length)];
  const { parse } = await import('./parser.ts');
  const parsed = isAllShown
    ? await parse(['--help', ...words], version, 'all')
    : await parse(words, version, isHelp ? 'most wanted' : 'none');
  return parsed.output === '' ? checked(parsed, names, argv) : { answer: asLine(parsed.output) };
}

/** Gives a yes or no its value as a text, which the configuration reads as one: yargs reads `--x=maybe` as false. */
function withItsValue(word: string, index: number, words: readonly string[]): string {
  const [, no, name = ''] = /^--(no-)?([^=]+)$/.exec(word) ?? [];
  const flag = FLAG_BY_NAME.get(name);
  const isSaid = no === undefined && /^(?:true|false)$/.test(words[index + 1] ?? '');
  return flag === undefined || !isYesOrNo(flag) || isSaid ? word : `--${name}=${no === undefined}`;
}

function asLine(text: string): string {
  return `${text}\n`;
}

/** Keys of what yargs returns that are no options. */
const NO_OPTIONS = ['_', '$0', 'help', 'h', 'help-all', 'version', ...Object.keys(SWITCHES)];

/** Refuses what yargs lets pass: words that no command takes, and flags of other commands. */
function checked(
  { command, words }: Omit<Parsed, 'output'>,
  names: readonly string[],
  argv: readonly string[],
): CommandLine {
  const { run, isForAccount = false, isLasting = false, commands = [] } = command;
  const name = nameOf(command);
  const named = name.split(' ');
  const surplus = words._.map(String).find((word, index) => word !== named[index]);
  const isNamed = words._[0] === named[0] && run !== undefined;
  if (surplus !== undefined) throw unknownWord(surplus, isNamed ? command : undefined, argv);
  if (run === undefined)
    throw new UsageError(`${name}: accepted: ${commands.map(({ usage }) => usage).join(', ')}`);
  for (const flag of names) {
    const owners = FLAG_BY_NAME.get(flag)?.commands;
    if (owners?.includes(name) === false)
      throw new UsageError(`--${flag} belongs to ${owners.join(', ')}; ${name} does not take it`);
  }
  const { device, changes } = words;
  const given: Arguments = {
    device: typeof device === 'string' ? device : undefined,
    changes: Array.isArray(changes) ? changes.map(String) : [],
    has: (flag) => lastOf(words[flag]) === 'true',
  };
  const others = new Set([...NO_OPTIONS, ...argumentsOf(command)]);
  return {
    run: (context) => run(context, given),
    // The check of a configuration covers everything that serve needs to start.
    needsCredentials: isForAccount || given.has('check'),
    isLasting,
    options: Object.fromEntries(Object.entries(words).filter(([key]) => !others.has(key))),
  };
}

function lastOf(value: unknown): unknown {
  return Array.isArray(value) ? value.at(-1) : value;
}
