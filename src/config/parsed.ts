/** Is the outcome of reading a text: its value, or what is wrong and what would be accepted. */
export type Parsed<T> = { readonly value: T } | Refusal;

export interface Refusal {
  /** Completes "the value …": `is not a duration`. */
  readonly fault: string;
  /** Completes "accepted: …", with examples. */
  readonly accepted: string;
}

/** Refuses a text, in two halves of one sentence. */
export function refuse(fault: string, accepted: string): Refusal {
  return { fault, accepted };
}
