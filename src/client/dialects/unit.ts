import {
  fahrenheitToCelsius,
  kilowattsToWatts,
  percentToRatio,
  scaled,
} from '../../model/units.ts';

export type Dimension =
  | 'power'
  | 'apparent power'
  | 'energy'
  | 'voltage'
  | 'current'
  | 'charge'
  | 'ratio'
  | 'frequency'
  | 'temperature'
  | 'text'
  | 'flag';

/** A unit as the service writes it. */
export interface Unit {
  readonly name: string;
  readonly dimension: Dimension;
  /** Converts to watts, kWh, volts, amperes, a ratio, hertz or degrees Celsius. */
  readonly toBase: (value: number) => number;
}

const shifted = (powerOfTen: number) => (value: number) => scaled(value, powerOfTen);
const asIs = shifted(0);
const thousandth = shifted(-3);

/** Units by their name in lower case, for names that are clear regardless of case. */
const UNITS: ReadonlyMap<string, Unit> = new Map(
  (
    [
      ['W', 'power', asIs],
      ['kW', 'power', kilowattsToWatts],
      ['VA', 'apparent power', asIs],
      ['kVA', 'apparent power', kilowattsToWatts],
      ['var', 'apparent power', asIs],
      ['kvar', 'apparent power', kilowattsToWatts],
      ['Wh', 'energy', thousandth],
      ['kWh', 'energy', asIs],
      ['V', 'voltage', asIs],
      ['mV', 'voltage', thousandth],
      ['kV', 'voltage', shifted(3)],
      ['A', 'current', asIs],
      ['mA', 'current', thousandth],
      ['Ah', 'charge', asIs],
      ['mAh', 'charge', thousandth],
      ['%', 'ratio', percentToRatio],
      ['Hz', 'frequency', asIs],
      ['°C', 'temperature', asIs],
      ['°F', 'temperature', fahrenheitToCelsius],
    ] as const satisfies readonly (readonly [string, Dimension, Unit['toBase']])[]
  ).map(([name, dimension, toBase]) => [name.toLowerCase(), { name, dimension, toBase }]),
);

/** Mega and milli differ only by case. */
const CASED_UNITS: ReadonlyMap<string, Unit> = new Map([
  ['MW', { name: 'MW', dimension: 'power', toBase: shifted(6) }],
  ['mW', { name: 'mW', dimension: 'power', toBase: thousandth }],
  ['MWh', { name: 'MWh', dimension: 'energy', toBase: shifted(3) }],
]);

/** Other spellings of the names above. */
const SPELLINGS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    '%': '％ percent',
    '°c': '℃ ºc ˚c c degc celsius',
    '°f': '℉ f degf',
    v: 'volt volts',
    w: 'watt watts',
    a: 'amp amps ampere amperes',
  }).flatMap(([name, spellings]) => spellings.split(' ').map((spelling) => [spelling, name])),
);

/** All units by their name as it is spelt above. */
const EXACT_UNITS: ReadonlyMap<string, Unit> = new Map(
  [...UNITS.values(), ...CASED_UNITS.values()].map((unit) => [unit.name, unit]),
);

/** The unit names that a dialect file may use. */
export const UNIT_NAMES: readonly string[] = [...EXACT_UNITS.keys()];

/** Parses a unit tag in any spelling, with or without blanks and dots; absent for an unknown unit. */
export function parseUnit(tag: string | undefined): Unit | undefined {
  if (tag === undefined) return undefined;
  // As nearly all tags are spelt, and those of the rules.
  return EXACT_UNITS.get(tag) ?? parseSpelling(tag);
}

function parseSpelling(tag: string): Unit | undefined {
  const compact = tag.replace(/[\s.·*]/g, '');
  const spelling = compact.toLowerCase();
  return CASED_UNITS.get(compact) ?? UNITS.get(SPELLINGS.get(spelling) ?? spelling);
}

/** Energy units in lower case, as the monthly summary spells them. */
const ENERGY_SPELLINGS: Readonly<Record<string, string>> = {
  '': 'kWh',
  wh: 'Wh',
  watthour: 'Wh',
  kwh: 'kWh',
  kilowatthour: 'kWh',
  mwh: 'MWh',
  megawatthour: 'MWh',
};

/**
 * Converts an energy to kWh by the unit the service tags it with: Wh, kWh or MWh in any case and
 * spelling (`kW·h`, `KWH`), kWh where there is no tag (field notes 2.9). Absent for any other unit.
 */
export function toKilowattHours(energy: number, unit = ''): number | undefined {
  // Nobody counts a month in milliwatt hours, so the case of the M says nothing.
  const spelling = unit
    .replace(/[\s.·⋅*_-]/g, '')
    .toLowerCase()
    .replace(/(.)s$/, '$1');
  const name = Object.hasOwn(ENERGY_SPELLINGS, spelling) ? ENERGY_SPELLINGS[spelling] : undefined;
  return parseUnit(name)?.toBase(energy);
}
