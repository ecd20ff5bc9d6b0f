import { QUANTITY_NAMES } from '../../src/client/dialects/dialect-file.ts';
import { FAMILIES, type FieldRule, RULES } from '../../src/client/dialects/rules.ts';
import { OPTIONS, type OptionDefinition } from '../../src/config/options.ts';
import { CATALOGUE } from '../../src/metrics/definitions.ts';
import { SOURCES } from '../../src/model/readings.ts';
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

/** Returns the keys of each family, and those of every one, by how well their rules are established. */
export function keysList(): string {
  const marks = { high: 'seen', medium: 'seen once', low: 'inferred' } as const;
  const lines = [...FAMILIES, undefined].flatMap((family) => [
    `- ${family ?? 'every family'}`,
    ...Object.entries(marks).flatMap(([level, mark]) => {
      const rules = RULES.filter(
        ({ confidence, families: [first, ...more] }) =>
          confidence === level && [first, ...more].includes(family),
      );
      const said = [...new Set(rules.map(meaningOfRule))].map((meaning) => {
        const same = rules.filter((rule) => meaningOfRule(rule) === meaning);
        return meaning.replace('…', same.map(({ key }) => `\`${key}\``).join(' '));
      });
      return said.length === 0 ? [] : `  - ${mark}: ${said.join('; ')}`;
    }),
  ]);
  return lines.join('\n');
}

/** Returns what a rule says of its key: what that measures, its unit and sign, and where it was seen. */
function meaningOfRule({ reads, unit, isTagWrong, positive, sources }: FieldRule): string {
  const names = Object.entries(QUANTITY_NAMES).find(([, name]) => name === reads);
  const notes = [
    isTagWrong === true ? 'wrong tag' : '',
    positive === undefined || positive === 'by direction' ? positive : `+ is ${positive}`,
    sources.length < SOURCES.length ? sources.join(' and ') : '',
  ].filter(Boolean);
  const noted = notes.length === 0 ? [] : [`(${notes.join(', ')})`];
  return [`**${names?.[0] ?? 'grid_direction'}** …`, ...(unit ? [unit] : []), ...noted].join(' ');
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

/** Returns the first of the few commands that take an option. */
function ownerOf({ commands = [] }: OptionDefinition): string | undefined {
  return commands[0];
}

function meaningOf(option: OptionDefinition): string {
  const { describe, choices, unset } = option;
  const accepted = choices === undefined ? '' : `: ${choices.join(', ')}`;
  const otherwise = unset === undefined ? '' : ` [${unset}]`;
  return `${describe}${accepted}${otherwise}`;
}

/** Lists what stands in two columns: on a phone, a table of long texts is hard to read. */
function list(rows: readonly (readonly [string, string])[]): string {
  return rows.map(([name, meaning]) => `- ${name}: ${meaning}`).join('\n');
}
