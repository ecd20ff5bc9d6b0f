import { quote } from '../base/shown.ts';
import type { OptionDefinition, OptionKind } from './option.ts';

/** Where a value came from; the first of them that has one wins. */
export type Origin = 'flag' | 'environment' | 'file' | 'default';

/** What one source assigns to one option, not yet read as the kind of the option. */
export interface Assignment {
  readonly origin: Origin;
  /** The option as the person wrote it: `--x`, `SOLAR_X`, or `x in FILE`. */
  readonly name: string;
  readonly content: AssignedContent;
}

export type AssignedContent =
  | { readonly text: string }
  /** The file that holds a secret. */
  | { readonly path: string }
  /** Completes "option: …" when there is no text to read. */
  | { readonly fault: string };

/** What one source assigns, by flag, and what is wrong with the source itself. */
export interface SourceContent {
  readonly assignments: ReadonlyMap<string, Assignment>;
  readonly problems: readonly string[];
}

/** The kinds that take several values, and what these are. */
const ELEMENTS: ReadonlyMap<OptionKind, string> = new Map([
  ['list', 'ids'],
  ['hosts', 'names'],
  ['labels', 'labels, each name=value'],
]);

/** Finds the text in what a flag parser or a YAML file delivers: a scalar, or a list of them. */
export function contentOf(option: OptionDefinition, raw: unknown): AssignedContent {
  if (Array.isArray(raw)) {
    const elements = ELEMENTS.get(option.kind);
    if (elements === undefined) return { fault: 'takes one value, not several' };
    const texts = raw.map((element) => scalarText(option, element));
    if (texts.includes(undefined)) return { fault: `takes a list of ${elements}` };
    return { text: texts.join(',') };
  }
  const text = scalarText(option, raw);
  return text === undefined ? { fault: 'takes a value' } : { text };
}

function scalarText({ kind }: OptionDefinition, raw: unknown): string | undefined {
  if (typeof raw === 'string') return raw;
  if (typeof raw === 'number' || typeof raw === 'bigint') return String(raw);
  // A flag without a value means yes for a yes or no; for anything else the value was forgotten.
  return typeof raw === 'boolean' && kind === 'boolean' ? String(raw) : undefined;
}

/** Shows a name as it is, unless it could be anything but a name. */
export function showName(text: string): string {
  return /^[\w.-]{1,60}$/.test(text) ? text : quote(text);
}
