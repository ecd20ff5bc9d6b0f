import yargs, { type Argv } from 'yargs';
import { quote } from '../base/shown.ts';
import { nearest } from '../config/nearest.ts';
import { OPTION_BY_FLAG, OPTIONS } from '../config/options.ts';
import {
  type CommandSpec,
  commandNamed,
  COMMANDS,
  DEFAULT_COMMAND,
  nameOf,
  type Switch,
  SWITCHES,
} from './commands.ts';
import { commandHelp, fullHelp, groupHelp, shortHelp } from './help.ts';

const NAMES: readonly string[] = COMMANDS.map(nameOf);
const GROUP = 'settings';
const WHO_LISTS =
  'the id, the name or the serial number of a device; solar-exporter devices lists them';

/** Keys of the parser's result that are no options: its own, and those that have a field of {@link CommandLine}. */
const NOT_OPTIONS: ReadonlySet<string> = new Set([
  ...['_', '$0', 'device', 'changes', 'help', 'version'],
  ...SWITCHES.map(({ name }) => name),
]);

/** The command line, split into its parts. The values of options are not checked yet. */
export interface CommandLine {
  /** `serve`, `settings get` and so on. */
  readonly command: string;
  readonly device: string | undefined;
  readonly changes: readonly string[];
  readonly switches: ReadonlySet<Switch>;
  /** Every other flag with its value, known or not. */
  readonly flags: Readonly<Record<string, unknown>>;
}

/** A command line, or a text that answers it at once: help, the version, or a problem. */
export type ParsedCommandLine =
  { readonly line: CommandLine } | { readonly answer: string } | { readonly problem: string };

/** Splits the command line into its parts. Options are checked later, together with their other sources. */
export function parseCommandLine(argv: readonly string[], version: string): ParsedCommandLine {
  const help = helpFor(argv);
  if (help !== undefined) return { answer: help };
  let parsed: ParsedCommandLine | undefined;
  const parser = buildParser(version, (command, found) => {
    const surplus = surplusWord(command, found);
    parsed =
      surplus === undefined
        ? checked(lineFrom(command, found, argv))
        : { problem: unknownWord(surplus, argv) };
  });
  try {
    void parser.parse([...argv], (_error: unknown, _found: unknown, output: string) => {
      if (output !== '') parsed = { answer: `${output}\n` };
    });
  } catch (error) {
    parsed = { problem: explain(error instanceof Error ? error.message : String(error), argv) };
  }
  return parsed ?? { problem: unknownWord(argv[0] ?? '', argv) };
}

/** Returns the help that a command line asks for, wherever and beside whatever else it asks. */
function helpFor(argv: readonly string[]): string | undefined {
  const end = argv.indexOf('--');
  const words = end === -1 ? argv : argv.slice(0, end);
  const command = commandIn(words);
  if (words.includes('--help-all')) return fullHelp(command);
  if (!words.includes('--help') && !words.includes('-h') && words[0] !== 'help') return undefined;
  if (command !== undefined) return commandHelp(command);
  const group = COMMANDS.filter((candidate) => nameOf(candidate).startsWith(`${GROUP} `));
  return words.includes(GROUP) ? groupHelp(group) : shortHelp();
}

/** Finds the first command that is named in a command line. */
function commandIn(argv: readonly string[]): CommandSpec | undefined {
  for (const [index, word] of argv.entries()) {
    const next = argv.slice(index + 1).find((other) => !other.startsWith('-')) ?? '';
    const command = commandNamed(word) ?? commandNamed(`${word} ${next}`);
    if (command !== undefined) return command;
  }
  return undefined;
}

/** Refuses what the parser lets pass: a switch of another command, and arguments that are missing. */
function checked(line: CommandLine): ParsedCommandLine {
  const { command, switches, device, changes } = line;
  const misplaced = SWITCHES.find(
    ({ name, commands }) =>
      switches.has(name) && !(commands as readonly string[]).includes(command),
  );
  if (misplaced !== undefined)
    return {
      problem: `--${misplaced.name} belongs to ${misplaced.commands.join(', ')}; ${command} does not take it`,
    };
  if (command.startsWith(GROUP) && device === undefined)
    return { problem: `${command}: names no device; accepted: ${WHO_LISTS}` };
  if (command === 'settings set' && changes.length === 0)
    return {
      problem:
        'settings set: names no change; accepted: key=value, once or more; solar-exporter settings get DEVICE lists the keys',
    };
  return { line };
}

/** Finds a word that is no command: the parser takes it for an argument of the default command. */
function surplusWord(command: string, { _: words }: Found): string | undefined {
  const named = command.split(' ');
  const typed: readonly unknown[] = Array.isArray(words) ? words : [];
  return typed.map(String).find((word, index) => word !== named[index]);
}

/** Replaces the parser's message where ours says more. */
function explain(message: string, argv: readonly string[]): string {
  const [, flag = ''] = /^Not enough arguments following: (.*)/.exec(message) ?? [];
  const option = OPTION_BY_FLAG.get(flag);
  if (option !== undefined) {
    const read = option.kind === 'textFile' ? { fault: '' } : option.read('');
    const [, accepted = 'accepted: the path of a file'] =
      /(accepted: .*)$/.exec('fault' in read ? read.fault : '') ?? [];
    return `--${flag}: has no value; ${accepted}`;
  }
  const [, surplus] = /^Unknown commands?: ([^,]*)/.exec(message) ?? [];
  return surplus === undefined ? message : unknownWord(surplus, argv);
}

/** Says why a word of the command line is refused, and what would be accepted there. */
function unknownWord(word: string, argv: readonly string[]): string {
  const before = argv[argv.indexOf(word) - 1] ?? '';
  const option = OPTION_BY_FLAG.get(before.replace(/^--(?:no-)?/, ''));
  if (option?.kind === 'boolean')
    return `${before} ${quote(word)}: a yes or no takes its value behind =; accepted: --${option.flag}, --${option.flag}=false`;
  const command = commandIn(argv);
  const usage = `solar-exporter ${command?.usage ?? ''}`;
  if (command !== undefined && argv.indexOf(word) > 0) {
    const takesDevice = command.usage.includes('device');
    const blanks = takesDevice ? '; put a name with blanks into quotes' : '';
    return `${quote(word)}: one word too many; accepted: ${usage}${blanks}`;
  }
  const words = new Map(NAMES.map((name) => [name, name]));
  if (argv[0] === GROUP) for (const name of NAMES) words.set(name.replace(`${GROUP} `, ''), name);
  const meant = words.get(nearest(word, [...words.keys()]) ?? '');
  const hint = meant === undefined ? '' : `; did you mean ${meant}?`;
  return `${quote(word)}: unknown command${hint}; accepted: ${NAMES.join(', ')}`;
}

type Found = Readonly<Record<string, unknown>>;

function buildParser(version: string, take: (command: string, found: Found) => void): Argv {
  const parser: Argv = yargs()
    .scriptName('solar-exporter')
    // The parser only splits words. The configuration reads their values.
    .parserConfiguration({
      'dot-notation': false,
      'camel-case-expansion': false,
      'parse-numbers': false,
      'parse-positional-numbers': false,
    })
    .locale('en')
    .exitProcess(false)
    .strictCommands()
    .fail((message: string, error: Error | undefined) => {
      throw error ?? new Error(message);
    })
    .version(version)
    .help(false);
  for (const { name } of SWITCHES) parser.option(name, { type: 'boolean' });
  for (const { flag, kind, secret } of OPTIONS) {
    const isBoolean = kind === 'boolean';
    if (secret !== true)
      parser.option(flag, { type: isBoolean ? 'boolean' : 'string', requiresArg: !isBoolean });
  }
  for (const command of COMMANDS) {
    const name = nameOf(command);
    if (name.includes(' ')) continue;
    const usages = name === DEFAULT_COMMAND ? [name, '$0'] : [lenient(command.usage)];
    parser.command(usages, '', {}, (found: Found) => take(name, found));
  }
  return parser.command(GROUP, '', (settings) => {
    for (const command of COMMANDS) {
      const [group, ...rest] = command.usage.split(' ');
      if (group === GROUP)
        settings.command(lenient(rest.join(' ')), '', {}, (found: Found) =>
          take(nameOf(command), found),
        );
    }
    return settings.demandCommand(
      1,
      'settings: accepted: get <device>, set <device> key=value…; solar-exporter devices lists the devices',
    );
  });
}

/** Makes required arguments optional for the parser, whose complaint would name none of them. */
function lenient(usage: string): string {
  return usage.replaceAll('<', '[').replaceAll('>', ']');
}

function lineFrom(command: string, found: Found, argv: readonly string[]): CommandLine {
  const { device, changes } = found;
  const flags = Object.fromEntries(Object.entries(found).filter(([key]) => !NOT_OPTIONS.has(key)));
  return {
    command,
    device: typeof device === 'string' ? device : undefined,
    changes: Array.isArray(changes) ? changes.map(String) : [],
    switches: new Set(SWITCHES.map(({ name }) => name).filter((name) => found[name] === true)),
    flags: { ...flags, ...asTyped(argv) },
  };
}

/** Finds yes-or-no options as typed: the parser reads `--switch=maybe` as false, and the configuration refuses it. */
function asTyped(argv: readonly string[]): Record<string, string> {
  const typed: Record<string, string> = {};
  for (const { flag, kind } of OPTIONS) {
    const given = argv.findLast((word) => word.startsWith(`--${flag}=`));
    if (kind === 'boolean' && given !== undefined) typed[flag] = given.slice(flag.length + 3);
  }
  return typed;
}
