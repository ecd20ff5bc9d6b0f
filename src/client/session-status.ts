/** How a session can be kept alive: by logging in, by refreshing only, not at all; `none` without a token. */
export type SessionMode = 'account' | 'refresh_token' | 'access_token' | 'none';

/** What may be shown of a session. */
export interface SessionStatus {
  readonly mode: SessionMode;
  readonly accessExpiresAtMs: number | undefined;
  readonly isReauthenticationRequired: boolean;
  /** Until when nothing is asked for because the service refused; absent while nothing is refused. */
  readonly blockedUntilMs: number | undefined;
}
