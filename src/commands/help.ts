import { type OptionDefinition, OPTION_BY_FLAG, OPTIONS } from '../config/options.ts';
import { greatestOf } from '../model/units.ts';
import { type CommandSpec, COMMANDS, nameOf, SWITCHES } from './commands.ts';

const WIDTH = 100;

/** The options that most people need, as the short help lists them. */
const MOST_WANTED = [
  ...['account', 'app-id', 'station', 'time-zone', 'base-url'],
  ...['web.listen-address', 'web.config.file', 'state.dir', 'config.file'],
  ...['collect.settings', 'cache.max-age', 'log.level'],
];

/** What one line of the help names, and what it says about it. */
type Entry = readonly [name: string, text: string];

/** Says what there is: the commands, and the options that most people need. */
export function shortHelp(): string {
  return joined([
    'Usage: solar-exporter [command] [options]',
    section('Commands:', commandEntries()),
    section('The options that most people need:', optionEntries(MOST_WANTED.map(optionOf))),
    SECRETS,
    'solar-exporter COMMAND --help says what a command takes; --help-all lists every option.',
  ]);
}

/** Says what one command needs. */
export function commandHelp(command: CommandSpec): string {
  return joined([
    heading(command),
    command.needsService ? CREDENTIALS : '',
    section('Options:', [
      ...switchEntries(command),
      ...optionEntries(command.options.map(optionOf)),
      ['--help-all', 'list every option'],
    ]),
  ]);
}

/** Says which commands a group has. */
export function groupHelp(group: readonly CommandSpec[]): string {
  return joined([
    section(
      'Usage:',
      group.map(({ usage, describe }) => [`solar-exporter ${usage} [options]`, describe]),
    ),
    'With --help behind it, each says what it takes.',
  ]);
}

/** Lists every option, of one command or of all. */
export function fullHelp(command?: CommandSpec): string {
  const isTaken = ({ commands }: OptionDefinition): boolean =>
    command === undefined || commands === undefined || commands.includes(nameOf(command));
  const taken = OPTIONS.filter((option) => option.secret !== true && isTaken(option));
  const general = taken.filter(({ commands }) => commands === undefined);
  return joined([
    command === undefined ? 'Usage: solar-exporter [command] [options]' : heading(command),
    command === undefined ? section('Commands:', commandEntries()) : '',
    section('Options of the command:', command === undefined ? [] : switchEntries(command)),
    section('Options of some commands:', command === undefined ? allSwitchEntries() : []),
    section('Options:', optionEntries(general)),
    ...specialSections(taken),
    SECRETS,
    'Every option is also an environment variable: --cache.max-age is SOLAR_CACHE_MAX_AGE.',
  ]);
}

/** Lists the options that only some commands take, under the names of these commands. */
function specialSections(taken: readonly OptionDefinition[]): readonly string[] {
  const owners = new Set(taken.map(({ commands = [] }) => listed(commands)));
  owners.delete('');
  return Array.from(owners, (owner) => {
    const owned = taken.filter(({ commands = [] }) => listed(commands) === owner);
    return section(`Options of ${owner}:`, optionEntries(owned));
  });
}

/** What every command that asks the service needs. */
const CREDENTIALS = `Needs in the environment, or each with _FILE at its end as the name of a file:
  SOLAR_ACCOUNT, SOLAR_PASSWORD, SOLAR_APP_ID and SOLAR_APP_SECRET; or SOLAR_ACCESS_TOKEN alone`;

const SECRETS = filled(
  `Secrets are never flags: ${OPTIONS.filter(({ secret }) => secret)
    .map(({ env }) => env)
    .join(
      ', ',
    )} come by environment, or from the file that the variable with _FILE at its end names.`,
  '',
);

function heading({ usage, describe, details }: CommandSpec): string {
  return [
    `Usage: solar-exporter ${usage} [options]`,
    '',
    `${describe[0]?.toUpperCase() ?? ''}${describe.slice(1)}.`,
    ...details,
  ].join('\n');
}

function commandEntries(): readonly Entry[] {
  return COMMANDS.map(({ usage, describe }) => [usage, describe]);
}

function switchEntries(command: CommandSpec): readonly Entry[] {
  return SWITCHES.filter(({ commands }) =>
    (commands as readonly string[]).includes(nameOf(command)),
  ).map(({ name, describe }) => [`--${name}`, describe]);
}

function allSwitchEntries(): readonly Entry[] {
  return [
    ...SWITCHES.map(({ name, commands, describe }): Entry => [
      `--${name}`,
      `${commands.join(', ')}: ${describe}`,
    ]),
    ['--help, --help-all', 'say what a command needs; list every option'],
    ['--version', 'print the version'],
  ];
}

function optionEntries(options: readonly OptionDefinition[]): readonly Entry[] {
  return options.map(({ flag, describe, choices, default: fallback, unset, kind }) => {
    const accepted = choices === undefined ? '' : `: ${choices.join(', ')}`;
    const without = fallback ?? unset;
    // That a switch is off is what everybody expects.
    const isPlain = without === undefined || (kind === 'boolean' && without === 'false');
    return [
      `--${flag}`,
      `${describe}${accepted}${isPlain ? '' : ` [default: ${without.replaceAll('`', '')}]`}`,
    ];
  });
}

/** Returns an option that the help names; that it exists is checked by a test. */
function optionOf(flag: string): OptionDefinition {
  const option = OPTION_BY_FLAG.get(flag);
  if (option === undefined) throw new TypeError(`the help names --${flag}, which is no option`);
  return option;
}

/** Lays entries out in two columns; nothing without entries. */
function section(title: string, entries: readonly Entry[]): string {
  if (entries.length === 0) return '';
  const column = greatestOf(entries.map(([name]) => name.length)) + 4;
  const lines = entries.map(([name, text]) =>
    filled(`  ${name}`.padEnd(column) + text, ' '.repeat(column)),
  );
  return [title, ...lines].join('\n');
}

/** Breaks a text into lines of the help's width; every line but the first is indented. */
function filled(text: string, indent: string): string {
  const lines: string[] = [];
  let rest = text;
  while (rest.length > WIDTH) {
    const at = rest.lastIndexOf(' ', WIDTH);
    if (at <= indent.length) break;
    lines.push(rest.slice(0, at));
    rest = indent + rest.slice(at + 1);
  }
  return [...lines, rest].join('\n');
}

function joined(parts: readonly string[]): string {
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

/** Lists words as a sentence does: `check, devices and readings`. */
export function listed(words: readonly string[]): string {
  const [last = '', ...before] = words.toReversed();
  return before.length === 0 ? last : `${before.toReversed().join(', ')} and ${last}`;
}
