import type { z } from 'zod';
import type { Declare, Option, OptionKind, OptionRow } from './option.ts';

/** What makes a kind: its name, and how its texts are read, refused and shown. */
export interface KindDetails<Value> {
  readonly kind: OptionKind;
  readonly schema: z.ZodType<Value, string>;
  /** The fault of a text that the schema refuses without a message of its own. */
  readonly refusal: string;
  readonly show?: (value: Value) => string;
}

/** Adds a kind to the row of an option. */
export function withKind<Value>(
  row: OptionRow,
  { kind, schema, refusal, show = String }: KindDetails<Value>,
): Option<Value> {
  return {
    ...row,
    kind,
    read(text) {
      const { success, data, error } = schema.safeParse(text, { error: () => refusal });
      return success ? { value: data } : { fault: error.issues[0]?.message ?? refusal };
    },
    show,
  };
}

/** Makes the function that declares options of a kind. */
export function kindOf<Value>(details: KindDetails<Value>): Declare<Value> {
  return (row: OptionRow) => withKind(row, details);
}
