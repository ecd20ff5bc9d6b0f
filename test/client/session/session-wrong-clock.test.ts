import { describe, expect, test } from 'vitest';
import { decodeSession, encodeSession } from '../../../src/client/session/session-file.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import {
  createSession,
  failWith,
  type Harness,
  HOUR_MS,
  MemoryFile,
  MINUTE_MS,
} from './session-harness.ts';

const DAY_MS = 24 * HOUR_MS;
const YEAR_MS = 365 * DAY_MS;
const EARLY_MS = 2 * HOUR_MS - 5 * MINUTE_MS;

/** A session on a machine with a file; its tokens live for two hours, their refresh tokens for a week. */
function start(clock: FakeClock, file: MemoryFile, canLogIn = true): Harness {
  const harness = createSession({
    canLogIn,
    clock,
    storage: {
      saved: decodeSession(file.text ?? '')?.session,
      save: (session) => file.write(encodeSession({ salt: '-', credentials: '-', session })),
    },
  });
  const { auth, newTokens } = harness;
  const issued = () => {
    const receivedAtMs = clock.nowMs();
    const refreshExpiresAtMs = receivedAtMs + 7 * DAY_MS;
    return Promise.resolve({ ...newTokens(), receivedAtMs, refreshExpiresAtMs });
  };
  auth.logIn.mockImplementation(issued);
  auth.refresh.mockImplementation(issued);
  return harness;
}

describe.each([
  // When the clock shows again what it showed at their arrival, it counts as right: it may have been then.
  { what: 'an hour', aheadMs: HOUR_MS, renewedAfterMs: EARLY_MS + HOUR_MS },
  { what: 'a day', aheadMs: DAY_MS, renewedAfterMs: EARLY_MS },
  { what: '81 years', aheadMs: 81 * YEAR_MS, renewedAfterMs: EARLY_MS },
])('tokens that came when the clock was ahead by $what', ({ aheadMs, renewedAfterMs }) => {
  test.each([{ isRestarted: false }, { isRestarted: true }])(
    'are renewed within twice their life after it was set right (restarted: $isRestarted)',
    async ({ isRestarted }) => {
      const clock = new FakeClock();
      const file = new MemoryFile();
      const nowMs = clock.nowMs();
      clock.advance(aheadMs);
      let harness = start(clock, file);
      await harness.ask();
      clock.advance(-aheadMs);
      if (isRestarted) harness = start(clock, file);
      harness.renewals.length = 0;
      await harness.ask();
      expect(harness.renewals).toEqual([]);
      expect(harness.session.status().accessExpiresAtMs).toBe(nowMs + 2 * HOUR_MS);
      clock.advance(renewedAfterMs - 1);
      await harness.ask();
      expect(harness.renewals).toEqual([]);
      clock.advance(1);
      await harness.ask();
      await harness.ask();
      expect(harness.renewals).toEqual(['refresh ok']);
    },
  );

  test('last as long as they do where the clock was wrong only for a while', async () => {
    const clock = new FakeClock();
    const harness = start(clock, new MemoryFile());
    await harness.ask();
    clock.advance(-aheadMs);
    await harness.ask();
    clock.advance(aheadMs + EARLY_MS - 1);
    await harness.ask();
    expect(harness.renewals).toEqual(['login ok']);
    clock.advance(1);
    await harness.ask();
    expect(harness.renewals).toEqual(['login ok', 'refresh ok']);
  });
});

test('a refresh token that came in 1970 is tried in 2026 where there is no account to log in with', async () => {
  const clock = new FakeClock();
  const file = new MemoryFile();
  clock.advance(-56 * YEAR_MS);
  await start(clock, file).ask();
  clock.advance(56 * YEAR_MS);
  const harness = start(clock, file, false);
  await harness.ask();
  expect(harness.renewals).toEqual(['refresh ok']);
  expect(harness.session.status().isReauthenticationRequired).toBe(false);
});

test('a refresh token that has expired and is refused is not tried over and over', async () => {
  const clock = new FakeClock();
  const file = new MemoryFile();
  await start(clock, file).ask();
  clock.advance(8 * DAY_MS);
  const harness = start(clock, file, false);
  harness.auth.refresh.mockImplementation(failWith('SERVICE_AUTH_REJECTED'));
  for (let minute = 0; minute < 24 * 60; minute += 1) {
    await harness.ask().catch(() => undefined);
    clock.advance(MINUTE_MS);
  }
  expect(harness.session.status().isReauthenticationRequired).toBe(true);
  expect(harness.renewals.length).toBeLessThanOrEqual(16);
});
