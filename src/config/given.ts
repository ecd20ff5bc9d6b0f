import type { OptionDefinition } from './option.ts';

/** Tells where a value came from; the first of them that has one wins. */
export type Origin = 'flag' | 'environment' | 'file' | 'default';

/** Is what one source says about one option, not yet read as its kind. */
export interface Given {
  readonly origin: Origin;
  /** The option as the person gave it: `--x`, `SOLAR_X`, or `x in FILE`. */
  readonly name: string;
  readonly content: GivenContent;
}

export type GivenContent =
  | { readonly text: string }
  /** The file that holds a secret. */
  | { readonly path: string }
  /** Completes "option: …" for what cannot even be read as text. */
  | { readonly fault: string };

/** Is what one source gives, by flag, and what is wrong with the source itself. */
export interface Level {
  readonly given: ReadonlyMap<string, Given>;
  readonly problems: readonly string[];
}

/** Finds the text in what a flag parser or a YAML file delivers: a scalar, or a list of them. */
export function contentOf(option: OptionDefinition, raw: unknown): GivenContent {
  if (Array.isArray(raw)) {
    if (option.kind !== 'list') return { fault: 'takes one value, not several' };
    const texts = raw.map((element) => scalarText(option, element));
    if (texts.includes(undefined)) return { fault: 'takes a list of ids' };
    return { text: texts.join(',') };
  }
  const text = scalarText(option, raw);
  return text === undefined ? { fault: 'takes a value' } : { text };
}

function scalarText({ kind }: OptionDefinition, raw: unknown): string | undefined {
  if (typeof raw === 'string') return raw;
  if (typeof raw === 'number' || typeof raw === 'bigint') return String(raw);
  // A flag without a value: right for a yes or no, forgotten for anything else.
  return typeof raw === 'boolean' && kind === 'boolean' ? String(raw) : undefined;
}
