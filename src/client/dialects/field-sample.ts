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
export interface InterpretedField {
  readonly sample: FieldSample;
  readonly verdict: Verdict;
  readonly rule?: FieldRule;
  /** Among fields that read the same quantity, the lowest counts. */
  readonly rank: number;
  readonly value?: Timed<number | string>;
}

/** Parses a number, a decimal text, or an object with `value` or `vd`; absent for everything else. */
export function toNumber(element: unknown): number | undefined {
  if (typeof element === 'number') return Number.isFinite(element) ? element : undefined;
  if (typeof element === 'string') return decimal(element.trim());
  const inner = unwrap(element);
  return inner === element ? undefined : toNumber(inner);
}

/** What a decimal number is made of: `Number` would also read other bases, and nothing as 0. */
const DECIMAL = /^[\d.e+-]+$/i;

function decimal(text: string): number | undefined {
  const value = DECIMAL.test(text) ? Number(text) : NaN;
  return Number.isFinite(value) ? value : undefined;
}

/** Parses a number, a text that is not empty, or an object with `value` or `vd`, as text. */
export function toText(element: unknown): string | undefined {
  if (typeof element === 'number') return Number.isFinite(element) ? String(element) : undefined;
  if (typeof element === 'string') return element.trim() === '' ? undefined : element.trim();
  const inner = unwrap(element);
  return inner === element ? undefined : toText(inner);
}

/** Returns the value inside an object; the element itself where the object has no plain value. */
function unwrap(element: unknown): unknown {
  if (typeof element !== 'object' || element === null) return element;
  const { value, vd } = element as { value?: unknown; vd?: unknown };
  const inner = value ?? vd;
  return inner == null || typeof inner === 'object' ? element : inner;
}
