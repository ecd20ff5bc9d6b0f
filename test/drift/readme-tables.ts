import { OPTIONS, type OptionDefinition } from '../../src/config/options.ts';
import { CATALOGUE } from '../../src/metrics/definitions.ts';

/** The options table of the README, as the option table has it. */
export function optionsTable(): string {
  return table(
    ['flag', 'environment', 'default', 'meaning'],
    OPTIONS.map((option) => [
      option.secret === true ? '–' : `\`--${option.flag}\``,
      variablesOf(option),
      option.default === undefined ? (option.unset ?? '') : `\`${option.default}\``,
      meaningOf(option),
    ]),
  );
}

/** The metrics table of the README, as the catalogue has it. */
export function metricsTable(): string {
  return table(
    ['metric', 'type', 'labels', 'meaning'],
    CATALOGUE.map(({ name, type, labelNames, help }) => [
      `\`${name}\``,
      type,
      labelNames.map((label) => `\`${label}\``).join(' '),
      help,
    ]),
  );
}

function variablesOf({ env, secret }: OptionDefinition): string {
  return secret === true ? `\`${env}\`, \`${env}_FILE\`` : `\`${env}\``;
}

function meaningOf({ describe, choices, commands }: OptionDefinition): string {
  const accepted = choices === undefined ? '' : `: ${choices.join(', ')}`;
  const only = commands === undefined ? '' : ` (${commands.join(' and ')})`;
  return `${describe}${accepted}${only}`;
}

function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [header, header.map(() => '---'), ...rows].map(line).join('\n');
}
