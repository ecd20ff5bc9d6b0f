import { describe, expect, test, vi } from 'vitest';
import type { SavedState } from '../../../src/client/session/session-state.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { createSession, failWith, freshSession, MINUTE_MS, tokenSet } from './session-harness.ts';

const REFUSALS = ['SERVICE_AUTH_REJECTED', 'SERVICE_API_REFUSED'] as const;

/** A session whose storage is a list of the states that it saved. */
function createSaving(saved?: SavedState, clock = new FakeClock()) {
  const states: SavedState[] = [];
  const save = vi.fn((state: SavedState) => {
    states.push(state);
    return Promise.resolve();
  });
  return { ...createSession({ storage: { saved, save }, clock }), save, states };
}

describe('a session saves', () => {
  test('the attempt before it asks, and the tokens before it uses them', async () => {
    const { ask, auth, save, send, states } = createSaving();
    save.mockImplementationOnce((state) => {
      expect(auth.logIn).not.toHaveBeenCalled();
      states.push(state);
      return Promise.resolve();
    });
    save.mockImplementationOnce((state) => {
      expect(send).not.toHaveBeenCalled();
      states.push(state);
      return Promise.resolve();
    });
    await ask();
    expect(states).toHaveLength(2);
    expect(states[0]?.credentials).toMatchObject({ refusals: 0, unfinished: 1 });
    expect(states[0]?.tokens).toBeUndefined();
    expect(states[1]?.credentials).toMatchObject({ refusals: 0, unfinished: 0 });
    expect(states[1]?.tokens?.accessToken.reveal()).toBe('access-1');
  });

  test('nothing while its token works', async () => {
    const saved = freshSession({ tokens: tokenSet('saved') });
    const { ask, save } = createSaving(saved);
    expect(await ask()).toBe('saved');
    expect(save).not.toHaveBeenCalled();
  });

  test.each(REFUSALS)('the refusal %s, and no attempt during the pause', async (code) => {
    const { ask, auth, clock, states } = createSaving();
    auth.logIn.mockImplementation(failWith(code));
    await expect(ask()).rejects.toThrow();
    await expect(ask()).rejects.toMatchObject({ retryAfterMs: MINUTE_MS });
    expect(auth.logIn).toHaveBeenCalledOnce();
    expect(states.map(({ credentials }) => credentials.unfinished)).toEqual([1, 0, 0]);
    expect(states.at(-1)?.credentials).toMatchObject({
      refusals: 1,
      pause: { endsAtMs: clock.nowMs() + MINUTE_MS },
    });
  });
});

describe('a session that goes on with a saved pause', () => {
  test.each(REFUSALS)('asks nothing before it ends, after %s', async (code) => {
    const before = createSaving();
    before.auth.logIn.mockImplementation(failWith(code));
    await before.ask().catch(() => undefined);

    const { ask, auth, clock, session } = createSaving(before.states.at(-1), before.clock);
    expect(session.status()).toMatchObject({
      isReauthenticationRequired: true,
      blockedUntilMs: clock.nowMs() + MINUTE_MS,
    });
    await expect(ask()).rejects.toMatchObject({
      code: 'SERVICE_AUTH_REJECTED',
      retryAfterMs: MINUTE_MS,
    });
    expect(auth.logIn).not.toHaveBeenCalled();
    clock.advance(MINUTE_MS);
    expect(await ask()).toBe('access-1');
  });

  test('asks nothing for as long as the service asked for', async () => {
    const before = createSaving();
    before.auth.logIn.mockImplementation(failWith('SERVICE_RATE_LIMITED', 15 * MINUTE_MS));
    await before.ask().catch(() => undefined);

    const { ask, auth, clock } = createSaving(before.states.at(-1), before.clock);
    clock.advance(14 * MINUTE_MS);
    await expect(ask()).rejects.toMatchObject({
      code: 'SERVICE_RATE_LIMITED',
      retryAfterMs: MINUTE_MS,
    });
    expect(auth.logIn).not.toHaveBeenCalled();
    clock.advance(MINUTE_MS);
    expect(await ask()).toBe('access-1');
  });
});
