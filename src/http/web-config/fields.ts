import { z } from 'zod';
import { quote } from '../../base/shown.ts';

/** Keys that other exporters know and this one does not support. */
const UNSUPPORTED: ReadonlySet<string> = new Set([
  'rate_limit',
  'tls_server_config.client_allowed_sans',
]);

/** Validates a text. */
export const text = z.string('is not a text');

/** Validates a list of texts. */
export const texts = z.array(z.string('is not a list of texts'), 'is not a list of texts');

/** Validates a boolean, which is a text in this kind of YAML. */
export const boolean = oneOf('a boolean', ['true', 'false'], 'true or false').transform(
  (name) => name === 'true',
);

/** Validates one of these names; `noun` says what they are. */
export function choice<T extends string>(noun: string, names: readonly T[]): z.ZodType<T, string> {
  return oneOf(`a ${noun}`, names, names.join(', '));
}

/** Validates a list of these names. */
export function choices<T extends string>(noun: string, names: readonly T[]): z.ZodType<T[]> {
  return texts.pipe(z.array(choice(noun, names)));
}

function oneOf<T extends string>(
  what: string,
  names: readonly T[],
  accepted: string,
): z.ZodType<T, string> {
  return text.pipe(
    z.custom<T>((value) => names.some((name) => name === value), {
      error: ({ input }) => `${shown(String(input))} is not ${what}; accepted: ${accepted}`,
      // The rules between several keys are still checked.
      abort: false,
    }),
  );
}

/** Lets a key be left out. A key without a value holds the empty text in this kind of YAML. */
export function optional<T>(schema: z.ZodType<T>): z.ZodType<T | undefined> {
  return z.preprocess((value) => (isBlank(value) ? undefined : value), schema.optional());
}

/** Lets a whole section be left out: it is then validated as a mapping without keys. */
export function section<T>(schema: z.ZodType<T>): z.ZodType<T> {
  return z.preprocess((value) => (isBlank(value) ? {} : value), schema);
}

/** Validates a mapping with these keys and no others. */
export function mapping<S extends z.core.$ZodLooseShape>(
  shape: S,
  fault = 'is not a mapping',
): z.ZodObject<S, z.core.$strict> {
  const accepted = `accepted: ${Object.keys(shape).join(', ')}`;
  return z.strictObject(shape, {
    error: ({ code }) => (code === 'unrecognized_keys' ? accepted : `${fault}; ${accepted}`),
  });
}

/** Whether a value of the file is a mapping. */
export function isMapping(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns one sentence for every problem, unknown keys first: other problems may follow from them. */
export function problemsOf({ issues }: z.ZodError): readonly string[] {
  const unknownKeys = issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => {
          const path = [...issue.path, key];
          const fault = UNSUPPORTED.has(path.join('.')) ? 'is not supported' : 'unknown key';
          return problemAt(path, `${fault}; ${issue.message}`);
        })
      : [],
  );
  const others = issues
    .filter(({ code }) => code !== 'unrecognized_keys')
    .map(({ path, message }) => problemAt(path, message));
  // Each wrong element of a list repeats the sentence about the list.
  return [...new Set([...unknownKeys, ...others])];
}

/** Returns a sentence about the key at this path. */
export function problemAt(path: readonly PropertyKey[], sentence: string): string {
  const keys = path.filter((part) => typeof part === 'string').map(shownKey);
  return keys.length === 0 ? sentence : `${keys.join('.')}: ${sentence}`;
}

/** Shows a text of the file inside a sentence: escaped, cut to 60 characters, and never what looks like a secret. */
export function shown(value: string): string {
  return looksSecret(value) ? 'its value' : quote(value);
}

/** Shows a key of the file, which may hold a value, too, where the blank after its colon was forgotten. */
function shownKey(key: string): string {
  if (/^[\w.-]{1,60}$/.test(key)) return key;
  return looksSecret(key) ? '[hidden]' : shown(key.replace(/:.*$/s, ':…'));
}

/** Whether a text looks like a key, a certificate or the hash of a password. */
function looksSecret(value: string): boolean {
  return /-----BEGIN|\$2[a-z]?\$/.test(value) || value.includes('\n');
}

function isBlank(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}
