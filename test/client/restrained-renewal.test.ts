import { describe, expect, test, vi } from 'vitest';
import { RestrainedRenewal, type RestraintState } from '../../src/client/restrained-renewal.ts';
import type { TokenSet } from '../../src/client/tokens.ts';
import { SERVICE_ERROR_CODES } from '../../src/errors.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { SilentLog } from '../support/silent-log.ts';
import { failWith, MINUTE_MS, tokenSet } from './session-harness.ts';

const REFUSALS = ['SERVICE_AUTH_REJECTED', 'SERVICE_API_REFUSED'] as const;
const FAILURES = SERVICE_ERROR_CODES.filter((code) => !REFUSALS.some((other) => other === code));

function createRenewal(saved?: RestraintState, clock = new FakeClock()) {
  const logIn = vi.fn<() => Promise<TokenSet>>(() => Promise.resolve(tokenSet('new')));
  const refresh = vi.fn<(tokens: TokenSet) => Promise<TokenSet>>(() =>
    Promise.resolve(tokenSet('refreshed')),
  );
  const renewal = new RestrainedRenewal(
    {
      auth: { canLogIn: true, logIn, refresh },
      clock,
      random: () => 0.5,
      observer: { requestEnded: () => undefined, renewalEnded: () => undefined },
      log: new SilentLog(),
    },
    saved,
  );
  /** What is kept before each attempt. */
  const attempting = vi.fn<(during: Partial<RestraintState>) => Promise<void>>(() =>
    Promise.resolve(),
  );
  return { renewal, clock, logIn, refresh, attempting };
}

describe('a restrained renewal', () => {
  test('keeps what a restart has to know before it asks', async () => {
    const { renewal, logIn, attempting } = createRenewal();
    attempting.mockImplementation(() => {
      expect(logIn).not.toHaveBeenCalled();
      return Promise.resolve();
    });
    await renewal.obtain(undefined, attempting);
    expect(attempting).toHaveBeenCalledOnce();
    expect(attempting.mock.calls[0]?.[0].credentials).toMatchObject({ refusals: 0, unfinished: 1 });
    expect(renewal.state.credentials.unfinished).toBe(0);
  });

  test.each(REFUSALS)('pauses when the service ends it in %s', async (code) => {
    const { renewal, clock, logIn, attempting } = createRenewal();
    logIn.mockImplementation(failWith(code));
    await expect(renewal.obtain(undefined, attempting)).rejects.toThrow();
    expect(renewal.isRefused).toBe(true);
    expect(renewal.blockedUntilMs(clock.nowMs())).toBe(clock.nowMs() + MINUTE_MS);
    await expect(renewal.obtain(undefined, attempting)).rejects.toMatchObject({
      code: 'SERVICE_AUTH_REJECTED',
      message:
        're-authentication is required: the service refused; no attempt before 2026-08-24T08:01:00.000Z',
      retryAfterMs: MINUTE_MS,
    });
    expect(logIn).toHaveBeenCalledOnce();
    expect(attempting).toHaveBeenCalledOnce();
  });

  test.each(FAILURES)('waits when it ends in %s, and blames nobody', async (code) => {
    const { renewal, clock, logIn, attempting } = createRenewal();
    logIn.mockImplementationOnce(failWith(code));
    await expect(renewal.obtain(undefined, attempting)).rejects.toMatchObject({ code });
    await expect(renewal.obtain(undefined, attempting)).rejects.toMatchObject({ code });
    expect(logIn).toHaveBeenCalledOnce();
    expect(renewal.isRefused).toBe(false);
    expect(renewal.blockedUntilMs(clock.nowMs())).toBeUndefined();
    clock.advance(1000);
    expect((await renewal.obtain(undefined, attempting)).accessToken.reveal()).toBe('new');
  });

  test('forgets refusals and outages once it succeeds', async () => {
    const { renewal, clock, logIn, attempting } = createRenewal();
    logIn.mockImplementationOnce(failWith('SERVICE_API_REFUSED'));
    await renewal.obtain(undefined, attempting).catch(() => undefined);
    clock.advance(MINUTE_MS);
    logIn.mockImplementationOnce(failWith('SERVICE_TIMEOUT'));
    await renewal.obtain(undefined, attempting).catch(() => undefined);
    clock.advance(1000);
    await renewal.obtain(undefined, attempting);
    expect(renewal.state).toEqual(createRenewal().renewal.state);
  });
});

describe('a restrained renewal after a restart', () => {
  test('asks nothing during the pause of before', async () => {
    const before = createRenewal();
    before.logIn.mockImplementation(failWith('SERVICE_API_REFUSED'));
    await before.renewal.obtain(undefined, before.attempting).catch(() => undefined);

    const { renewal, clock, logIn, attempting } = createRenewal(before.renewal.state, before.clock);
    expect(renewal.isRefused).toBe(true);
    expect(renewal.blockedUntilMs(clock.nowMs())).toBe(clock.nowMs() + MINUTE_MS);
    await expect(renewal.obtain(undefined, attempting)).rejects.toMatchObject({
      code: 'SERVICE_AUTH_REJECTED',
      retryAfterMs: MINUTE_MS,
    });
    expect(logIn).not.toHaveBeenCalled();
    expect(attempting).not.toHaveBeenCalled();
    clock.advance(MINUTE_MS);
    await renewal.obtain(undefined, attempting);
    expect(logIn).toHaveBeenCalledOnce();
  });

  test('asks nothing for as long as the service asked to be left alone', async () => {
    const before = createRenewal();
    before.logIn.mockImplementation(failWith('SERVICE_RATE_LIMITED', 15 * MINUTE_MS));
    await before.renewal.obtain(undefined, before.attempting).catch(() => undefined);

    const { renewal, clock, logIn, attempting } = createRenewal(before.renewal.state, before.clock);
    clock.advance(14 * MINUTE_MS);
    await expect(renewal.obtain(undefined, attempting)).rejects.toMatchObject({
      code: 'SERVICE_RATE_LIMITED',
      retryAfterMs: MINUTE_MS,
    });
    expect(logIn).not.toHaveBeenCalled();
    clock.advance(MINUTE_MS);
    await renewal.obtain(undefined, attempting);
    expect(logIn).toHaveBeenCalledOnce();
  });
});
