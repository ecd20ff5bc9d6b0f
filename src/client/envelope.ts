import { z } from 'zod';
import { ServiceError } from '../errors.ts';
import { explainServiceCode, TOKEN_EXPIRED_CODE } from './service-codes.ts';

const envelopeSchema = z.looseObject({
  code: z.union([z.string(), z.number()]).nullish(),
});

/** A successful answer: the payload, and the fields beside it (login may put tokens there). */
export interface Envelope {
  readonly data: unknown;
  readonly topLevel: Readonly<Record<string, unknown>>;
}

/**
 * Opens the envelope of interface 2.1: code 0, "0", null or none is success.
 *
 * @param mayQuote - whether the service's own words may enter the error; not where they may echo an account.
 * @throws ServiceError `SERVICE_API_REFUSED` with the service's code, `SERVICE_AUTH_REJECTED` for an
 * expired token, `SERVICE_PAYLOAD_INVALID` when there is no envelope.
 */
export function openEnvelope(payload: unknown, path: string, mayQuote: boolean): Envelope {
  const result = envelopeSchema.safeParse(payload);
  if (!result.success) {
    throw new ServiceError('SERVICE_PAYLOAD_INVALID', `${path}: the answer is not an envelope`, {
      cause: result.error,
    });
  }
  const { code, ...topLevel } = result.data;
  if (code == null || String(code) === '0') return { data: topLevel['data'], topLevel };

  const words = mayQuote ? (quote(topLevel['message']) ?? quote(topLevel['msg'])) : undefined;
  const reason = explainServiceCode(String(code)) ?? words ?? 'no reason given';
  throw new ServiceError(
    String(code) === TOKEN_EXPIRED_CODE ? 'SERVICE_AUTH_REJECTED' : 'SERVICE_API_REFUSED',
    `${path}: service answered code ${shownCode(String(code))}: ${reason}`,
    { serviceCode: String(code) },
  );
}

/** A code, where it looks like one: it might be the echo of what was sent. */
function shownCode(code: string): string {
  return /^(?:-?\d{1,10}|[A-Z][A-Z_]{0,29})$/.test(code) ? code : 'of its own';
}

/** The service's words, on one bounded line, without anything that could be a secret; absent when none are left. */
function quote(words: unknown): string | undefined {
  if (typeof words !== 'string') return undefined;
  const quoted = words
    .replace(/[^\x20-\x7e]+/g, ' ')
    // Word by word: one expression for all of it would take the square of its length.
    .split(' ')
    .map((word) => (word.includes('@') ? '…' : word.replace(/[\w.+/=-]{16,}|\d{6,}/g, '…')))
    .join(' ')
    .trim()
    .slice(0, 120);
  return quoted === '' ? undefined : quoted;
}
