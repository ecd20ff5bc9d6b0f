import { type CommandSpec, COMMANDS, nameOf, SWITCHES } from '../../src/commands/commands.ts';
import { listed } from '../../src/commands/help.ts';
import { OPTIONS, type OptionDefinition } from '../../src/config/options.ts';

/** What only a person can say; the rest follows from the tables of commands and options. */
const DESCRIPTION = `solar-exporter reads the solar monitoring cloud behind the apps Solar of Things and SiSeLi, and serves what
it finds to Prometheus: power, battery, grid, energy and alarms of each inverter. It asks the service only when it is
scraped, and then only for what is due.`;

const EXIT_STATUS: readonly (readonly [string, string])[] = [
  ['0', 'Everything went well.'],
  ['1', 'The service or the network failed.'],
  ['2', 'The command line or the configuration is wrong.'],
  ['129', 'A hangup ended a command that cannot reload its configuration.'],
  ['130', 'A person interrupted it.'],
];

const EXAMPLES: readonly (readonly [string, string])[] = [
  ['solar-exporter demo', 'Runs the exporter on a simulated station; needs no account.'],
  ['solar-exporter check', 'Tries the connection, and says what to do about a step that fails.'],
  ['solar-exporter --config.file=/etc/solar-exporter/config.yaml', 'Runs the exporter.'],
];

/** Returns the manual page of the program, in the language of man(7). */
export function manPage(homepage: string): string {
  const general = shownOptions().filter(({ commands }) => commands === undefined);
  const special = shownOptions().filter(({ commands }) => commands !== undefined);
  return [
    '.\\" Made by UPDATE_DOCS=1 npx vitest run test/drift',
    '.TH SOLAR\\-EXPORTER 1 "" "solar\\-exporter" "User Commands"',
    // Long words, such as addresses, would tear a line apart that fills the width.
    '.ad l',
    ...section('NAME', ['solar\\-exporter \\- Prometheus exporter for a solar monitoring cloud']),
    ...section('SYNOPSIS', ['.B solar\\-exporter', '[\\fIcommand\\fR] [\\fIoptions\\fR]']),
    ...section('DESCRIPTION', DESCRIPTION.split('\n').map(escaped)),
    ...section(
      'COMMANDS',
      COMMANDS.flatMap((command) => commandEntry(command, homepage)),
    ),
    ...section('OPTIONS', [
      'Every option is also an environment variable and a key of the file of',
      '.BR \\-\\-config.file .',
      'A flag goes before the environment, and the environment before the file.',
      ...general.flatMap(optionEntry),
      ...entry('\\fB\\-\\-help\\fR, \\fB\\-\\-help\\-all\\fR, \\fB\\-\\-version\\fR', [
        'say what a command needs; list every option; print the version',
      ]),
      '.SS Options of some commands',
      ...SWITCHES.flatMap(({ name, describe, commands }) =>
        entry(bold(`--${name}`), [`${describe} (${listed(commands)})`]),
      ),
      ...special.flatMap(optionEntry),
    ]),
    ...section('ENVIRONMENT', [
      'Secrets are never flags. Each comes from a variable, or from the file that the variable with _FILE at its end names:',
      ...OPTIONS.filter(({ secret }) => secret === true).flatMap(({ env, describe }) =>
        entry(bold(env), [describe]),
      ),
    ]),
    ...section(
      'EXIT STATUS',
      EXIT_STATUS.flatMap(([status, text]) => entry(bold(status), [text])),
    ),
    ...section(
      'EXAMPLES',
      EXAMPLES.flatMap(([line, text]) => entry(bold(line), [text])),
    ),
    ...section('SEE ALSO', ['.BR prometheus (1)', '.PP', escaped(homepage)]),
    '',
  ].join('\n');
}

function shownOptions(): readonly OptionDefinition[] {
  return OPTIONS.filter(({ secret }) => secret !== true);
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return [`.SH ${title}`, ...lines];
}

/** An entry of a list: what it is about, and texts that say it, each in a paragraph of its own. */
function entry(head: string, texts: readonly string[]): readonly string[] {
  return [
    '.TP',
    head,
    ...texts.flatMap((text, index) => [...(index > 0 ? ['.IP'] : []), escaped(text)]),
  ];
}

function commandEntry(command: CommandSpec, homepage: string): readonly string[] {
  const name = nameOf(command);
  const rest = command.usage.slice(name.length);
  // The pages are not where a manual page is read.
  const details = command.details.map((line) =>
    line.trim().replace(/\bdocs\/\S+\.md/, `${homepage}/blob/main/$&`),
  );
  return entry(`${bold(name)}${escaped(rest)}`, [command.describe, ...details]);
}

function optionEntry(option: OptionDefinition): readonly string[] {
  const { flag, kind, describe, choices, commands, default: fallback, unset } = option;
  const value = kind === 'boolean' ? '[=false]' : ' \\fIvalue\\fR';
  const accepted = choices === undefined ? '' : `: ${choices.join(', ')}`;
  const only = commands === undefined ? '' : ` (${listed(commands)})`;
  const without = (fallback ?? unset)?.replaceAll('`', '');
  const remark = without === undefined ? '' : ` [default: ${without}]`;
  return entry(`${bold(`--${flag}`)}${value}`, [`${describe}${accepted}${only}${remark}`]);
}

function bold(text: string): string {
  return `\\fB${escaped(text)}\\fR`;
}

/** Takes the meaning from what the language of man(7) would obey. */
function escaped(text: string): string {
  const quoted = text.replaceAll('\\', '\\e').replaceAll('-', '\\-').replaceAll('…', '...');
  return quoted.replace(/^(?=[.'])/, '\\&');
}
