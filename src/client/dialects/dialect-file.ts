import { z } from 'zod';
import { ConfigError } from '../../base/errors.ts';
import { cut, quote, toJsonLine } from '../../base/shown.ts';
import { SOURCES } from '../../model/readings.ts';
import { dimensionOf } from './interpret.ts';
import type { FieldRule, Positive } from './rules.ts';
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
  bms_connected: 'batteryBmsConnected',
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

/** What a positive value may mean, by signed quantity. */
const SIGNS: Partial<Record<QuantityName, readonly Positive[]>> = {
  grid_power: ['import', 'feed-in'],
  battery_power: ['discharging', 'charging'],
  battery_current: ['discharging', 'charging'],
};

const ACCEPTED_NAMES = 'accepted: key, quantity, unit, sign, part, model';

/** The content of `--dialect.file`: a list of entries that have not been validated. */
export interface DialectFile {
  readonly file: { readonly path: string };
  readonly entries: readonly unknown[];
}

/**
 * Validates the entries of a dialect file and turns them into rules.
 *
 * @throws ConfigError that lists every problem of every entry.
 */
export function rulesOf({ file, entries }: DialectFile): readonly FieldRule[] {
  const results = entries.map((entry) => entrySchema(quantityOf(entry)).safeParse(entry));
  const problems = results.flatMap(({ error }, index) =>
    (error?.issues ?? []).flatMap(problemsOf).map((problem) => `entry ${index + 1}: ${problem}`),
  );
  if (problems.length > 0)
    throw new ConfigError(
      problems.map((problem) => `--dialect.file: ${toJsonLine(file.path)}: ${problem}`),
    );
  return results.flatMap(({ data }) => data ?? []);
}

function problemsOf(issue: z.core.$ZodIssue): readonly string[] {
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((name) => `${quote(name)}: unknown name; ${ACCEPTED_NAMES}`);
  return [[...issue.path, issue.message].join(': ')];
}

const quantitySchema = choice(
  (name) => Object.hasOwn(QUANTITY_NAMES, name),
  `accepted: ${Object.keys(QUANTITY_NAMES).join(', ')}`,
);

/** Returns the quantity of an entry, which decides what its other fields may be. */
function quantityOf(entry: unknown): QuantityName | undefined {
  const { data } = z.object({ quantity: quantitySchema }).safeParse(entry);
  return data?.quantity as QuantityName | undefined;
}

/** Returns the schema of an entry. Where the quantity is unknown, unit, sign and part may be anything. */
function entrySchema(quantity: QuantityName | undefined): z.ZodType<FieldRule> {
  const anything = words().optional();
  return z
    .strictObject(
      {
        key: words('accepted: a field key of the service'),
        quantity: quantitySchema,
        unit: quantity === undefined ? anything : unitSchema(quantity),
        sign: quantity === undefined ? anything : signSchema(quantity),
        part: quantity === undefined ? anything : partSchema(quantity),
        model: anything,
      },
      {
        error: ({ code }) =>
          code === 'invalid_type' ? `is not a mapping; ${ACCEPTED_NAMES}` : undefined,
      },
    )
    .transform(({ key, unit, sign, part, model }) => ({
      ...{ key, unit, part, model },
      positive: sign as Positive | undefined,
      reads: QUANTITY_NAMES[quantity ?? 'nothing'],
      families: [],
      sources: SOURCES,
      confidence: 'user',
    }));
}

function unitSchema(quantity: QuantityName) {
  const dimension = dimensionOf({ reads: QUANTITY_NAMES[quantity] });
  const isAccepted = (unit: string): boolean => parseUnit(unit)?.dimension === dimension;
  const units = dimension === undefined ? [] : UNIT_NAMES.filter(isAccepted);
  if (units.length === 0) return refused(`${quantity} has none`);
  return choice(isAccepted, `accepted for ${quantity}: ${units.join(', ')}`);
}

function signSchema(quantity: QuantityName) {
  const signs: readonly string[] | undefined = SIGNS[quantity];
  if (signs === undefined) return refused(`only ${Object.keys(SIGNS).join(', ')} have one`);
  const accepted = `${signs.join(', ')} (what a positive value means)`;
  return choice((sign) => signs.includes(sign), `accepted for ${quantity}: ${accepted}`);
}

function partSchema(quantity: QuantityName) {
  // These are always measured by string or sensor; others as a whole, or by phase or cell.
  if (/^(?:string_.*|temperature)$/.test(quantity))
    return words(`accepted for ${quantity}: which string or sensor it is`);
  const mayHaveParts = Object.hasOwn(SIGNS, quantity) || quantity === 'battery_temperature';
  return mayHaveParts ? words().optional() : refused(`${quantity} has no parts`);
}

/** Accepts a text or a number, because YAML reads `part: 1` and `model: 5000` as numbers. */
function words(accepted = '') {
  return z.union([z.string().trim().min(1, { abort: true }), z.number().transform(String)], {
    error: ({ input }) =>
      input === undefined
        ? `is missing; ${accepted}`
        : `${cut(toJsonLine(input))} is not accepted; accepted: a text or a number`,
  });
}

/** Accepts the texts that pass the check. */
function choice(isAccepted: (text: string) => boolean, accepted: string) {
  return words(accepted).refine(isAccepted, {
    error: ({ input }) => `${quote(String(input))} is not accepted; ${accepted}`,
  });
}

/** Accepts no text: the field has to be left out. */
function refused(reason: string) {
  return choice(() => false, reason).optional();
}
