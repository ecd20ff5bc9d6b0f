import { z } from 'zod';
import { ServiceError } from '../../base/errors.ts';

/** The code of an expired or invalid access token, inside an HTTP 200 (field notes 4.1). */
export const TOKEN_EXPIRED_CODE = '9';
/** The code for a model without an energy flow; asking again never helps (field notes 4.1). */
export const NO_ENERGY_FLOW_CODE = '70132';
/** The code for an invalid argument: an id, a time zone, the form of a body (field notes 4.1). */
export const ILLEGAL_ARGUMENT_CODE = '20101';
/** The code for a setting that the device does not have (field notes 4.1). */
export const NO_SUCH_SETTING_CODE = '70134';
/** The code for a device that is offline (field notes 4.1). */
export const DEVICE_OFFLINE_CODE = '71000';
/** The code for a device that did not answer (field notes 4.1). */
export const DEVICE_SILENT_CODE = '71301';

/** Every code of the service that is documented, and what it means (field notes 4.1). */
const EXPLANATIONS = {
  '7': 'the password was not accepted',
  [TOKEN_EXPIRED_CODE]: 'the access token has expired',
  '36': 'the application id is missing or was not accepted',
  '44': 'the signature was not accepted: the application secret does not fit the application id',
  '20007': 'the account is not known, or belongs to another environment than the application id',
  [ILLEGAL_ARGUMENT_CODE]: 'an argument was not accepted, such as an id or a time zone',
  '70021': 'the device was asked for its settings a moment ago; wait a minute and try again',
  [NO_ENERGY_FLOW_CODE]: 'the service has no energy flow for this model',
  [NO_SUCH_SETTING_CODE]: 'this device has no such setting',
  [DEVICE_OFFLINE_CODE]: 'the device is offline',
  [DEVICE_SILENT_CODE]: 'the device did not answer',
} as const;

/** A code of the service that is documented. */
export type DocumentedCode = keyof typeof EXPLANATIONS;

/** Every code of the service that is documented. */
export const DOCUMENTED_CODES = Object.keys(EXPLANATIONS) as readonly DocumentedCode[];

/** Explains a code of the service; returns undefined for a code that is not documented. */
export function explainServiceCode(code: string): string | undefined {
  const documented = DOCUMENTED_CODES.find((known) => known === code);
  return documented && EXPLANATIONS[documented];
}

const envelopeSchema = z.looseObject({ code: z.union([z.string(), z.number()]).nullish() });

/** A successful answer: its `data` and the fields next to it, where login may put tokens. */
export interface Envelope {
  readonly data: unknown;
  readonly topLevel: Readonly<Record<string, unknown>>;
}

/**
 * Opens the envelope of interface 2.1. The codes 0, "0" and null mean success, and so does no code.
 *
 * @param mayQuote - whether the error may quote the service's message; it must not where the message may
 * repeat an account.
 * @throws ServiceError `SERVICE_API_REFUSED` with the service's code, `SERVICE_AUTH_REJECTED` for an
 * expired token, `SERVICE_PAYLOAD_INVALID` when there is no envelope.
 */
export function openEnvelope(payload: unknown, path: string, mayQuote: boolean): Envelope {
  const { success, data: envelope, error: cause } = envelopeSchema.safeParse(payload);
  if (!success)
    throw new ServiceError('SERVICE_PAYLOAD_INVALID', `${path}: the answer is not an envelope`, {
      cause,
    });
  const { code, ...topLevel } = envelope;
  const serviceCode = String(code ?? 0);
  if (serviceCode === '0') return { data: topLevel['data'], topLevel };

  const quoted = mayQuote ? (quote(topLevel['message']) ?? quote(topLevel['msg'])) : undefined;
  const reason = explainServiceCode(serviceCode) ?? quoted ?? 'no reason given';
  throw new ServiceError(
    serviceCode === TOKEN_EXPIRED_CODE ? 'SERVICE_AUTH_REJECTED' : 'SERVICE_API_REFUSED',
    `${path}: service answered code ${shownCode(serviceCode)}: ${reason}`,
    { serviceCode },
  );
}

/** Shows a code only if it looks like one, because it could repeat what was sent. */
function shownCode(code: string): string {
  return /^(?:-?\d{1,10}|[A-Z][A-Z_]{0,29})$/.test(code) ? code : 'of its own';
}

/** Shortens a message of the service to one line and removes whatever could be a secret. */
function quote(message: unknown): string | undefined {
  if (typeof message !== 'string') return undefined;
  const quoted = message
    .replace(/[^\x20-\x7e]+/g, ' ')
    // Word by word, because one expression for the whole text would take quadratic time.
    .split(' ')
    .map((word) => (word.includes('@') ? '…' : word.replace(/[\w.+/=-]{16,}|\d{6,}/g, '…')))
    .join(' ')
    .trim()
    .slice(0, 120);
  return quoted === '' ? undefined : quoted;
}
