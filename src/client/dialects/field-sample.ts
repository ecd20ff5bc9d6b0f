/** A value and when the service says it was measured. */
export interface Timed<T> {
  readonly value: T;
  readonly measuredAtMs?: number | undefined;
}

/** One field of a device, as one answer gave it: its newest value, as a number and as text. */
export interface FieldSample {
  readonly key: string;
  /** The unit that came with the value, as the service writes it. */
  readonly tag?: string | undefined;
  /** Absent when no element of it is a number. */
  readonly number?: Timed<number> | undefined;
  /** Absent when it has no element at all. Codes keep their leading zeros. */
  readonly text?: Timed<string> | undefined;
}

/** Reads a number, a numeric text, or an object with `value` or `vd`; absent for everything else. */
export function toNumber(element: unknown): number | undefined {
  if (typeof element === 'number') return Number.isFinite(element) ? element : undefined;
  if (typeof element === 'string') return element.trim() === '' ? undefined : finite(element);
  const inner = unwrap(element);
  return inner === element ? undefined : toNumber(inner);
}

/** Reads what is not empty as text, in the same forms. */
export function toText(element: unknown): string | undefined {
  if (typeof element === 'number') return Number.isFinite(element) ? String(element) : undefined;
  if (typeof element === 'string') return element.trim() === '' ? undefined : element.trim();
  const inner = unwrap(element);
  return inner === element ? undefined : toText(inner);
}

/** The value inside an object; the element itself when there is none, or only another object. */
function unwrap(element: unknown): unknown {
  if (typeof element !== 'object' || element === null) return element;
  const { value, vd } = element as { value?: unknown; vd?: unknown };
  const inner = value ?? vd;
  return inner == null || typeof inner === 'object' ? element : inner;
}

function finite(text: string): number | undefined {
  const value = Number(text);
  return Number.isFinite(value) ? value : undefined;
}
