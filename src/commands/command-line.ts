import { OPTION_BY_FLAG, OPTIONS } from '../config/options.ts';
import { buildParser, DEVICE_ARGUMENT, type Found } from './command-parser.ts';
import { commandIn, COMMANDS, GROUP, nameOf, type Switch, SWITCHES } from './commands.ts';
import { ASK, completionScript } from './completion/completion-script.ts';
import { completionWords } from './completion/completion-words.ts';
import { commandHelp, fullHelp, groupHelp, shortHelp } from './help.ts';
import { explainRefusal, explainUnknownWord } from './unknown-words.ts';

const WHO_LISTS =
  'the id, the name or the serial number of a device; solar-exporter devices lists them';

/** Keys of the parser's result that are no options: its own, and those that have a field of {@link CommandLine}. */
const NOT_OPTIONS: ReadonlySet<string> = new Set([
  ...['_', '$0', DEVICE_ARGUMENT, 'changes', 'shell', 'help', 'version'],
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

/** A command line, or a text that answers it at once: help, the version, words for a shell, or a problem. */
export type ParsedCommandLine =
  { readonly line: CommandLine } | { readonly answer: string } | { readonly problem: string };

/** Splits the command line into its parts. Options are checked later, together with their other sources. */
export function parseCommandLine(argv: readonly string[], version: string): ParsedCommandLine {
  const [asked, ...words] = argv;
  if (asked === ASK)
    return {
      answer: completionWords(words)
        .map((word) => `${word}\n`)
        .join(''),
    };
  const help = helpFor(argv);
  if (help !== undefined) return { answer: help };
  let parsed: ParsedCommandLine | undefined;
  const parser = buildParser(version, (command, found) => {
    const surplus = surplusWord(command, found);
    parsed =
      surplus === undefined
        ? answered(checked(lineFrom(command, found, argv)), found)
        : { problem: explainUnknownWord(surplus, argv) };
  });
  try {
    const answer = parser.parse(argv);
    if (answer !== undefined) parsed = { answer };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    parsed = { problem: explainRefusal(message, argv) };
  }
  return parsed ?? { problem: explainUnknownWord(argv[0] ?? '', argv) };
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

/** Answers the one command that needs no configuration, which may be wrong while a shell starts. */
function answered(parsed: ParsedCommandLine, { shell }: Found): ParsedCommandLine {
  if (!('line' in parsed) || parsed.line.command !== 'completion') return parsed;
  return completionScript(typeof shell === 'string' ? shell : undefined);
}

/** Refuses what the parser lets pass: a flag of another command, and arguments that are missing. */
function checked(line: CommandLine): ParsedCommandLine {
  const { command, device, changes } = line;
  const misplaced = takenByOthers(line);
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

/** Finds a switch or an option of the command line that only other commands take. */
function takenByOthers({ command, switches, flags }: CommandLine) {
  const ofCommands = [
    ...SWITCHES.filter(({ name }) => switches.has(name)),
    ...Object.keys(flags).map((name) => ({ name, commands: OPTION_BY_FLAG.get(name)?.commands })),
  ];
  for (const { name, commands } of ofCommands)
    if (commands !== undefined && !(commands as readonly string[]).includes(command))
      return { name, commands };
  return undefined;
}

/** Finds a word that is no command: the parser takes it for an argument of the default command. */
function surplusWord(command: string, { _: words }: Found): string | undefined {
  const named = command.split(' ');
  const typed: readonly unknown[] = Array.isArray(words) ? words : [];
  return typed.map(String).find((word, index) => word !== named[index]);
}

/** Takes the findings of the parser apart. */
function lineFrom(command: string, found: Found, argv: readonly string[]): CommandLine {
  const { [DEVICE_ARGUMENT]: device, changes } = found;
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
