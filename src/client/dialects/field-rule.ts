import type { Readings } from '../../model/station.ts';

/** The quantities that a time series is read for. */
export type Quantity = Exclude<keyof Readings, 'measuredAtMs'>;

/** How one key of the service is read: which quantity it is, and what makes it ours. */
export interface FieldRule {
  readonly key: string;
  readonly quantity: Quantity;
  /** From the service's unit to the quantity's own. */
  readonly convert: (value: number) => number;
}
