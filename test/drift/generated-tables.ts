import { type DocumentedCode, SERVICE_CODES } from '../../src/client/exchange/decode.ts';
import { listed } from '../../src/commands/flags.ts';
import { REMEDIES } from '../../src/commands/remedies.ts';
import { FAMILIES, type Family, RULES } from '../../src/client/dialects/rules.ts';
import { ACCOUNT_OPTIONS, OPTIONS, type OptionDefinition } from '../../src/config/options.ts';
import { CATALOGUE } from '../../src/metrics/definitions.ts';

/** Returns the table of docs/options.md, as the option table has it. */
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

/** Returns the table of the keys of an account in docs/options.md, as the option table has it. */
export function accountKeysTable(): string {
  const rows = ACCOUNT_OPTIONS.map(({ flag, secret, perAccount, unset }) => [
    secret === true ? `\`${flag}\`, \`${flag}-file\`` : `\`${flag}\``,
    perAccount === 'own' ? (unset ?? '') : 'as the rest of the configuration says',
  ]);
  return table(['key of an account', 'where it is left out'], [['`name`', 'an error'], ...rows]);
}

/** Returns the table of docs/metrics.md, as the catalogue has it. */
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

/** Returns the table of the service's own codes in docs/operations.md. */
export function serviceCodesTable(): string {
  return table(
    ['service code', 'what it means', 'what to do'],
    Object.entries(SERVICE_CODES).map(([code, meaning]) => [
      `\`${code}\``,
      meaning,
      REMEDIES[code as DocumentedCode],
    ]),
  );
}

/**
 * Counts for each inverter family the rules that read a value of it, by how well they are established, as
 * the last column of the table in docs/families.md has it.
 */
export function confirmedRules(): readonly (readonly [Family, string])[] {
  return FAMILIES.map((family) => {
    const rules = RULES.filter(
      ({ families, reads }) => families.includes(family) && reads !== 'nothing',
    );
    const counts = (['high', 'medium', 'low'] as const)
      .map((level) => ({ level, count: rules.filter((rule) => rule.confidence === level).length }))
      .filter(({ count }) => count > 0);
    return [family, counts.map(({ level, count }) => `${count} ${level}`).join(', ')] as const;
  });
}

/** Returns {@link confirmedRules} as a table. */
export function familiesTable(): string {
  return table(
    ['family', 'rules'],
    confirmedRules().map(([family, rules]) => [`\`${family}\``, rules]),
  );
}

function variablesOf({ env, secret }: OptionDefinition): string {
  return secret === true ? `\`${env}\`, \`${env}_FILE\`` : `\`${env}\``;
}

function meaningOf({ describe, choices, commands }: OptionDefinition): string {
  const accepted = choices === undefined ? '' : `: ${choices.join(', ')}`;
  const only = commands === undefined ? '' : ` (${listed(commands)})`;
  return `${describe}${accepted}${only}`;
}

function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [header, header.map(() => '---'), ...rows].map(line).join('\n');
}
