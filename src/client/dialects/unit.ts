import { kilowattsToWatts, percentToRatio } from '../../model/units.ts';

/** What a unit measures. */
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
  | 'text';

/** A unit as the service writes it. */
export interface Unit {
  readonly name: string;
  readonly dimension: Dimension;
  /** To watts, volts, amperes, a ratio, hertz or degrees Celsius. */
  readonly toBase: (value: number) => number;
}

const asIs = (value: number): number => value;
const times = (factor: number) => (value: number) => Number((value * factor).toPrecision(15));
const thousandth = (value: number): number => value / 1000;

/** Units by their spelling without blanks, dots and case; where case matters, see below. */
const UNITS: ReadonlyMap<string, Unit> = new Map(
  (
    [
      ['W', 'power', asIs],
      ['kW', 'power', kilowattsToWatts],
      ['VA', 'apparent power', asIs],
      ['kVA', 'apparent power', kilowattsToWatts],
      ['var', 'apparent power', asIs],
      ['kvar', 'apparent power', kilowattsToWatts],
      ['Wh', 'energy', asIs],
      ['kWh', 'energy', times(1000)],
      ['V', 'voltage', asIs],
      ['mV', 'voltage', thousandth],
      ['kV', 'voltage', times(1000)],
      ['A', 'current', asIs],
      ['mA', 'current', thousandth],
      ['Ah', 'charge', asIs],
      ['mAh', 'charge', thousandth],
      ['%', 'ratio', percentToRatio],
      ['Hz', 'frequency', asIs],
      ['°C', 'temperature', asIs],
      ['°F', 'temperature', (value) => ((value - 32) * 5) / 9],
    ] as const satisfies readonly (readonly [string, Dimension, Unit['toBase']])[]
  ).map(([name, dimension, toBase]) => [name.toLowerCase(), { name, dimension, toBase }]),
);

/** Millions and thousandths differ by their case alone. */
const CASED_UNITS: ReadonlyMap<string, Unit> = new Map([
  ['MW', { name: 'MW', dimension: 'power', toBase: times(1_000_000) }],
  ['mW', { name: 'mW', dimension: 'power', toBase: thousandth }],
  ['MWh', { name: 'MWh', dimension: 'energy', toBase: times(1_000_000) }],
]);

const SPELLINGS: Readonly<Record<string, string>> = {
  '％': '%',
  percent: '%',
  '℃': '°c',
  c: '°c',
  degc: '°c',
  '℉': '°f',
  f: '°f',
  degf: '°f',
  ºc: '°c',
  '˚c': '°c',
  celsius: '°c',
  volt: 'v',
  volts: 'v',
  watt: 'w',
  watts: 'w',
  amp: 'a',
  amps: 'a',
  ampere: 'a',
  amperes: 'a',
};

/** The names that a unit may be given by in a dialect file. */
export const UNIT_NAMES: readonly string[] = [...UNITS.values(), ...CASED_UNITS.values()].map(
  ({ name }) => name,
);

/** Reads a unit tag in any of its spellings; absent for none, and for one that nobody has described. */
export function parseUnit(tag: string | undefined): Unit | undefined {
  const compact = tag?.replace(/[\s.·*]/g, '') ?? '';
  const spelling = compact.toLowerCase();
  return CASED_UNITS.get(compact) ?? UNITS.get(SPELLINGS[spelling] ?? spelling);
}
