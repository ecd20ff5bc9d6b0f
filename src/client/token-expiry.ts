import { z } from 'zod';
import { isInstant, parseTimestamp } from './timestamp.ts';

/** Further apart, the two ways to name one expiry contradict each other. */
const TOLERANCE_MS = 300_000;

const digits = z
  .string()
  .trim()
  .regex(/^-?\d+(\.\d+)?$/)
  .transform(Number);

/** Reads an instant: ISO 8601, or epoch milliseconds as a number or as digits; absent for anything else. */
export const instantSchema = z
  .union([z.number(), digits, z.string().transform(parseTimestamp)])
  .refine((atMs) => atMs === undefined || isInstant(atMs))
  .optional()
  .catch(undefined);

/** Reads a lifetime in milliseconds, a number or its digits (field notes 2.1); absent for anything else. */
export const lifetimeSchema = z
  .union([z.number(), digits])
  .refine(isInstant)
  .optional()
  .catch(undefined);

/** How the service says when a token expires; either may be absent. */
export interface StatedExpiry {
  readonly expiresAtMs: number | undefined;
  /** From the moment it was sent. */
  readonly lifetimeMs: number | undefined;
}

/** What is made of that: an expiry, or none that can be believed. */
export interface JudgedExpiry {
  readonly expiresAtMs: number | undefined;
  /** Whether something was stated that is not believed. */
  readonly isImplausible: boolean;
}

/**
 * Finds out when a token expires. What has passed on arrival, or lies further ahead than `longestMs`,
 * says more about a clock or a mistake in arithmetic than about the token (field notes 4.2).
 *
 * @param nowMs - when the token arrived.
 */
export function judgeExpiry(
  { expiresAtMs, lifetimeMs }: StatedExpiry,
  nowMs: number,
  longestMs: number,
): JudgedExpiry {
  const believed = (atMs: number | undefined): number | undefined =>
    atMs !== undefined && atMs > nowMs && atMs - nowMs <= longestMs ? atMs : undefined;
  const instantMs = believed(expiresAtMs);
  const afterLifetimeMs = believed(lifetimeMs === undefined ? undefined : nowMs + lifetimeMs);
  const isInstantImplausible = expiresAtMs !== undefined && instantMs === undefined;
  const isLifetimeImplausible = lifetimeMs !== undefined && afterLifetimeMs === undefined;
  return {
    expiresAtMs: reconcile(instantMs, afterLifetimeMs),
    isImplausible: isInstantImplausible || isLifetimeImplausible,
  };
}

/**
 * The instant is by the service's clock and is compared with ours: where the two statements disagree,
 * our clock is wrong, and only the lifetime, which starts with the arrival by that very clock, holds.
 */
function reconcile(
  instantMs: number | undefined,
  afterLifetimeMs: number | undefined,
): number | undefined {
  if (instantMs === undefined || afterLifetimeMs === undefined) return instantMs ?? afterLifetimeMs;
  return Math.abs(instantMs - afterLifetimeMs) > TOLERANCE_MS ? afterLifetimeMs : instantMs;
}
