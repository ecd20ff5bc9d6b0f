import type { FieldRule } from './field-rule.ts';

/** A value and its time by the service's clock. */
export interface Timed<T> {
  readonly value: T;
  readonly measuredAtMs?: number | undefined;
}

/** The newest value of one field in one answer, as a number and as text. */
export interface FieldSample {
  readonly key: string;
  /** The unit of the value, as the service writes it. */
  readonly tag?: string | undefined;
  /** Absent when no element of the field is a number. */
  readonly number?: Timed<number> | undefined;
  /** Absent when the field has no value. Codes keep their leading zeros. */
  readonly text?: Timed<string> | undefined;
  /** The words that the service shows for codes of the field, by code. */
  readonly words?: ReadonlyMap<string, string> | undefined;
}

/** What became of one field. Only `read` fields have a value; the others say why they have none. */
export type Verdict =
  | 'read'
  | 'no value'
  | 'placeholder'
  | 'implausible'
  | 'not a code'
  | 'unit unconfirmed'
  | 'sign unconfirmed'
  | 'not exported'
  | 'ambiguous'
  | 'unknown';

/** One field and its rule; its value is in the unit of the quantity that the rule reads. */
export interface Field {
  readonly sample: FieldSample;
  readonly verdict: Verdict;
  readonly rule?: FieldRule;
  /** Among fields that read the same quantity, the lowest counts. */
  readonly rank: number;
  readonly value?: Timed<number | string> | undefined;
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
