import { z } from 'zod';
import { ServiceError } from '../../base/errors.ts';
import { objectOrNone } from './decode.ts';

// The codes that need a special reaction.
export const TOKEN_EXPIRED_CODE = '9';
export const ILLEGAL_ARGUMENT_CODE = '20101';
export const NO_ENERGY_FLOW_CODE = '70132';
export const NO_SUCH_SETTING_CODE = '70134';
export const DEVICE_OFFLINE_CODE = '71000';
export const DEVICE_SILENT_CODE = '71301';

/** The codes that are about the account, the password or the application of a log-in. */
const CREDENTIAL_CODES: ReadonlySet<string> = new Set(['7', '36', '44', '20007']);
/** The codes that services use for a token that has ended; only 9 was seen (service.md#session). */
const TOKEN_CODES = /^(?:9|3[0-5]|401\d{0,3}|100[12])$|token|auth|log_?in|session|expired/i;

/** Whether services use this code for a token that has ended. */
export function isTokenCode(serviceCode = ''): boolean {
  return TOKEN_CODES.test(serviceCode);
}

/** What the words of a refused log-in say, whatever its code: the words, the same in ours, and what to do. */
const REFUSALS = [
  [
    /captcha|verif\w* ?code|验证码/i,
    'it asks for a captcha',
    'log in to the portal with this account in a browser, and answer the captcha there; the exporter tries again by itself',
  ],
  [
    /\b(?:locked|frozen)\b|锁定|冻结/i,
    'the account is locked',
    'stop the exporter until the portal lets you log in by hand, because each log-in may prolong the lock; then check SOLAR_PASSWORD',
  ],
] as const;
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
 * Opens the envelope (service.md#envelope). The codes 0, "0" and null mean success, and so does a missing code,
 * unless `success` is false. Throws a ServiceError for any other code: `SERVICE_AUTH_REJECTED` for an expired token,
 * and for a token that is not issued, else `SERVICE_API_REFUSED`. It is doubtful whether an undocumented code is about
 * the token.
 *
 * @param asked - what was asked for: data, or tokens by log-in or refresh.
 * @param hidden - texts that must not be shown if the service repeats them.
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
  const said = asked === 'data' ? undefined : saidIn(envelope, hidden);
  const documented = isKnown ? SERVICE_CODES[serviceCode] : undefined;
  const [meaning, remedy] = said ?? documented ?? [reasonIn(envelope, hidden)];
  // The code is shown only if it looks like one, because it could repeat what was sent.
  const isCode = /^(?:-?\d{1,10}|[A-Z][A-Z_]{0,29})$/.test(serviceCode);
  const isRejected = asked !== 'data' || serviceCode === TOKEN_EXPIRED_CODE;
  const isOfCredentials = CREDENTIAL_CODES.has(serviceCode);
  // When a refresh is refused for its arguments, the service does not know the tokens.
  const isOfRefresh = isTokenCode(serviceCode) || serviceCode === ILLEGAL_ARGUMENT_CODE;
  const isDoubtful = {
    // These are known from log-ins, and from ids that are wrong.
    data: !isKnown || isOfCredentials || serviceCode === ILLEGAL_ARGUMENT_CODE,
    login: !isOfCredentials,
    refresh: !isOfCredentials && !isOfRefresh,
  }[asked];
  throw new ServiceError(
    isRejected ? 'SERVICE_AUTH_REJECTED' : 'SERVICE_API_REFUSED',
    `${path}: service answered code ${isCode ? serviceCode : 'of its own'}: ${meaning}`,
    // Only a log-in sends the credentials that these codes are about.
    { serviceCode, isDoubtful, remedy: isOfCredentials && asked !== 'login' ? undefined : remedy },
  );
}

/** Returns the service's own message about a failure. */
function reasonIn(envelope: Envelope, hidden: readonly string[], nothing = 'no reason given') {
  const messages = [envelope['message'], envelope['msg'], envelope['localMessage']];
  return messages.map((message) => quote(message, hidden)).find(Boolean) ?? nothing;
}

/** Returns the reason and the remedy where the message or the fields of an answer tell more than its code. */
function saidIn(envelope: Envelope, hidden: readonly string[]): [string, string] | undefined {
  const { message, msg, localMessage, data } = envelope;
  const messages = [message, msg, localMessage, ...Object.keys(objectOrNone.parse(data))];
  const texts = messages.flatMap((text) => (typeof text === 'string' ? text.slice(0, 2000) : []));
  for (const [words, reason, remedy] of REFUSALS)
    if (texts.some((text) => words.test(text))) return [reasonIn(envelope, hidden, reason), remedy];
  return undefined;
}

/** Shortens a message of the service to one line and removes what is hidden, and whatever else could be a secret. */
function quote(message: unknown, hidden: readonly string[]): string | undefined {
  if (typeof message !== 'string') return undefined;
  // On a longer text, the last expression would take quadratic time.
  let quoted = message.slice(0, 2000);
  for (const text of hidden)
    quoted = quoted.replace(new RegExp(text.replace(/[^\p{L}\d]/gu, '\\$&'), 'gi'), '…');
  quoted = quoted
    .replace(/[^\x20-\x7e…]+/g, ' ')
    .replace(/[^ ]*[@*][^ ]*|[\w.+/=-]{16,}|\d{6,}/g, '…');
  return quoted.trim().slice(0, 120) || undefined;
}
