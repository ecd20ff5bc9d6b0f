import { Secret } from '../secret.ts';
import { parseDurationMs } from './duration.ts';
import {
  parseBaseUrl,
  parseEndpointPath,
  parseListenAddress,
  parseTimeZone,
} from './network-values.ts';
import type { OptionDefinition, OptionKind, ValueByKind } from './option.ts';
import { type Parsed, refuse } from './parsed.ts';

/** A file is read where it is named, not parsed from its name. */
export type ParsedKind = Exclude<OptionKind, 'textFile'>;

type Parser<K extends ParsedKind> = (
  text: string,
  bounds: Pick<OptionDefinition, 'choices' | 'minimum' | 'maximum'>,
) => Parsed<ValueByKind[K]>;

const BOOLEAN_WORDS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['yes', true],
  ['on', true],
  ['1', true],
  ['false', false],
  ['no', false],
  ['off', false],
  ['0', false],
]);

/**
 * Holds one reader per kind of option, the same for every source: a flag, an environment variable,
 * a default and a scalar of the configuration file all arrive as text. None of them throws.
 */
export const PARSERS: { readonly [K in ParsedKind]: Parser<K> } = {
  string: (text) => parseLine(text.trim()),
  path: (text) => parseLine(text),
  secret: (text) => {
    // Editors and `echo` end a file with a line break that is no part of the secret.
    const line = parseLine(text.replace(/(?<![\r\n])[\r\n]+$/, ''));
    return 'value' in line ? { value: new Secret(line.value) } : line;
  },
  url: (text) => parseBaseUrl(text.trim()),
  endpointPath: (text) => parseEndpointPath(text.trim()),
  address: (text) => parseListenAddress(text.trim()),
  timeZone: (text) => parseTimeZone(text.trim()),
  duration: (text) => {
    const durationMs = parseDurationMs(text.trim());
    if (durationMs !== undefined && durationMs > 0) return { value: durationMs };
    return refuse('is not a duration', 'a positive length such as 500ms, 30s, 15m, 1h30m');
  },
  durationOrZero: (text) => {
    const durationMs = parseDurationMs(text.trim());
    if (durationMs !== undefined) return { value: durationMs };
    return refuse('is not a duration', 'a length such as 0s, 500ms, 30s, 15m, 1h30m');
  },
  boolean: (text) => {
    const value = BOOLEAN_WORDS.get(text.trim().toLowerCase());
    return value === undefined ? refuse('is not a yes or no', 'true or false') : { value };
  },
  count: (text, { minimum = 0, maximum = Number.MAX_SAFE_INTEGER }) => {
    const value = parseDecimal(text);
    if (Number.isInteger(value) && value >= minimum && value <= maximum) return { value };
    const isOpen = maximum === Number.MAX_SAFE_INTEGER;
    const range = isOpen ? `of at least ${minimum}` : `from ${minimum} to ${maximum}`;
    return refuse('is not a count', `a whole number ${range}`);
  },
  ratio: (text) => {
    const value = parseDecimal(text);
    return value <= 1 ? { value } : refuse('is not a ratio', 'a number from 0 to 1 such as 0.05');
  },
  positive: (text) => {
    const value = parseDecimal(text);
    if (value > 0 && Number.isFinite(value)) return { value };
    return refuse('is not a positive number', 'a number above 0 such as 60 or 0.5');
  },
  list: (text) => {
    const ids = text.split(',').map((id) => id.trim());
    const value = Object.freeze([...new Set(ids.filter((id) => id !== ''))]);
    // An empty list must not quietly widen to everything.
    return value.length > 0
      ? { value }
      : refuse('names nothing', 'one or more ids, comma separated');
  },
  choice: (text, { choices = [] }) => {
    const value = text.trim().toLowerCase();
    return choices.includes(value)
      ? { value }
      : refuse('is not a choice', `one of ${choices.join(', ')}`);
  },
};

function parseLine(text: string): Parsed<string> {
  const isLine = text.trim() !== '' && !/[\r\n\0]/.test(text);
  return isLine ? { value: text } : refuse('is not a text', 'one line that is not blank');
}

/** NaN, which no range contains, unless the text is a plain unsigned decimal number. */
function parseDecimal(text: string): number {
  return /^\d+(?:\.\d+)?$/.test(text.trim()) ? Number(text) : NaN;
}
