import { z } from 'zod';
import { ServiceError } from '../../base/errors.ts';
import { explainServiceCode, TOKEN_EXPIRED_CODE } from './service-codes.ts';

const envelopeSchema = z.looseObject({
  code: z.union([z.string(), z.number()]).nullish(),
});

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
  const result = envelopeSchema.safeParse(payload);
  if (!result.success) {
    throw new ServiceError('SERVICE_PAYLOAD_INVALID', `${path}: the answer is not an envelope`, {
      cause: result.error,
    });
  }
  const { code, ...topLevel } = result.data;
  if (code == null || String(code) === '0') return { data: topLevel['data'], topLevel };

  const quoted = mayQuote ? (quote(topLevel['message']) ?? quote(topLevel['msg'])) : undefined;
  const reason = explainServiceCode(String(code)) ?? quoted ?? 'no reason given';
  throw new ServiceError(
    String(code) === TOKEN_EXPIRED_CODE ? 'SERVICE_AUTH_REJECTED' : 'SERVICE_API_REFUSED',
    `${path}: service answered code ${shownCode(String(code))}: ${reason}`,
    { serviceCode: String(code) },
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
