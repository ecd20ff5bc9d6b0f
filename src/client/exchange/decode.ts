import { z } from 'zod';
import { ServiceError } from '../../base/errors.ts';
import { isBelievable } from '../../base/instant.ts';
import type { NoteDropped } from '../../base/limits.ts';
import { canonicalTimeZone, type ZonedCalendar } from '../../base/time-zone.ts';

/** Finds a number of 16 digits or more, which a double may not hold. A match inside a string only costs time. */
const LONG_NUMBER = /(?:^|[:[,])\s*-?\d{16}/;
/** A text of JSON as a whole, or a long integer: no part of a decimal number or of an exponent. */
const TEXT_OR_LONG_INTEGER = /"[^"\\]*(?:\\.[^"\\]*)*"|(?<![\d.eE+-])-?\d{16,}(?![\d.eE])/g;

/** The most values of one answer, which take about 0.1 s to parse. A correct answer has some 30,000. */
export const MAX_VALUES = 100_000;
const [COMMA, BRACKET, BRACE] = [44, 91, 123];

/**
 * Parses JSON without losing digits: an integer that is too long for a double, such as a station id,
 * becomes the string of its digits.
 *
 * @throws SyntaxError when the text is not JSON, RangeError when it has more than {@link MAX_VALUES}; what looks like
 * a value in a text counts.
 */
export function parseJson(text: string): unknown {
  let values = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === COMMA || code === BRACKET || code === BRACE) values += 1;
    if (values > MAX_VALUES) throw new RangeError();
  }
  // Most answers have no long number.
  if (!LONG_NUMBER.test(text)) return JSON.parse(text);
  const quoted = (found: string): string => (found.startsWith('"') ? found : `"${found}"`);
  return JSON.parse(text.replace(TEXT_OR_LONG_INTEGER, quoted));
}

// The codes that something depends on.
export const TOKEN_EXPIRED_CODE = '9';
export const ILLEGAL_ARGUMENT_CODE = '20101';
export const NO_ENERGY_FLOW_CODE = '70132';
export const NO_SUCH_SETTING_CODE = '70134';
export const DEVICE_OFFLINE_CODE = '71000';
export const DEVICE_SILENT_CODE = '71301';

const CHECK_DEVICE = 'check that the logger of the device is online, and try again later';

/** Every code of the service that is documented, what it means (service.md#codes), and what to do about it. */
export const SERVICE_CODES = {
  '7': [
    'the password was not accepted',
    'check SOLAR_PASSWORD: type it as in the app of the portal; do not try often, or the account is locked',
  ],
  [TOKEN_EXPIRED_CODE]: [
    'the access token has expired',
    'give a new SOLAR_ACCESS_TOKEN and SOLAR_REFRESH_TOKEN, or log in with SOLAR_ACCOUNT and SOLAR_PASSWORD',
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

const envelopeSchema = z.looseObject({ code: z.union([z.string(), z.number()]).nullish() });

/** A successful answer: its `data`, and the fields next to it, where login may put tokens. */
export type Envelope = Readonly<Record<string, unknown>> & { readonly data?: unknown };

/**
 * Opens the envelope (service.md#envelope). The codes 0, "0" and null mean success, and so does no code. Throws a
 * ServiceError for any other: `SERVICE_AUTH_REJECTED` for an expired token, and for a token that is not issued, else
 * `SERVICE_API_REFUSED`.
 *
 * @param isForTokens - whether a token was asked for. The service's message may repeat the account then, and is not quoted.
 */
export function openEnvelope(payload: unknown, path: string, isForTokens: boolean): Envelope {
  const envelope = envelopeSchema.safeParse(payload).data;
  if (envelope === undefined)
    throw new ServiceError('SERVICE_PAYLOAD_INVALID', `${path}: the answer is not an envelope`);
  const serviceCode = String(envelope.code ?? 0);
  if (serviceCode === '0') return envelope;

  const message = isForTokens ? undefined : (quote(envelope['message']) ?? quote(envelope['msg']));
  const [meaning = message ?? 'no reason given', remedy] = isDocumented(serviceCode)
    ? SERVICE_CODES[serviceCode]
    : [];
  // Only what looks like a code is shown, because it could repeat what was sent.
  const isCode = /^(?:-?\d{1,10}|[A-Z][A-Z_]{0,29})$/.test(serviceCode);
  const isRejected = isForTokens || serviceCode === TOKEN_EXPIRED_CODE;
  throw new ServiceError(
    isRejected ? 'SERVICE_AUTH_REJECTED' : 'SERVICE_API_REFUSED',
    `${path}: service answered code ${isCode ? serviceCode : 'of its own'}: ${meaning}`,
    { serviceCode, remedy },
  );
}

/** Shortens a message of the service to one line and removes whatever could be a secret. */
function quote(message: unknown): string | undefined {
  if (typeof message !== 'string') return undefined;
  const quoted = message
    // Of a longer text, the next expression would take quadratic time.
    .slice(0, 2000)
    .replace(/[^\x20-\x7e]+/g, ' ')
    .replace(/[^ ]*@[^ ]*|[\w.+/=-]{16,}|\d{6,}/g, '…');
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
  /** Is told what limits leave out. */
  readonly noteDropped: NoteDropped;
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
  throw new ServiceError('SERVICE_PAYLOAD_INVALID', message, { cause });
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
export const flag = optional(z.preprocess((value) => String(value).trim(), spellings));

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
