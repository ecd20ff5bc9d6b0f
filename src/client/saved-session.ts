import { z } from 'zod';
import { SERVICE_ERROR_CODES } from '../errors.ts';
import { Secret } from '../secret.ts';
import type { BreakerState } from './login-breaker.ts';
import type { RestraintState } from './restrained-renewal.ts';
import { isInstant } from './timestamp.ts';
import type { TokenSet } from './tokens.ts';

/** Grows when an older program could no longer read what a newer one writes. */
const VERSION = 1;

const instant = z.number().refine(isInstant);
/** No service may ask for a longer pause: see retry-after.ts. */
const LONGEST_PAUSE_MS = 24 * 3_600_000;
const secret = z
  .string()
  .min(1)
  .transform((text) => new Secret(text));
const count = z.number().int().min(0);
const pause = z.object({
  endsAtMs: instant,
  lengthMs: z.number().min(0).max(LONGEST_PAUSE_MS),
});
const breaker = z.object({ refusals: count, pause, unfinished: count });

const savedSchema = z.object({
  version: z.literal(VERSION),
  /** Of whom, as far as that may be told: see credentials-digest.ts. */
  salt: z.string().min(1),
  credentials: z.string().min(1),
  session: z.object({
    tokens: z
      .object({
        accessToken: secret,
        refreshToken: secret.optional(),
        accessExpiresAtMs: instant.optional(),
        refreshExpiresAtMs: instant.optional(),
        receivedAtMs: instant.optional(),
      })
      .optional(),
    credentials: breaker,
    freshTokens: breaker,
    outage: z.object({ failures: count, pause, code: z.enum(SERVICE_ERROR_CODES).optional() }),
  }),
});

/** All that has to be known of a session to go on with it. */
export interface SavedSession extends RestraintState {
  readonly tokens?: TokenSet | undefined;
  /** How often, and until when, the service refused tokens that it had just handed out. */
  readonly freshTokens: BreakerState;
}

/** Where a session goes on from, and where it is kept. */
export interface SessionKeeper {
  /** What an earlier session with the same credentials left behind. */
  readonly saved: SavedSession | undefined;
  /** Resolves when it is kept. Never rejects. */
  save(session: SavedSession): Promise<void>;
}

/** A session, and whose it is. */
export interface OwnedSession {
  readonly salt: string;
  /** The digest of the credentials that it belongs to. */
  readonly credentials: string;
  readonly session: SavedSession;
}

/** Writes a session as text, its tokens included: only for a file that nobody else may read. */
export function encodeSession({ salt, credentials, session }: OwnedSession): string {
  const { tokens } = session;
  const text = JSON.stringify({
    version: VERSION,
    salt,
    credentials,
    session: {
      ...session,
      tokens: tokens && {
        accessToken: tokens.accessToken.reveal(),
        refreshToken: tokens.refreshToken?.reveal(),
        accessExpiresAtMs: tokens.accessExpiresAtMs,
        refreshExpiresAtMs: tokens.refreshExpiresAtMs,
        receivedAtMs: tokens.receivedAtMs,
      },
    },
  });
  return `${text}\n`;
}

/** Reads what {@link encodeSession} wrote; absent when it is anything else, or of another version. */
export function decodeSession(text: string): OwnedSession | undefined {
  const result = savedSchema.safeParse(contentOf(text));
  return result.success ? result.data : undefined;
}

function contentOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
