import yargs, { type Argv } from 'yargs';
import { quote } from '../base/shown.ts';
import { nearest } from '../config/nearest.ts';
import { type OptionDefinition, OPTIONS } from '../config/options.ts';

/** Every command as the user types it, and its description. */
const COMMANDS = [
  ['serve', 'run the exporter; this is what happens without a command'],
  ['check', 'try the connection step by step, and say what works and what does not'],
  ['devices', 'list the devices of the stations'],
  ['readings [device]', 'print the newest readings of a device, or of all'],
  ['settings get <device>', 'print the settings of a device'],
  ['settings set <device> <changes..>', 'change settings of a device, given as key=value'],
  ['simulate', 'run the simulated service alone'],
  ['demo', 'run the exporter on the simulated service; needs no account'],
  ['config', 'print the effective configuration, without its secrets'],
] as const;

const DEFAULT_COMMAND = 'serve';
const SETTINGS_USAGE =
  'settings: accepted: get <device>, set <device> key=value…; the command devices lists the ids';

/** Switches that only one command takes. */
const SWITCHES = [
  ['json', 'check', 'print JSON'],
  ['check', 'config', 'print only whether all of it is valid, files included'],
  ['explain', 'devices', 'print how each key of each device is read; asks each up to four times'],
  ['yes', 'settings set', 'write without asking'],
  ['from-device', 'settings get', 'ask the inverter itself; takes up to a minute'],
] as const;

type Switch = (typeof SWITCHES)[number][0];

/** Keys of the parser's result that are no options: its own, and those that have a field of {@link CommandLine}. */
const NOT_OPTIONS: ReadonlySet<string> = new Set([
  ...['_', '$0', 'device', 'changes', 'help', 'version'],
  ...SWITCHES.map(([name]) => name),
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
  let parsed: ParsedCommandLine | undefined;
  const parser = buildParser(version, (command, found) => {
    const mistyped = mistypedCommand(command, found);
    parsed =
      mistyped === undefined
        ? withKnownSwitches(lineFrom(command, found, argv))
        : { problem: unknownCommand(mistyped) };
  });
  try {
    void parser.parse([...argv], (_error: unknown, _found: unknown, output: string) => {
      if (output !== '') parsed = { answer: `${output}\n` };
    });
  } catch (error) {
    parsed = { problem: explain(error instanceof Error ? error.message : String(error)) };
  }
  return parsed ?? { problem: unknownCommand(argv[0] ?? '') };
}

/** Refuses a switch of another command, which this command would ignore. */
function withKnownSwitches(line: CommandLine): ParsedCommandLine {
  const misplaced = SWITCHES.find(
    ([name, command]) => line.switches.has(name) && command !== line.command,
  );
  if (misplaced === undefined) return { line };
  const [name, command] = misplaced;
  return { problem: `--${name} belongs to ${command}; ${line.command} does not take it` };
}

/** Finds a mistyped command: the parser takes an unknown word for an argument of the default command. */
function mistypedCommand(command: string, { _: words }: Found): string | undefined {
  const first: unknown = Array.isArray(words) ? words[0] : undefined;
  return typeof first === 'string' && first !== command.split(' ')[0] ? first : undefined;
}

/** Replaces the parser's message where ours says more. */
function explain(message: string): string {
  if (message.startsWith('Not enough non-option')) return SETTINGS_USAGE;
  const [, surplus] = /^Unknown commands?: ([^,]*)/.exec(message) ?? [];
  return surplus === undefined ? message : unknownCommand(surplus);
}

function unknownCommand(word: string): string {
  const names = COMMANDS.map(([usage]) => nameOf(usage));
  const meant = nearest(word, names);
  const hint = meant === undefined ? '' : `; did you mean ${meant}?`;
  return `${quote(word)}: unknown command${hint}; accepted: ${names.join(', ')}`;
}

type Found = Readonly<Record<string, unknown>>;

function buildParser(version: string, take: (command: string, found: Found) => void): Argv {
  const parser: Argv = yargs()
    .scriptName('solar-exporter')
    .usage('Usage: $0 [command] [options]')
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
    .help()
    .wrap(100)
    .epilogue(
      `Every option is also an environment variable: --cache.max-age is SOLAR_CACHE_MAX_AGE. Secrets are
never flags: ${OPTIONS.filter(({ secret }) => secret)
        .map(({ env }) => env)
        .join(', ')}
come by environment, or from the file that the variable with _FILE at its end names.`,
    );
  for (const [name, command, purpose] of SWITCHES) {
    const describe = `${command}: ${purpose}`;
    parser.option(name, { type: 'boolean', describe, group: 'Command options:' });
  }
  for (const option of OPTIONS) if (option.secret !== true) declare(parser, option);
  for (const [usage, describe] of COMMANDS) {
    const name = nameOf(usage);
    if (name.includes(' ')) continue;
    const usages = name === DEFAULT_COMMAND ? [usage, '$0'] : [usage];
    parser.command(usages, describe, {}, (found: Found) => take(name, found));
  }
  return parser.command('settings', 'read or change the settings of a device', (settings) => {
    for (const [usage, describe] of COMMANDS) {
      const [group, ...rest] = usage.split(' ');
      if (group !== 'settings') continue;
      settings.command(rest.join(' '), describe, {}, (found: Found) => take(nameOf(usage), found));
    }
    return settings.demandCommand(1, SETTINGS_USAGE);
  });
}

function nameOf(usage: string): string {
  return usage.replace(/ [[<].*$/, '');
}

function declare(parser: Argv, option: OptionDefinition): void {
  const isBoolean = option.kind === 'boolean';
  const fallback = option.default ?? option.unset;
  parser.option(option.flag, {
    type: isBoolean ? 'boolean' : 'string',
    requiresArg: !isBoolean,
    describe: option.describe,
    group: option.commands === undefined ? 'Options:' : 'Options of simulate and demo:',
    ...(fallback === undefined ? {} : { defaultDescription: fallback }),
  });
}

function lineFrom(command: string, found: Found, argv: readonly string[]): CommandLine {
  const { device, changes } = found;
  const flags = Object.fromEntries(Object.entries(found).filter(([key]) => !NOT_OPTIONS.has(key)));
  return {
    command,
    device: typeof device === 'string' ? device : undefined,
    changes: Array.isArray(changes) ? changes.map(String) : [],
    switches: new Set(SWITCHES.map(([name]) => name).filter((name) => found[name] === true)),
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
