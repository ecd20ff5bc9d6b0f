import type { WORKING_MODES } from '../../model/readings.ts';
import { fahrenheitToCelsius, scaled } from '../../model/units.ts';

/** All units: name, dimension, how many places the decimal point moves to get our own unit, and the spellings. */
const UNITS = [
  ['W', 'power', 0, 'w watt watts'],
  ['kW', 'power', 3, 'kw'],
  ['VA', 'apparent power', 0, 'va'],
  ['kVA', 'apparent power', 3, 'kva'],
  ['var', 'apparent power', 0, 'var'],
  ['kvar', 'apparent power', 3, 'kvar'],
  ['Wh', 'energy', -3, 'wh watthour'],
  ['kWh', 'energy', 0, 'kwh kilowatthour'],
  ['V', 'voltage', 0, 'v volt volts'],
  ['mV', 'voltage', -3, 'mv'],
  ['kV', 'voltage', 3, 'kv'],
  ['A', 'current', 0, 'a amp amps ampere amperes'],
  ['mA', 'current', -3, 'ma'],
  ['Ah', 'charge', 0, 'ah'],
  ['mAh', 'charge', -3, 'mah'],
  ['%', 'ratio', -2, '％ percent'],
  ['Hz', 'frequency', 0, 'hz'],
  ['°C', 'temperature', 0, '°c ℃ ºc ˚c c degc celsius'],
  ['°F', 'temperature', fahrenheitToCelsius, '°f ℉ f degf'],
  // Mega and milli differ only by case, so these units have no abbreviation in lower case.
  ['MW', 'power', 6, 'MW'],
  ['mW', 'power', -3, 'mW'],
  ['MWh', 'energy', 3, 'megawatthour'],
] as const;

/** What a value is: measured in one of the units, or a code. */
export type Dimension = (typeof UNITS)[number][1] | 'text';

/** A unit as the service writes it. */
export interface Unit {
  readonly name: string;
  readonly dimension: Dimension;
  /** Converts to watts, kWh, volts, amperes, a ratio, hertz or degrees Celsius. */
  readonly toBase: (value: number) => number;
}

/** The units by name and by spelling; a spelling in lower case matches any case. */
const BY_SPELLING: ReadonlyMap<string, Unit> = new Map(
  UNITS.flatMap(([name, dimension, places, spellings]) => {
    const toBase = typeof places === 'number' ? (value: number) => scaled(value, places) : places;
    return [name, ...spellings.split(' ')].map((one) => [one, { name, dimension, toBase }]);
  }),
);

/** The unit names that a dialect file may use. */
export const UNIT_NAMES: readonly string[] = UNITS.map(([name]) => name);

/** Parses a unit tag in any spelling, with or without blanks and dots; absent for an unknown unit. */
export function parseUnit(tag = ''): Unit | undefined {
  const known = BY_SPELLING.get(tag);
  if (known !== undefined || tag === '') return known;
  const bare = tag.replace(/[\s.·*]/g, '');
  return BY_SPELLING.get(bare) ?? BY_SPELLING.get(bare.toLowerCase());
}

/**
 * Converts an energy to kWh by the unit the service tags it with: Wh, kWh or MWh in any case and
 * spelling (`kW·h`, `KWH`), kWh where there is no tag (service.md#summaries). Absent for any other unit.
 */
export function toKilowattHours(energy: number, tag = ''): number | undefined {
  const bare = tag.replace(/[\s.·⋅*_-]/g, '').toLowerCase();
  const spelling = bare.replace(/(?<=.)s$/, '');
  // Energies are never sent in milliwatt hours, so the M is mega in either case.
  const unit = parseUnit(spelling === 'mwh' ? 'MWh' : spelling || 'kWh');
  return unit?.dimension === 'energy' ? unit.toBase(energy) : undefined;
}

/** The codes of each mode that several families share, and the service's words without "mode", blanks and dashes. */
const MODES: Readonly<Record<(typeof WORKING_MODES)[number], readonly string[]>> = {
  power_on: ['p', 'poweron'],
  standby: ['s', 'standby'],
  line: ['l', 'line', 'mains', 'grid'],
  battery: ['b', 'battery'],
  fault: ['f', 'fault'],
  shutdown: ['d', 'shutdown'],
};

/** Parses the code of a mode, or words such as "Line Mode"; absent for those of other languages. */
export function parseMode(words = ''): string | undefined {
  const bare = words.toLowerCase().replace(/[\s_-]+|mode[\s_-]*$/g, '');
  return Object.entries(MODES).find(([, spellings]) => spellings.includes(bare))?.[0];
}

/**
 * Parses a number, a text that is not empty, or an object with `value` or `vd`, as text. Anything else that came is a
 * text as well, because it is no missing value; absent for what is empty.
 */
export function toText(element: unknown): string | undefined {
  if (typeof element === 'string') return element.trim() || undefined;
  if (typeof element === 'number' || typeof element === 'boolean') return String(element);
  if (typeof element !== 'object' || element === null) return undefined;
  if (Object.keys(element).length === 0) return undefined;
  const { value, vd } = element as { value?: unknown; vd?: unknown };
  const inner = 'value' in element || 'vd' in element ? (value ?? vd) : element;
  return typeof inner === 'object' && inner !== null ? 'no value that is known' : toText(inner);
}

/** Parses the same as a decimal number: `Number` alone would also read other bases, and empty text as 0. */
export function toNumber(element: unknown): number | undefined {
  if (typeof element === 'number') return Number.isFinite(element) ? element : undefined;
  const text = toText(element) ?? '';
  const value = /^[\d.e+-]+$/i.test(text) ? Number(text) : NaN;
  return Number.isFinite(value) ? value : undefined;
}
