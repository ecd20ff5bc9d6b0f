import { z } from 'zod';
import { ConfigError } from '../../errors.ts';
import { cut, quote } from '../../shown.ts';
import { dimensionOf, type FieldRule, type Positive } from './field-rule.ts';
import type { UserRule } from './rule-book.ts';
import { EVERYWHERE } from './sources.ts';
import { parseUnit, UNIT_NAMES } from './unit.ts';

/** The quantities by the names that a dialect file gives them. */
export const QUANTITY_NAMES = {
  pv_power: 'pvPowerWatts',
  load_power: 'loadPowerWatts',
  ac_output_power: 'acOutputPowerWatts',
  grid_power: 'gridPower',
  grid_import_power: 'gridImportPowerWatts',
  grid_feed_in_power: 'gridFeedInPowerWatts',
  battery_power: 'batteryPower',
  battery_current: 'batteryCurrent',
  battery_charging_current: 'batteryChargingCurrentAmperes',
  battery_discharge_current: 'batteryDischargeCurrentAmperes',
  battery_voltage: 'batteryVoltageVolts',
  battery_soc: 'batterySocRatio',
  battery_soh: 'batterySohRatio',
  battery_temperature: 'batteryTemperatureCelsius',
  grid_voltage: 'gridVoltageVolts',
  grid_frequency: 'gridFrequencyHertz',
  ac_output_voltage: 'acOutputVoltageVolts',
  ac_output_frequency: 'acOutputFrequencyHertz',
  string_power: 'stringPowerWatts',
  string_voltage: 'stringVoltageVolts',
  string_current: 'stringCurrentAmperes',
  temperature: 'temperatureCelsius',
  working_mode: 'workingMode',
  nothing: 'nothing',
} as const satisfies Readonly<Record<string, FieldRule['reads']>>;

type QuantityName = keyof typeof QUANTITY_NAMES;

/** What a positive value may mean, by the signed quantities. */
const SIGNS: Partial<Record<QuantityName, readonly Positive[]>> = {
  grid_power: ['import', 'feed-in'],
  battery_power: ['discharging', 'charging'],
  battery_current: ['discharging', 'charging'],
};

const PARTED: ReadonlySet<string> = new Set([
  'string_power',
  'string_voltage',
  'string_current',
  'temperature',
]);

/** These may be given whole, or by phase or cell. */
const SUMMED: ReadonlySet<string> = new Set([
  'grid_power',
  'battery_power',
  'battery_current',
  'battery_temperature',
]);

const FIELDS = ['key', 'quantity', 'unit', 'sign', 'part', 'model'] as const;
const word = z.union([z.string().trim().min(1), z.number().transform(String)]).optional();
const entrySchema = z.strictObject({
  key: word,
  quantity: word,
  unit: word,
  sign: word,
  part: word,
  model: word,
});

/** What `--dialect.file` holds: a list of entries, not yet judged. */
export interface DialectFile {
  readonly file: { readonly path: string };
  readonly entries: readonly unknown[];
}

/**
 * Makes rules of the entries of a dialect file: mappings of `key`, `quantity`, `unit`, `sign`, `part`
 * and `model`.
 *
 * @throws ConfigError that lists every entry that cannot be used.
 */
export function rulesOf({ file, entries }: DialectFile): readonly UserRule[] {
  const problems: string[] = [];
  const rules = entries.map((entry, index) => {
    const at = `entry ${index + 1}`;
    const { data } = entrySchema.safeParse(entry);
    if (data === undefined) {
      problems.push(`${at}: ${shapeProblem(entry)}`);
      return undefined;
    }
    const faults = faultsOf(data);
    problems.push(...faults.map((fault) => `${at}: ${fault}`));
    return faults.length > 0 ? undefined : ruleFrom(data);
  });
  if (problems.length > 0)
    throw new ConfigError(
      problems.map((problem) => `--dialect.file: ${JSON.stringify(file.path)}: ${problem}`),
    );
  return rules.filter((rule) => rule !== undefined);
}

type Entry = z.output<typeof entrySchema>;

function shapeProblem(entry: unknown): string {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry))
    return `is not a mapping; accepted: ${FIELDS.join(', ')}`;
  const unknown = Object.keys(entry).find((name) => !(FIELDS as readonly string[]).includes(name));
  if (unknown !== undefined)
    return `${quote(unknown)}: unknown name; accepted: ${FIELDS.join(', ')}`;
  const given = entry as Readonly<Record<string, unknown>>;
  const unusable = FIELDS.find((name) => name in given && !word.safeParse(given[name]).success);
  const value = JSON.stringify(given[unusable ?? 'key']);
  return `${unusable ?? 'key'}: ${cut(value)} is not accepted; accepted: a text or a number`;
}

function faultsOf({ key, quantity, unit, sign, part }: Entry): readonly string[] {
  const faults: string[] = [];
  if (key === undefined) faults.push('key: is missing; accepted: a field key of the service');
  if (!isQuantityName(quantity)) {
    const names = Object.keys(QUANTITY_NAMES).join(', ');
    faults.push(`quantity: ${shown(quantity)}; accepted: ${names}`);
    return faults;
  }
  const dimension = dimensionOf(sampleRule(quantity));
  const isMeasured = dimension !== undefined && dimension !== 'text';
  const given = parseUnit(unit)?.dimension;
  if (isMeasured && given !== dimension) {
    const fitting = UNIT_NAMES.filter((name) => parseUnit(name)?.dimension === dimension);
    faults.push(`unit: ${shown(unit)}; accepted for ${quantity}: ${fitting.join(', ')}`);
  }
  if (!isMeasured && unit !== undefined) faults.push(`unit: ${shown(unit)}; ${quantity} has none`);
  const signs = SIGNS[quantity];
  if (signs === undefined && sign !== undefined)
    faults.push(`sign: ${shown(sign)}; only ${Object.keys(SIGNS).join(', ')} have one`);
  if (signs !== undefined && !signs.some((positive) => positive === sign))
    faults.push(
      `sign: ${shown(sign)}; accepted for ${quantity}: ${signs.join(', ')} (what a positive value means)`,
    );
  if (PARTED.has(quantity) && part === undefined)
    faults.push(`part: is missing; accepted for ${quantity}: which string or sensor it is`);
  if (part !== undefined && !PARTED.has(quantity) && !SUMMED.has(quantity))
    faults.push(`part: ${shown(part)}; ${quantity} has no parts`);
  return faults;
}

function ruleFrom({ key = '', quantity, unit, sign, part, model }: Entry): UserRule {
  return {
    ...sampleRule(quantity as QuantityName),
    key,
    ...(unit !== undefined && { unit }),
    ...(sign !== undefined && { positive: sign as Positive }),
    ...(part !== undefined && { part }),
    model,
  };
}

function sampleRule(quantity: QuantityName): FieldRule {
  const reads = QUANTITY_NAMES[quantity];
  return { key: '', reads, families: [], sources: EVERYWHERE, confidence: 'user' };
}

function isQuantityName(name: string | undefined): name is QuantityName {
  return name !== undefined && Object.hasOwn(QUANTITY_NAMES, name);
}

function shown(value: string | undefined): string {
  return value === undefined ? 'is missing' : `${quote(value)} is not accepted`;
}
