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

/** All units by their names. A name in lower case stands for itself in any case. */
const UNITS: readonly (Unit & { readonly spellings: string })[] = (
  [
    ['W', 'power', asIs, 'w watt watts'],
    ['kW', 'power', kilowattsToWatts, 'kw'],
    ['VA', 'apparent power', asIs, 'va'],
    ['kVA', 'apparent power', kilowattsToWatts, 'kva'],
    ['var', 'apparent power', asIs, 'var'],
    ['kvar', 'apparent power', kilowattsToWatts, 'kvar'],
    ['Wh', 'energy', thousandth, 'wh'],
    ['kWh', 'energy', asIs, 'kwh'],
    ['V', 'voltage', asIs, 'v volt volts'],
    ['mV', 'voltage', thousandth, 'mv'],
    ['kV', 'voltage', shifted(3), 'kv'],
    ['A', 'current', asIs, 'a amp amps ampere amperes'],
    ['mA', 'current', thousandth, 'ma'],
    ['Ah', 'charge', asIs, 'ah'],
    ['mAh', 'charge', thousandth, 'mah'],
    ['%', 'ratio', percentToRatio, '％ percent'],
    ['Hz', 'frequency', asIs, 'hz'],
    ['°C', 'temperature', asIs, '°c ℃ ºc ˚c c degc celsius'],
    ['°F', 'temperature', fahrenheitToCelsius, '°f ℉ f degf'],
    // Mega and milli differ only by case.
    ['MW', 'power', shifted(6), 'MW'],
    ['mW', 'power', thousandth, 'mW'],
    ['MWh', 'energy', shifted(3), 'MWh'],
  ] as const satisfies readonly (readonly [string, Dimension, Unit['toBase'], string])[]
).map(([name, dimension, toBase, spellings]) => ({ name, dimension, toBase, spellings }));

/** The units by the names above, and by their spellings in lower case. */
const BY_SPELLING: ReadonlyMap<string, Unit> = new Map(
  UNITS.flatMap((unit) => [unit.name, ...unit.spellings.split(' ')].map((name) => [name, unit])),
);

/** The unit names that a dialect file may use. */
export const UNIT_NAMES: readonly string[] = UNITS.map(({ name }) => name);

/** Parses a unit tag in any spelling, with or without blanks and dots; absent for an unknown unit. */
export function parseUnit(tag = ''): Unit | undefined {
  return BY_SPELLING.get(tag) ?? parseSpelling(tag.replace(/[\s.·*]/g, ''));
}

function parseSpelling(tag: string): Unit | undefined {
  return BY_SPELLING.get(tag) ?? BY_SPELLING.get(tag.toLowerCase());
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

/** Parses a number, a text that is not empty, or an object with `value` or `vd`, as text. */
export function toText(element: unknown): string | undefined {
  if (typeof element === 'number') return Number.isFinite(element) ? String(element) : undefined;
  if (typeof element === 'string') return element.trim() === '' ? undefined : element.trim();
  if (typeof element !== 'object' || element === null) return undefined;
  const { value, vd } = element as { value?: unknown; vd?: unknown };
  const inner = value ?? vd;
  return typeof inner === 'object' ? undefined : toText(inner);
}

/** What a decimal number is made of: `Number` would also read other bases, and nothing as 0. */
const DECIMAL = /^[\d.e+-]+$/i;

/** Parses the same as a number; absent where the text is no decimal number. */
export function toNumber(element: unknown): number | undefined {
  const text = toText(element) ?? '';
  const value = DECIMAL.test(text) ? Number(text) : NaN;
  return Number.isFinite(value) ? value : undefined;
}
