import { z } from 'zod';
import { ServiceError } from '../../base/errors.ts';
import { isBelievable } from '../../base/instant.ts';
import { MOST_PER_ANSWER } from '../../base/limits.ts';
import { canonicalTimeZone, type ZonedCalendar } from '../../base/time-zone.ts';

/** The most values of one answer, which take about 0.1 s to parse. A correct answer has some 30,000. */
export const MAX_VALUES = 100_000;
/** So many digits a double may not hold. */
const LONG_INTEGER = 16;
const [QUOTE, COMMA, ZERO, NINE, BRACKET, BACKSLASH, BRACE] = [34, 44, 48, 57, 91, 92, 123];

/** An answer cannot be read, and why. */
export class UnreadableError extends Error {
  override readonly name = 'UnreadableError';
}

/**
 * Parses JSON without losing digits: an integer that is too long for a double, such as a station id, becomes the
 * string of its digits, and counts twice. Looks at each character once, whatever the text is.
 *
 * @throws UnreadableError when the text has more than {@link MAX_VALUES}, or is not JSON.
 */
export function parseJson(text: string): unknown {
  let [exact, copiedTo, digits, values] = ['', 0, 0, 0];
  // One step more than there are characters, because a number may be the last of them.
  for (let at = 0; at <= text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code >= ZERO && code <= NINE) {
      digits += 1;
      continue;
    }
    if (digits >= LONG_INTEGER) {
      const sign = text[at - digits - 1] === '-' ? 1 : 0;
      const from = at - digits - sign;
      // No part of a decimal number or of an exponent.
      if (!'.eE+-'.includes(text[from - 1] ?? ' ') && !'.eE'.includes(text[at] ?? ' ')) {
        values += 1;
        exact += `${text.slice(copiedTo, from)}"${text.slice(from, at)}"`;
        copiedTo = at;
      }
    }
    digits = 0;
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === COMMA || code === BRACKET || code === BRACE) values += 1;
    if (values > MAX_VALUES) throw new UnreadableError(`more than ${MAX_VALUES} values`);
  }
  try {
    return JSON.parse(exact + text.slice(copiedTo));
  } catch (error) {
    throw new UnreadableError('the answer is not JSON', { cause: error });
  }
}

/** Returns where a string of JSON ends that begins here: at its quote, or behind the text. */
function endOfString(text: string, from: number): number {
  let at = from + 1;
  for (let code = 0; at < text.length; at += code === BACKSLASH ? 2 : 1) {
    code = text.charCodeAt(at);
    if (code === QUOTE) break;
  }
  return at;
}

// The codes that something depends on.
export const TOKEN_EXPIRED_CODE = '9';
export const ILLEGAL_ARGUMENT_CODE = '20101';
export const NO_ENERGY_FLOW_CODE = '70132';
export const NO_SUCH_SETTING_CODE = '70134';
export const DEVICE_OFFLINE_CODE = '71000';
export const DEVICE_SILENT_CODE = '71301';

/** The codes that are about the account, the password or the application of a log-in. */
const CREDENTIAL_CODES: ReadonlySet<string> = new Set(['7', '36', '44', '20007']);
/** How services say that a token has ended; of these codes, only 9 was seen (service.md#session). */
const TOKEN_CODES = /^(?:9|3[0-5]|401\d{0,3}|100[12])$|token|auth|log_?in|session|expired/i;

/** Whether a code of the service is one of those that are used for a token that has ended. */
export function isTokenCode(serviceCode = ''): boolean {
  return TOKEN_CODES.test(serviceCode);
}

const CAPTCHA = /captcha|verif\w* ?code|验证码/i;
const ANSWER_CAPTCHA =
  'log in to the portal with this account in a browser, and answer the captcha there; the exporter tries again by itself';
const CHECK_DEVICE = 'check that the logger of the device is online, and try again later';

/** Every code of the service that is documented, what it means (service.md#codes), and what to do about it. */
export const SERVICE_CODES = {
  '7': [
    'the password was not accepted',
    'check SOLAR_PASSWORD: type it as in the app of the portal; do not try often, or the account is locked',
  ],
  [TOKEN_EXPIRED_CODE]: [
    'the access token has expired',
    'log in at the portal and give the new token as SOLAR_ACCESS_TOKEN; with an account, the exporter logs in by itself',
  ],
  '36': [
    'the application id is missing or was not accepted',
    'check --app-id (SOLAR_APP_ID); account and password were not looked at',
  ],
  '44': [
    'the signature was not accepted: the application secret does not fit the application id',
    'check SOLAR_APP_SECRET, and that it belongs to --app-id; account and password were not looked at',
  ],
  '20007': [
    'the account is not known, or belongs to another environment than the application id',
    'check --account (SOLAR_ACCOUNT) for typing errors, and that account, --app-id and --base-url belong to the same portal',
  ],
  [ILLEGAL_ARGUMENT_CODE]: [
    'an argument was not accepted, such as an id or a time zone',
    'check the ids, --station too (solar-exporter devices lists them; a serial number is not an id), and --time-zone',
  ],
  '70021': [
    'the device was asked for its settings a moment ago; wait a minute and try again',
    'wait a minute and try again',
  ],
  [NO_ENERGY_FLOW_CODE]: [
    'the service has no energy flow for this model',
    'nothing to do: this model has no energy flow, and is read from elsewhere',
  ],
  [NO_SUCH_SETTING_CODE]: [
    'this device has no such setting',
    'solar-exporter settings get DEVICE lists the settings that it has',
  ],
  [DEVICE_OFFLINE_CODE]: ['the device is offline', CHECK_DEVICE],
  [DEVICE_SILENT_CODE]: ['the device did not answer', CHECK_DEVICE],
} as const;

function isDocumented(code: string): code is keyof typeof SERVICE_CODES {
  return Object.hasOwn(SERVICE_CODES, code);
}

const envelopeSchema = z.object({
  code: z.union([z.string(), z.number()]).nullish(),
  success: z.unknown().optional(),
});

/** A successful answer: its `data`, and the fields next to it, where login may put tokens. */
export type Envelope = Readonly<Record<string, unknown>> & { readonly data?: unknown };

/**
 * Opens the envelope (service.md#envelope). The codes 0, "0" and null mean success, and so does no code,
 * unless the answer says itself that it is none. Throws a
 * ServiceError for any other: `SERVICE_AUTH_REJECTED` for an expired token, and for a token that is not issued, else
 * `SERVICE_API_REFUSED`. One that nobody has documented may be about the token or not.
 *
 * @param asked - what for: data, or tokens and how.
 * @param hidden - what was sent and must not be shown if the service repeats it.
 */
export function openEnvelope(
  payload: unknown,
  path: string,
  asked: 'data' | 'login' | 'refresh',
  hidden: readonly string[] = [],
): Envelope {
  const known = envelopeSchema.safeParse(payload).data;
  if (known === undefined)
    throw new ServiceError('SERVICE_PAYLOAD_INVALID', `${path}: the answer is not an envelope`, {
      isDoubtful: true,
    });
  const envelope = payload as Envelope;
  const serviceCode = String(known.code ?? (known.success === false ? 'FAILED' : 0));
  if (serviceCode === '0') return envelope;

  const isKnown = isDocumented(serviceCode);
  const captcha = asked === 'data' ? undefined : captchaIn(envelope, hidden);
  const documented = isKnown ? SERVICE_CODES[serviceCode] : undefined;
  const [meaning, remedy] = captcha ?? documented ?? [reasonIn(envelope, hidden)];
  // Only what looks like a code is shown, because it could repeat what was sent.
  const isCode = /^(?:-?\d{1,10}|[A-Z][A-Z_]{0,29})$/.test(serviceCode);
  const isRejected = asked !== 'data' || serviceCode === TOKEN_EXPIRED_CODE;
  const isOfCredentials = CREDENTIAL_CODES.has(serviceCode);
  // A refresh that is refused for its arguments has tokens that the service does not know.
  const isOfRefresh = isTokenCode(serviceCode) || serviceCode === ILLEGAL_ARGUMENT_CODE;
  const isDoubtful = {
    data: !isKnown,
    login: !isOfCredentials,
    refresh: !isOfCredentials && !isOfRefresh,
  }[asked];
  throw new ServiceError(
    isRejected ? 'SERVICE_AUTH_REJECTED' : 'SERVICE_API_REFUSED',
    `${path}: service answered code ${isCode ? serviceCode : 'of its own'}: ${meaning}`,
    // Only a log-in sends what these codes are about.
    { serviceCode, isDoubtful, remedy: isOfCredentials && asked !== 'login' ? undefined : remedy },
  );
}

/** Returns what the service says of a failure, for people. */
function reasonIn(envelope: Envelope, hidden: readonly string[], nothing = 'no reason given') {
  const said = [envelope['message'], envelope['msg'], envelope['localMessage']];
  return said.map((message) => quote(message, hidden)).find(Boolean) ?? nothing;
}

/** Returns the reason and the remedy where the service wants a captcha to be answered: by its words or its fields. */
function captchaIn(envelope: Envelope, hidden: readonly string[]): [string, string] | undefined {
  const { message, msg, localMessage, data } = envelope;
  const said = [message, msg, localMessage, ...Object.keys(objectOrNone.parse(data))];
  if (!said.some((text) => typeof text === 'string' && CAPTCHA.test(text.slice(0, 2000)))) return;
  return [reasonIn(envelope, hidden, 'it asks for a captcha'), ANSWER_CAPTCHA];
}

/** Shortens a message of the service to one line and removes what is hidden, and whatever else could be a secret. */
function quote(message: unknown, hidden: readonly string[]): string | undefined {
  if (typeof message !== 'string') return undefined;
  // Of a longer text, the last expression would take quadratic time.
  let quoted = message.slice(0, 2000);
  for (const text of hidden)
    quoted = quoted.replace(new RegExp(text.replace(/[^\p{L}\d]/gu, '\\$&'), 'gi'), '…');
  quoted = quoted
    .replace(/[^\x20-\x7e…]+/g, ' ')
    .replace(/[^ ]*[@*][^ ]*|[\w.+/=-]{16,}|\d{6,}/g, '…');
  return quoted.trim().slice(0, 120) || undefined;
}

/** When a request was sent, by the service's clock, and the calendar of the zone it was sent for. */
export interface RequestTime {
  readonly nowMs: number;
  readonly calendar: ZonedCalendar;
  /** How far the service's clock was ahead of ours; for a decoder, when the answer came. */
  readonly serviceAheadMs: number;
}

/** What a decoder may know of an answer besides its `data`. */
export interface AnswerContext extends RequestTime {
  /** Of the endpoint, for error messages. */
  readonly path: string;
  /** Is told how many entries are left out of a list of the answer. */
  readonly noteDropped: (dropped: number) => void;
}

/** Decodes the `data` of an answer, or throws a ServiceError: `SERVICE_PAYLOAD_INVALID`. */
export type Decoder<T> = (data: unknown, answer: AnswerContext) => T;

/** Returns what a schema makes of a payload, or throws a ServiceError: `SERVICE_PAYLOAD_INVALID`. */
export function parse<T>(
  schema: z.ZodType<T>,
  data: unknown,
  { path }: Pick<AnswerContext, 'path'>,
): T {
  const result = schema.safeParse(data);
  if (result.success) return result.data;
  const { error: cause } = result;
  // The issues name fields and types, never values.
  const [problem = ''] = cause.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`);
  const message = `${path}: unexpected answer: ${problem.trim()}`;
  // An answer without data may be how the service refuses a token.
  const isDoubtful = data === undefined || data === null;
  throw new ServiceError('SERVICE_PAYLOAD_INVALID', message, { cause, isDoubtful });
}

/** Returns the first entries of a list of an answer, as many as are read of one. */
export function firstOf<T>(
  list: readonly T[],
  { noteDropped }: Pick<AnswerContext, 'noteDropped'>,
): readonly T[] {
  if (list.length > MOST_PER_ANSWER) noteDropped(list.length - MOST_PER_ANSWER);
  return list.slice(0, MOST_PER_ANSWER);
}

/** A list whose entries are not looked at: to check each takes long where there are many. */
export const anyList = z.custom<readonly unknown[]>(Array.isArray);

/** An object whose values are not looked at: to check each takes long where there are many. */
export const anyObject = z.custom<Readonly<Record<string, unknown>>>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
);

/** Makes a field absent when it is missing, null or not what the schema says. */
export const optional = <T extends z.ZodType>(schema: T): z.ZodCatch<z.ZodOptional<T>> =>
  schema.optional().catch(undefined);

const objectOrNone = anyObject.catch({});

/** Returns a function that reads a record: the first of these fields that has a value. */
export function fieldsOf(record: unknown) {
  const fields = objectOrNone.parse(record);
  return <T>(schema: z.ZodType<T | undefined>, ...names: readonly string[]): T | undefined => {
    for (const name of names) {
      const value = schema.parse(fields[name]);
      if (value !== undefined) return value;
    }
    return undefined;
  };
}

/** Makes a text fit for a label, which every scrape sends: valid UTF-8, and no longer than any real name. */
export function labelText(value: string): string {
  return Buffer.from(value.slice(0, 1024)).toString();
}

/** A value that stands for something, and what that is called. */
interface Choice {
  readonly value: string;
  readonly text: string | undefined;
  readonly localeText: string | undefined;
}

/** Of a setting, or words for the codes of a key; no series come of them. */
const MOST_CHOICES = 100;

/** Decodes the first choices of a setting, or words for codes. Without a schema, which takes long where there are many. */
export function choicesOf(list: readonly unknown[]): readonly Choice[] {
  const textOf = (words: unknown): string | undefined =>
    typeof words === 'string' ? labelText(words.trim()) || undefined : undefined;
  return list.slice(0, MOST_CHOICES).flatMap((choice) => {
    const { value, text, localeText } = (choice ?? {}) as Readonly<Record<string, unknown>>;
    if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean')
      return [];
    if (value === '') return [];
    return { value: String(value), text: textOf(text), localeText: textOf(localeText) };
  });
}

/** A text without surrounding white space. */
export const trimmed = z.string().trim();

/** A text for a label, absent when it is empty. */
export const text = optional(trimmed.min(1).transform(labelText));

/** An id, always as a string: {@link parseJson} keeps the digits of long integers. */
export const id = optional(
  z
    .union([z.string(), z.number().int().nonnegative()])
    .transform((value) => labelText(String(value).trim()))
    // A longer one counts as absent: cut to this length, it could equal the id of something else.
    .pipe(z.string().min(1).max(100)),
);

/** What somebody calls a time zone, which may be an offset as a number. */
export const zoneText = z.union([z.number().transform(String), text]);

/** A time zone by its name, in the usual case, or by an offset as `±HH:MM`. */
export const timeZone = optional(zoneText.transform((zone = '') => canonicalTimeZone(zone)));

/** A finite number, or the decimal text of one: `Number` would also read other bases, and nothing as 0. */
export const quantity = optional(
  z
    .union([z.number(), trimmed.regex(/^[\d.e+-]+$/i).transform(Number)])
    // A larger number is a mistake of the service; a smaller one stays finite in any unit.
    .refine((value) => Math.abs(value) <= 1e15),
);

const spellings = z.stringbool({ truthy: ['true', '1'], falsy: ['false', '0'] });

/** A boolean in any of its spellings (service.md#records). */
export const flag = optional(
  z.union([z.boolean(), z.number(), trimmed]).transform(String).pipe(spellings),
);

/** Reads an ISO 8601 timestamp, in UTC where it has no offset (service.md#tokens), even one that nobody can believe. */
export function parseTimestamp(text: string): number | undefined {
  const hasOffset = /(?:Z|[+-]\d\d:?\d\d)$/i.test(text);
  const instantMs = Date.parse(hasOffset ? text : `${text.replace(' ', 'T')}Z`);
  return Number.isNaN(instantMs) ? undefined : instantMs;
}

/** As seconds this is in the year 5138; as milliseconds, in 1973. */
const HIGHEST_SECONDS = 100_000_000_000;

/**
 * An instant as epoch milliseconds, even one that nobody can believe: in ISO 8601, or in seconds or milliseconds since
 * the Unix epoch, as a number or as text (service.md#latest-state, #tokens).
 */
export const instant = optional(
  z.union([z.number(), trimmed.min(1)]).transform((time) => {
    const epoch = Number(time);
    if (!Number.isFinite(epoch)) return parseTimestamp(String(time));
    return epoch > HIGHEST_SECONDS ? epoch : epoch * 1000;
  }),
);

/** An instant; absent when nobody can believe it. */
export const timestamp = optional(instant.pipe(z.number().refine(isBelievable)));
