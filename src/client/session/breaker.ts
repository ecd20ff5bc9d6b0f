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
import { backOffMs, isRetryable, LONGEST_OUTAGE_PAUSE_MS } from '../exchange/retry.ts';

const MINUTE_MS = 60_000;
/** The pause after each consecutive refusal, which keeps the account from being locked. */
const REFUSAL_PAUSES_MINUTES = [1, 5, 30];
const LONGEST_REFUSAL_PAUSE_MINUTES = 120;
/** An older version saved pauses of up to a day. */
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

/** Whether an answer came without a token, whatever its reason: trying again soon makes it worse. */
const isRefusing = (code: ServiceErrorCode | undefined): boolean =>
  code !== undefined && (code === 'SERVICE_BLOCKED' || !isRetryable(code));

/** Restores a saved breaker. Where the clock was set back since, the pause begins anew. */
export function restored(saved: SavedBreaker, clock: Runtime['clock']): Breaker {
  const { kind, code, untilMs, lengthMs } = saved;
  const isOutage = kind !== 'fresh-tokens' && code !== undefined;
  const longestMs = isOutage ? Math.min(LONGEST_OUTAGE_PAUSE_MS, lengthMs) : lengthMs;
  const endsAtMs = untilMs - lengthMs + longestMs;
  return { ...saved, ...waitFor(longestMs, clock), untilMs: endsAtMs };
}

/**
 * Returns when the pause ends, by the clock of the machine; undefined when it is over. A restored pause also ends at
 * the time that was saved.
 */
export function pausedUntilMs(
  breaker: Breaker | undefined,
  clock: Runtime['clock'],
): number | undefined {
  if (breaker === undefined) return undefined;
  const pauseMs = Math.min(leftMs(breaker, clock), breaker.untilMs - clock.nowMs());
  return pauseMs > 0 ? clock.nowMs() + pauseMs : undefined;
}

/** Opens a breaker: the pause grows with each consecutive failure of a kind. Failures within a pause count once. */
export function opened(
  before: Breaker | undefined,
  kind: Breaker['kind'],
  { clock, random }: Pick<Runtime, 'clock' | 'random'>,
  error?: unknown,
): Breaker {
  if (before?.kind === kind && pausedUntilMs(before, clock) !== undefined) return before;
  const { code, retryAfterMs }: Partial<ServiceError> = error instanceof ServiceError ? error : {};
  const isOutage = kind === 'outage';
  const isSlow = isRefusing(code);
  const isSame = before?.kind === kind && (!isOutage || isRefusing(before.code) === isSlow);
  const failures = isSame ? before.failures + 1 : 1;
  // An outage between refusals does not reset their number.
  const isBetween = isOutage && before?.kind === 'credentials';
  const outages = isBetween ? Infinity : failures;
  const slowMs = Math.min(LONGEST_OUTAGE_PAUSE_MS, MINUTE_MS * 2 ** (outages - 1));
  const outageMs = isSlow ? slowMs : backOffMs(outages, random);
  const refusalMinutes = REFUSAL_PAUSES_MINUTES[failures - 1] ?? LONGEST_REFUSAL_PAUSE_MINUTES;
  const ownMs = isOutage ? outageMs : refusalMinutes * MINUTE_MS;
  // `Retry-After` replaces the pause of a plain outage, and can only lengthen any other pause.
  const leastMs = isOutage && !isSlow ? 0 : ownMs;
  const lengthMs = Math.max(leastMs, retryAfterMs ?? ownMs);
  return {
    ...(isBetween ? before : { kind, failures }),
    ...waitFor(lengthMs, clock),
    untilMs: clock.nowMs() + lengthMs,
    code: isOutage || code !== 'SERVICE_AUTH_REJECTED' ? code : undefined,
    error: error instanceof Error ? error : undefined,
  };
}

/**
 * Returns why no renewal is attempted now; absent when an attempt is allowed.
 *
 * @param usualRemedy - the remedy where the last error is no longer known.
 */
export function reasonToWait(
  breaker: Breaker | undefined,
  clock: Runtime['clock'],
  usualRemedy?: string,
): Error | undefined {
  const untilMs = pausedUntilMs(breaker, clock);
  const { kind, code, error } = breaker ?? {};
  if (untilMs === undefined || kind === 'fresh-tokens') return undefined;
  // The caller may try again when the pause ends, which is sooner than the service first asked for.
  const retryAfterMs = untilMs - clock.nowMs();
  // A bug is not known after a restart, so it is no reason to wait then.
  if (code === undefined && kind === 'outage') return error;
  if (code === undefined) {
    const remedy = error === undefined ? usualRemedy : undefined;
    return blocked(retryAfterMs, error, { remedy, retryAfterMs });
  }
  const message =
    error?.message ?? 'no token could be had before the last restart; the pause goes on';
  // A failure that is certainly about the credentials has no code.
  const isDoubtful = code === 'SERVICE_AUTH_REJECTED';
  const { cause, remedy }: Partial<ServiceError> = error instanceof ServiceError ? error : {};
  return new ServiceError(code, message, { cause, retryAfterMs, remedy, isDoubtful });
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
