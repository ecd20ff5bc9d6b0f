import { listed } from '../../src/commands/flags.ts';
import { FAMILIES, type Family, RULES } from '../../src/client/dialects/rules.ts';
import { ACCOUNT_OPTIONS, OPTIONS, type OptionDefinition } from '../../src/config/options.ts';
import { CATALOGUE } from '../../src/metrics/definitions.ts';
import type { MetricDefinition } from '../../src/collectors/metric.ts';

/** Returns the lists of docs/options.md by their names, as the option table has them. */
export const optionLists = {
  options: (): string =>
    optionList((option) => !isEndpointPath(option) && ownerOf(option) === undefined),
  paths: (): string =>
    ['```sh', ...OPTIONS.filter(isEndpointPath).map(withDefault), '```'].join('\n'),
  'history-options': (): string => optionList((option) => ownerOf(option) === 'history'),
  'simulator-options': (): string => optionList((option) => ownerOf(option) === 'simulate'),
};

/** Returns the lists of the keys of an account in docs/options.md, as the option table has it. */
export function accountKeysList(): string {
  const keysThat = (how: 'own' | 'inherits'): string =>
    ACCOUNT_OPTIONS.filter(({ perAccount }) => perAccount === how)
      .map(({ flag, secret }) =>
        secret === true ? `\`${flag}\`, \`${flag}-file\`` : `\`${flag}\``,
      )
      .join(', ');
  return list([
    ['of its own', `\`name\`, ${keysThat('own')}`],
    ['of its own, or as in the rest of the configuration', keysThat('inherits')],
  ]);
}

const PLACES = ['device', 'station', 'exporter'] as const;

/** Returns the lists of docs/metrics.md, as the catalogue has them: of devices, of stations and of the exporter. */
export function metricLists(): readonly { readonly name: string; readonly table: string }[] {
  return PLACES.map((place) => ({
    name: `metrics-of-${place}`,
    table: list(
      CATALOGUE.filter((metric) => placeOf(metric) === place).map((metric) => [
        nameOf(metric),
        metric.help,
      ]),
    ),
  }));
}

function placeOf({ labelNames }: MetricDefinition): (typeof PLACES)[number] {
  if (labelNames.includes('device_id')) return 'device';
  return labelNames.includes('station_id') ? 'station' : 'exporter';
}

/** Names a metric with the labels that only it has, and its type where the name does not say it. */
function nameOf({ name, type, labelNames }: MetricDefinition): string {
  const own = labelNames.filter((label) => label !== 'station_id' && label !== 'device_id');
  const usual = name.endsWith('_total') ? 'counter' : 'gauge';
  return `\`${name}${own.length === 0 ? '' : `{${own.join(',')}}`}\`${type === usual ? '' : ` (${type})`}`;
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

function optionList(isShown: (option: OptionDefinition) => boolean): string {
  return list(
    OPTIONS.filter(isShown).map((option) => [
      `\`${option.secret === true ? option.env : withDefault(option)}\``,
      meaningOf(option),
    ]),
  );
}

/** Writes a flag as a person would type its default; without one, the flag alone. */
function withDefault({ flag, default: fallback }: OptionDefinition): string {
  return fallback === undefined ? `--${flag}` : `--${flag}=${fallback}`;
}

function isEndpointPath({ flag }: OptionDefinition): boolean {
  return flag.startsWith('path.');
}

/** Returns the first of few commands that take an option; of the others, their meaning says which take it. */
function ownerOf({ commands }: OptionDefinition): string | undefined {
  return commands !== undefined && commands.length <= 2 ? commands[0] : undefined;
}

function meaningOf(option: OptionDefinition): string {
  const { describe, choices, commands = [], unset } = option;
  const accepted = choices === undefined ? '' : `: ${choices.join(', ')}`;
  const only =
    commands.length === 0 || ownerOf(option) !== undefined ? '' : ` (${listed(commands)})`;
  const otherwise = unset === undefined ? '' : ` [${unset}]`;
  return `${describe}${accepted}${only}${otherwise}`;
}

/** Lists what stands in two columns: on a phone, a table of long texts is hard to read. */
function list(rows: readonly (readonly [string, string])[]): string {
  return rows.map(([name, meaning]) => `- ${name}: ${meaning}`).join('\n');
}
