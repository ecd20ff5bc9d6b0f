import type { Quantity, Source } from '../../model/readings.ts';
import type { Dimension } from './unit.ts';

/** The inverter families that somebody has described, by the names the exporter shows. */
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
] as const;

export type Family = (typeof FAMILIES)[number];

/** Values whose sign says where the power or the current goes, and which are split by it. */
export const SIGNED_QUANTITIES = ['gridPower', 'batteryPower', 'batteryCurrent'] as const;

export type SignedQuantity = (typeof SIGNED_QUANTITIES)[number];

/** What a positive value of a signed quantity means. */
export type Positive = 'import' | 'feed-in' | 'discharging' | 'charging';

/**
 * How one field key is read, as one fact about some families.
 *
 * The same key has other units and signs elsewhere, so a rule holds for its families; on others it is
 * used as long as all rules for the key agree. A unit tag on the value always wins over `unit`.
 */
export interface FieldRule {
  readonly key: string;
  /** Of ours, or signed and then split; `nothing` for what is described but not exported. */
  readonly reads: Quantity | SignedQuantity | 'gridDirection' | 'nothing';
  /** Unit of an untagged value; absent where nobody has confirmed one: then only tagged values count. */
  readonly unit?: string;
  /** Which string, sensor, phase or cell. */
  readonly part?: string;
  /** For signed quantities; absent where nobody has confirmed it, and then nothing is read. */
  readonly positive?: Positive;
  /** The key whose `+` (import) or `-` (feed-in) gives an unsigned value its sign. */
  readonly directionKey?: string;
  readonly families: readonly Family[];
  readonly sources: readonly Source[];
  /** How well the fact is established: by several sources, by one, or by inference. */
  readonly confidence: 'high' | 'medium' | 'low' | 'user';
}

/** The dimension in which a rule's values are measured; absent for what is not exported. */
export function dimensionOf({ reads }: FieldRule): Dimension | undefined {
  if (reads === 'nothing') return undefined;
  if (reads === 'workingMode' || reads === 'gridDirection') return 'text';
  return DIMENSIONS.find(([suffix]) => reads.endsWith(suffix))?.[1];
}

const DIMENSIONS: readonly (readonly [suffix: string, dimension: Dimension])[] = [
  ['Watts', 'power'],
  ['Power', 'power'],
  ['Volts', 'voltage'],
  ['Amperes', 'current'],
  ['Current', 'current'],
  ['Ratio', 'ratio'],
  ['Hertz', 'frequency'],
  ['Celsius', 'temperature'],
];
