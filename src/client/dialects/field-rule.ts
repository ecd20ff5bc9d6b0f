import type { Quantity, Source } from '../../model/readings.ts';
import type { Dimension } from './unit.ts';

/** The inverter families that have been described, by the names that the exporter shows. */
export const FAMILIES = [
  'classic',
  'hpvinv02',
  'uwb1',
  'pi30',
  'mega-eco',
  'a-phase-hybrid',
  'msdc',
  'sierro',
  'maniy',
  'techfine',
  'charge-controller',
  'line-interactive',
] as const;

export type Family = (typeof FAMILIES)[number];

/** Families that use the keys of another family beside their own. */
export const BASES: Partial<Record<Family, Family>> = { techfine: 'hpvinv02' };

/** Values whose sign tells the direction of the power or the current. They are split by their sign. */
type SignedQuantity = 'gridPower' | 'batteryPower' | 'batteryCurrent';

export function isSigned(reads: FieldRule['reads']): boolean {
  return reads === 'gridPower' || reads === 'batteryPower' || reads === 'batteryCurrent';
}

/** Whether a rule reads a string or a phase, which are added up. */
export function isPart(rule: FieldRule | undefined): boolean {
  if (rule?.part === undefined) return false;
  return rule.reads === 'stringPowerWatts' || isSigned(rule.reads);
}

/** Higher powers are misreadings, of a device whose rated power is unknown. */
const HIGHEST_WATTS = 200_000;

/** Returns the power above which a value is no measurement: twice what the device can carry. */
export function highestWatts(
  reads: FieldRule['reads'],
  ratedPowerWatts = HIGHEST_WATTS / 2,
): number {
  // A meter of the house may measure these, and with it what other inverters carry.
  const isOfHouse = /^(?:loadPower|gridPower|gridImportPower)/.test(reads);
  return Math.max(2 * ratedPowerWatts, isOfHouse ? HIGHEST_WATTS : 0);
}

/** What a positive value of a signed quantity means. */
export type Positive = 'import' | 'feed-in' | 'discharging' | 'charging';

/**
 * How some families use one field key.
 *
 * The same key can have another unit or another sign in other families, so a rule names the families
 * that it holds for. For the rest it applies only when all rules for the key agree. A unit tag on the
 * value takes precedence over `unit`, except where the tag is known to be wrong.
 */
export interface FieldRule {
  readonly key: string;
  /**
   * One of our quantities, a signed quantity that is split later, what is needed to read other keys, or
   * `nothing` for a key that has been described and is not exported.
   */
  readonly reads: Quantity | SignedQuantity | 'gridDirection' | 'nothing';
  /** Unit of an untagged value; absent where it is unconfirmed, and then only tagged values are read. */
  readonly unit?: string | undefined;
  /** Whether the service tags the value with a wrong unit, so that `unit` takes precedence. */
  readonly isTagWrong?: boolean;
  /** Whether a 0 stands for a sensor that the device does not have. */
  readonly isZeroNoSensor?: boolean;
  /** The name of the string, sensor, phase or cell. */
  readonly part?: string | undefined;
  /** For signed quantities; absent where the sign is unconfirmed, and then the value is not read. */
  readonly positive?: Positive | undefined;
  /** The key whose `+` (import) or `-` (feed-in) gives an unsigned value its sign. */
  readonly directionKey?: string;
  /** The only model that a rule of the user holds for; absent where it holds for all. */
  readonly model?: string | undefined;
  /** Empty for a rule that holds for every family. */
  readonly families: readonly Family[];
  /** Where the key was seen. */
  readonly sources: readonly Source[];
  /** How well the rule is established: by several reports, by one, by inference, or by the user. */
  readonly confidence: 'high' | 'medium' | 'low' | 'user';
}

export const EVERYWHERE: readonly Source[] = ['history', 'latest', 'flow'];

/** What is read, by how its name ends, and the dimension of its values. */
const DIMENSIONS: readonly (readonly [suffix: string, dimension: Dimension])[] = [
  ['Watts', 'power'],
  ['Power', 'power'],
  ['Volts', 'voltage'],
  ['Amperes', 'current'],
  ['Current', 'current'],
  ['Ratio', 'ratio'],
  ['Hertz', 'frequency'],
  ['Celsius', 'temperature'],
  ['Mode', 'text'],
  ['Direction', 'text'],
  ['Connected', 'flag'],
];

/** Returns the dimension in which a rule's values are measured; absent for what is not exported. */
export function dimensionOf({ reads }: Pick<FieldRule, 'reads'>): Dimension | undefined {
  return DIMENSIONS.find(([suffix]) => reads.endsWith(suffix))?.[1];
}
