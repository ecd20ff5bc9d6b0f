import { z } from 'zod';
import { type Moment, parseMoment } from '../base/instant.ts';
import { Secret } from '../base/shown.ts';
import type { YamlContent } from '../base/yaml-content.ts';
import { cleanCredential, type CredentialUse, faultOfCredential } from './credential-text.ts';
import { formatDuration, parseDurationMs } from './duration.ts';

/** What a kind says of its options, beside how it reads their texts. */
export interface KindFacts {
  readonly kind: string;
  /** Completes "the value …" for a text that the schema refuses without a message of its own. */
  readonly refusal: string;
  /** Writes a value as a person would type it; `String` when left out. */
  readonly show?: (value: never) => string;
  /** Whether no flag takes it and nothing shows it; the environment and the file also know `X_FILE`. */
  readonly secret?: boolean;
  /** Whether a mistyped value is not repeated, although it is no secret: another one may stand in its place. */
  readonly isCredential?: boolean;
  /** What several values are called, where the option takes several. */
  readonly several?: string;
  /** The words that a `choice` accepts. */
  readonly choices?: readonly string[];
}

const trimmed = z.string().trim();
const line = z.string().regex(/^(?=\s*\S)[^\r\n\0]*$/);
const NO_LINE = 'is not a text; accepted: one line that is not blank';

const NO_CREDENTIAL = 'is not a text; accepted: the value alone, in one line';

/** Reads a credential: cleans it, and refuses what cannot be one before anything is sent. */
function credential(use: CredentialUse) {
  return z
    .string()
    .transform((text) => cleanCredential(text, use))
    .superRefine((text, context) => {
      const fault = faultOfCredential(text, use);
      if (fault === undefined) return;
      context.addIssue({
        code: 'custom',
        message: `${fault}; accepted: the value alone, in one line`,
      });
    });
}

/** What stands between commas, each once; at least one: an empty list would select everything, which nobody intends. */
const listed = z
  .string()
  .transform((text) => text.split(',').map((each) => each.trim()))
  .transform((texts) => [...new Set(texts.filter((text) => text !== ''))])
  .pipe(z.array(z.string()).nonempty());
const NONE: readonly string[] = Object.freeze([]);

/** A plain unsigned number: without exponent, sign or base. */
const decimal = trimmed.regex(/^\d+(?:\.\d+)?$/).transform(Number);

const durationMs = trimmed.transform(parseDurationMs).pipe(z.number());
const positiveMs = durationMs.pipe(z.number().positive());
const NOT_POSITIVE =
  'is not a duration; accepted: a positive length such as 500ms, 30s, 15m, 1h30m';

/** What a timer of Node.js can hold, rounded down to days. It would run out at once for anything longer. */
const LONGEST_TIMER_MS = 24 * 24 * 3_600_000;
const timerMs = z
  .number()
  .max(LONGEST_TIMER_MS, `is too long; accepted: at most ${formatDuration(LONGEST_TIMER_MS)}`);

/** Prometheus forgets a value after five minutes, and a scrape may come a little late. */
const LONGEST_INTERVAL_MS = 4 * 60_000;

/** A YAML file of the user, which is read together with the configuration. */
export type YamlFile = Exclude<YamlContent, { readonly fault: string }> & {
  readonly file: { readonly path: string; readonly text: string };
};
const yaml = z.custom<YamlFile>();
const showFile = ({ file }: Pick<YamlFile, 'file'>): string => file.path;

const LABEL = /^((?!__)[a-zA-Z_]\w*)=(.*)$/;
const NO_LABELS: ReadonlyMap<string, string> = new Map();

/** A path from the root. Escaped dots climb too: URLs read `%2e` as a dot. */
const pathFromRoot = trimmed.regex(/^\/(?!\/)(?!.*(?:\.|%2e){2})[\w\-.~!$&'()*+,;=:@%/]*$/i);
const NO_PATH =
  "is not a path; accepted: a path from the root, without query and '..', such as /metrics";
/** Where the exporter answers other questions. */
const OWN_PATHS = /^\/(?:-|api|assets|metrics\/self|probe|sd)(?:\/|$)/;

const URL_ACCEPTED =
  'accepted: an http or https URL without user, query and fragment, such as https://solar.example.com';

/** Every kind of option by its name: a schema that reads a text, whatever source that comes from. */
export const KINDS = named({
  /** One line of text. */
  string: trimmed.pipe(line).meta({ refusal: NO_LINE }),
  /** The path of a file or directory, exactly as typed. */
  path: line.meta({ refusal: NO_LINE }),
  /** The name of an account, which a log-in sends in its body. */
  accountText: trimmed.pipe(credential('body')).meta({ kind: 'string', refusal: NO_CREDENTIAL }),
  /** What a header says of an application. */
  headerText: credential('header').meta({
    kind: 'string',
    refusal: NO_CREDENTIAL,
    isCredential: true,
  }),
  /** What a header says that is no secret. */
  headerLine: trimmed.regex(/^[\x20-\x7e]{1,200}$/).meta({
    kind: 'string',
    refusal: 'is not a text for a header; accepted: up to 200 printable characters of ASCII',
  }),
  /** A password, which may have blanks at its ends; it is never shown. */
  password: credential('body')
    .transform((text) => new Secret(text))
    .meta({ kind: 'secret', refusal: NO_CREDENTIAL, secret: true }),
  /** A token or a key, which is never shown. */
  secret: credential('header')
    .transform((text) => new Secret(text))
    .meta({ refusal: NO_CREDENTIAL, secret: true }),
  /** The path of a YAML file, which becomes its content; those who use that check what it says. */
  textFile: yaml.readonly().meta({ refusal: 'is not YAML', show: showFile }),
  /** The path of a YAML file with a list, which becomes its entries. */
  listFile: yaml
    .refine(({ content }) => content === null || Array.isArray(content), { abort: true })
    .transform(({ file, content }) => ({ file, entries: (content ?? []) as readonly unknown[] }))
    .readonly()
    .meta({
      kind: 'textFile',
      refusal: 'not a list; accepted: entries such as {key: pvPower, quantity: pv_power, unit: kW}',
      show: showFile,
    }),
  /** The path of a YAML file with options as keys. */
  configFile: yaml
    .refine(({ content }) => content === null || isMapping(content), { abort: true })
    .transform(({ file }) => file.path)
    .meta({
      kind: 'textFile',
      refusal: 'not a mapping; accepted: lines such as cache.readings-ttl: 60s',
    }),
  /** A positive length of time, in milliseconds. */
  duration: positiveMs.meta({ refusal: NOT_POSITIVE, show: formatDuration }),
  /** How long a list counts as fresh, in milliseconds: one that is due as soon as it comes would be asked for at every scrape. */
  listTtl: positiveMs
    .pipe(z.number().min(1000, 'is too short; accepted: at least 1s'))
    .meta({ kind: 'duration', refusal: NOT_POSITIVE, show: formatDuration }),
  /** A positive length of time, in milliseconds, or `auto`. */
  durationOrAuto: trimmed.pipe(z.union([z.literal('auto'), positiveMs])).meta({
    refusal:
      'is not a duration; accepted: auto, or a positive length such as 500ms, 30s, 15m, 1h30m',
    show: (value: number | 'auto') => (value === 'auto' ? value : formatDuration(value)),
  }),
  /** A positive length of time that a timer measures, in milliseconds. */
  timeout: positiveMs.pipe(timerMs).meta({ refusal: NOT_POSITIVE, show: formatDuration }),
  /** A length of time that a timer measures, in milliseconds. */
  timeoutOrZero: durationMs.pipe(timerMs).meta({
    refusal: 'is not a duration; accepted: a length such as 0s, 500ms, 30s, 15m, 1h30m',
    show: formatDuration,
  }),
  /** How far apart the samples of a series are, in milliseconds: whole seconds. */
  interval: durationMs.pipe(z.number().min(1000).max(LONGEST_INTERVAL_MS).multipleOf(1000)).meta({
    refusal: 'is not such a length; accepted: whole seconds from 1s to 4m, such as 30s or 1m',
    show: formatDuration,
  }),
  /** A date, or a date with a time of day. */
  moment: trimmed
    .transform(parseMoment)
    .pipe(z.custom<Moment>((moment) => moment !== undefined))
    .readonly()
    .meta({
      refusal:
        'is not a date; accepted: a date such as 2026-08-01, with a time such as 2026-08-01T12:30 or 2026-08-01T12:30:00+08:00',
      show: ({ text }: Moment) => text,
    }),
  /** An IANA time zone, kept as typed. */
  timeZone: trimmed
    // Intl takes offsets such as +08:00 as well, which know no daylight saving time.
    .regex(/^[a-z]/i)
    .refine(isKnownToIntl)
    .meta({ refusal: 'is not a time zone; accepted: an IANA name such as Europe/Kyiv' }),
  /** A yes or no. */
  boolean: trimmed
    .pipe(z.stringbool({ truthy: ['true', 'yes', 'on', '1'], falsy: ['false', 'no', 'off', '0'] }))
    .meta({ refusal: 'is not a yes or no; accepted: true or false' }),
  /** A number above 0. */
  positive: decimal
    .pipe(z.number().positive())
    .meta({ refusal: 'is not a positive number; accepted: a number above 0 such as 60 or 0.5' }),
  /** Ids separated by commas, each once; empty without a value. */
  list: listed
    .readonly()
    .default(() => NONE)
    .meta({ refusal: 'names nothing; accepted: one or more ids, comma separated', several: 'ids' }),
  /** Labels of series by their names, each `name=value`, separated by commas; an empty value takes a label away. */
  labels: z
    .string()
    // A value may have a comma in it; what follows a comma is a label when it has a name.
    .transform((text) => text.split(/,(?=\s*[a-zA-Z_]\w*=)/).map((pair) => LABEL.exec(pair.trim())))
    .pipe(z.array(z.custom<RegExpExecArray>((pair) => pair !== null)))
    .transform((pairs) => pairs.map(([, name = '', value = '']) => [name, value] as const))
    .transform((pairs): ReadonlyMap<string, string> => new Map(pairs))
    .default(() => NO_LABELS)
    .meta({
      refusal:
        'is not a label; accepted: name=value, such as job=solar; a name is letters, digits and _',
      show: (pairs: ReadonlyMap<string, string>) =>
        Array.from(pairs, (pair) => pair.join('=')).join(','),
      several: 'labels, each name=value',
    }),
  /** A base URL, normalised: without a slash at its end; a path prefix stays. */
  url: trimmed
    // The URL class would silently repair missing slashes and drop line breaks.
    .refine((text) => /^https?:\/\/\S+$/i.test(text) && URL.canParse(text), { abort: true })
    .refine((text) => new URL(text).username === '' && new URL(text).password === '', {
      error: `has a user or password in it; ${URL_ACCEPTED}`,
      abort: true,
    })
    .refine((text) => !/[?#]/.test(text), `has a query or a fragment; ${URL_ACCEPTED}`)
    .transform((text) => {
      const { origin, pathname } = new URL(text);
      return `${origin}${pathname.replace(/(?<!\/)\/+$/, '')}`;
    })
    .meta({ refusal: `is not an http or https URL; ${URL_ACCEPTED}` }),
  /** The path of an endpoint, exactly as it will be requested (and signed). */
  endpointPath: pathFromRoot.meta({ refusal: NO_PATH }),
  /** The path of the metrics; only the status page may give way to them. */
  telemetryPath: pathFromRoot
    .refine(
      (path) => !OWN_PATHS.test(path),
      'is a path that the exporter needs itself; accepted: any other',
    )
    .meta({ kind: 'endpointPath', refusal: NO_PATH }),
  /** Where to listen: `:9877`, `0.0.0.0:9877`, `[::1]:9877`, `localhost:9877`; without a host, on every interface. */
  address: trimmed
    .transform(parseAddress)
    .pipe(z.custom<Address>((parsed) => parsed !== undefined))
    .readonly()
    .meta({
      refusal:
        'is not an address to listen on; accepted: [host]:port with a port from 0 to 65535, such as :9877, 127.0.0.1:9877 or [::1]:9877',
      show: ({ host = '', port }: Address) => `${host.includes(':') ? `[${host}]` : host}:${port}`,
    }),
});

/** A whole number within bounds, both included. */
export function count(minimum = 0, maximum = Number.MAX_SAFE_INTEGER): z.ZodType<number, string> {
  const isOpen = maximum === Number.MAX_SAFE_INTEGER;
  const range = isOpen ? `of at least ${minimum}` : `from ${minimum} to ${maximum}`;
  const refusal = `is not a count; accepted: a whole number ${range}`;
  return decimal.pipe(z.int().min(minimum).max(maximum)).meta({ kind: 'count', refusal });
}

/** One of some words. */
export function choice<const Choice extends string>(
  choices: readonly Choice[],
): z.ZodType<Choice, string> {
  const refusal = `is not a choice; accepted: one of ${choices.join(', ')}`;
  return trimmed.toLowerCase().pipe(z.enum(choices)).meta({ kind: 'choice', refusal, choices });
}

function named<Kinds extends Readonly<Record<string, z.ZodType>>>(kinds: Kinds): Kinds {
  const entries = Object.entries(kinds).map(([name, schema]) => [
    name,
    schema.meta({ kind: name, ...schema.meta() }),
  ]);
  return Object.fromEntries(entries) as Kinds;
}

function isKnownToIntl(zone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    return true;
  } catch {
    return false;
  }
}

/** Where to listen. An IPv6 host carries no brackets. */
interface Address {
  readonly host?: string | undefined;
  readonly port: number;
}

function parseAddress(text: string): Address | undefined {
  const match = /^(?:\[([\da-f:.]+)\]|([\w.-]+))?:(\d{1,5})$/i.exec(text);
  const [, ipv6, name, port] = match ?? [];
  const hostInUrl = ipv6 === undefined ? name : `[${ipv6}]`;
  const isHost = hostInUrl === undefined || URL.canParse(`http://${hostInUrl}`);
  if (port === undefined || Number(port) > 65_535 || !isHost) return undefined;
  return { host: ipv6 ?? name, port: Number(port) };
}

/** A mapping of YAML. */
export type Mapping = Readonly<Record<string, unknown>>;

/** Whether the content of YAML is a mapping. */
export function isMapping(content: unknown): content is Mapping {
  return typeof content === 'object' && content !== null && !Array.isArray(content);
}
