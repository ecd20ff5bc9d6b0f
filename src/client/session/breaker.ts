import { z } from 'zod';
import type { Runtime } from '../../base/clock.ts';
import {
  SERVICE_ERROR_CODES,
  ServiceError,
  type ServiceErrorCode,
  type ServiceErrorOptions,
} from '../../base/errors.ts';
import { durationWords } from '../../base/shown.ts';
import { isPlausibleTime } from '../../base/instant.ts';
import { leftMs, type Wait, waitFor } from '../../base/wait.ts';
import { backOffMs, isRetryable } from '../exchange/retry.ts';

const MINUTE_MS = 60_000;
/** The pauses in minutes after consecutive refusals, which keep the account from being locked. */
const REFUSAL_PAUSES = { first: [1, 5, 30], then: 120 };
/** The same after answers without a token for other reasons: trying again soon makes that worse. */
const SLOW_PAUSES = { first: [1, 2, 4, 8], then: 15 };
/** A longer pause in a file is a fault of the file. */
const LONGEST_KEPT_MS = 24 * 60 * MINUTE_MS;

/** Why the service is not asked for tokens, and for how long. */
export const breakerSchema = z.object({
  /** Refused credentials, tokens that were refused just after they were issued, or anything else. */
  kind: z.enum(['credentials', 'fresh-tokens', 'outage']),
  /** Consecutive failures of this kind. */
  failures: z.number().int().min(0),
  untilMs: z.number().refine(isPlausibleTime),
  lengthMs: z.number().min(0).max(LONGEST_KEPT_MS),
  /** How it failed; absent for a bug, and where new credentials are needed. */
  code: z.enum(SERVICE_ERROR_CODES).optional(),
});

type SavedBreaker = z.output<typeof breakerSchema>;
/** A breaker with the last error, which only the running program knows. */
export type Breaker = SavedBreaker & Wait & { readonly error?: Error | undefined };

/** Restores a saved breaker. Where the clock was set back since, the pause begins anew. */
export function restored(saved: SavedBreaker, clock: Runtime['clock']): Breaker {
  return { ...saved, ...waitFor(saved.lengthMs, clock) };
}

/** Returns how long the pause still lasts; 0 when it is over. A restored pause also ends at the time that was saved. */
export function pauseMs(breaker: Breaker | undefined, clock: Runtime['clock']): number {
  if (breaker === undefined) return 0;
  return Math.max(0, Math.min(leftMs(breaker, clock), breaker.untilMs - clock.nowMs()));
}

/** Whether the service wants other credentials. */
export function isAboutCredentials(breaker: Breaker | undefined): boolean {
  const { kind, code } = breaker ?? {};
  return kind === 'credentials' || (kind === 'fresh-tokens' && code === undefined);
}

/** Whether fresh tokens were refused by two endpoints, and not by one that refuses every token. */
export function isOfAllEndpoints(breaker: Breaker | undefined): boolean {
  return breaker?.kind === 'fresh-tokens' && breaker.code !== 'SERVICE_REQUEST_REJECTED';
}

/** Returns which failures count together; only those of one group make the pause longer. */
function groupOf(kind: Breaker['kind'], code: ServiceErrorCode | undefined) {
  if (kind !== 'outage') return kind;
  const isSlow = code !== undefined && (code === 'SERVICE_BLOCKED' || !isRetryable(code));
  return isSlow ? 'slow' : 'quick';
}

/** Opens a breaker: the pause grows with each consecutive failure of a group. Failures within a pause count once. */
export function opened(
  before: Breaker | undefined,
  kind: Breaker['kind'],
  { clock, random }: Pick<Runtime, 'clock' | 'random'>,
  error?: unknown,
): Breaker {
  if (before?.kind === kind && pauseMs(before, clock) > 0) return before;
  const { code, retryAfterMs }: Partial<ServiceError> = error instanceof ServiceError ? error : {};
  const group = groupOf(kind, code);
  const isNext = before !== undefined && groupOf(before.kind, before.code) === group;
  const failures = isNext ? before.failures + 1 : 1;
  // An outage between refusals pauses for long, and does not reset their number.
  const isBetween = kind === 'outage' && before?.kind === 'credentials';
  const step = isBetween ? Infinity : failures;
  const pauses = group === 'slow' ? SLOW_PAUSES : REFUSAL_PAUSES;
  const slowMs = MINUTE_MS * (pauses.first[step - 1] ?? pauses.then);
  const ownMs = group === 'quick' ? backOffMs(step, random) : slowMs;
  // `Retry-After` replaces the pause of a plain outage, and can only lengthen any other pause.
  const lengthMs = Math.max(group === 'quick' ? 0 : ownMs, retryAfterMs ?? ownMs);
  return {
    ...(isBetween ? before : { kind, failures }),
    ...waitFor(lengthMs, clock),
    untilMs: clock.nowMs() + lengthMs,
    code: kind === 'outage' || code !== 'SERVICE_AUTH_REJECTED' ? code : undefined,
    error: error instanceof Error ? error : undefined,
  };
}

/**
 * Returns why no renewal is attempted now; absent when an attempt is allowed.
 *
 * @param remedy - what to do where credentials were refused and the log-in does not say it.
 */
export function reasonToWait(
  breaker: Breaker | undefined,
  clock: Runtime['clock'],
  remedy?: string,
): Error | undefined {
  // The caller may try again when the pause ends, which is sooner than the service first asked for.
  const retryAfterMs = pauseMs(breaker, clock);
  const { kind, code, error } = breaker ?? {};
  if (retryAfterMs === 0 || kind === 'fresh-tokens') return undefined;
  if (code === undefined && kind === 'credentials')
    return blocked(retryAfterMs, error, { remedy, retryAfterMs });
  // A bug is not known after a restart, so it is no reason to wait then.
  if (code === undefined) return error;
  const message =
    error?.message ?? 'no token could be had before the last restart; the pause goes on';
  // A failure that is certainly about the credentials has no code.
  const isDoubtful = code === 'SERVICE_AUTH_REJECTED';
  const known: Partial<ServiceError> = error instanceof ServiceError ? error : {};
  const options = { cause: known.cause, remedy: known.remedy, retryAfterMs, isDoubtful };
  return new ServiceError(code, message, options);
}

/** Returns the error for a request that was not sent, because one more refusal might lock the account. */
export function blocked(
  waitMs: number,
  refusal: Error | undefined,
  options: Pick<ServiceErrorOptions, 'retryAfterMs' | 'remedy'>,
): ServiceError {
  const reason = refusal?.message ?? 'the last log-in was refused';
  const why = `${reason}. Next try in ${durationWords(waitMs)}; changed credentials are tried at once.`;
  return new ServiceError('SERVICE_AUTH_REJECTED', why, { cause: refusal, ...options });
}
