import { describe, expect, test, vi } from 'vitest';
import { ServiceError } from '../../../src/base/errors.ts';
import { deferred, settled } from '../../support/deferred.ts';
import { follow, holding, holdingNone, NOW_MS } from './followed-session-harness.ts';
import { failWith, HOUR_MS, MINUTE_MS, refusing, tokenSet } from './session-harness.ts';

const refused = (serviceCode?: string) =>
  new ServiceError('SERVICE_AUTH_REJECTED', 'token refused', { serviceCode });

describe('a session beside a running exporter', () => {
  test("uses the exporter's token, for which it reads the file once", async () => {
    const { ask, read, onWait } = follow(holding('first'));
    expect([await ask(), await ask(), await ask()]).toEqual(['first', 'first', 'first']);
    expect(read).toHaveBeenCalledTimes(1);
    expect(onWait).not.toHaveBeenCalled();
  });

  test('reads the file before each request once the token is near its end, and uses it until then', async () => {
    const { ask, read, clock, onWait } = follow(holding('first'));
    await ask();
    clock.advance(2 * HOUR_MS - 4 * MINUTE_MS);
    expect([await ask(), await ask()]).toEqual(['first', 'first']);
    expect(read).toHaveBeenCalledTimes(3);
    expect(onWait).not.toHaveBeenCalled();
  });

  test('goes on with a newer token that the exporter got early', async () => {
    const { ask, file, clock, read } = follow(holding('first'));
    await ask();
    clock.advance(2 * HOUR_MS - 4 * MINUTE_MS);
    file.state = holding('second', { expiresAtMs: NOW_MS + 4 * HOUR_MS });
    expect([await ask(), await ask()]).toEqual(['second', 'second']);
    expect(read).toHaveBeenCalledTimes(2);
  });

  test('has its first token as soon as somebody asks for one', async () => {
    const { session, ask, read } = follow(holding('first'));
    await session.authenticate();
    await ask();
    expect(read).toHaveBeenCalledTimes(1);
  });

  test('uses the tokens of the configuration until the exporter has others', async () => {
    const { ask, file, send } = follow({ kind: 'none' }, tokenSet('configured'));
    expect(await ask()).toBe('configured');
    send.mockImplementation(refusing('configured'));
    file.state = holding('first');
    expect(await ask()).toBe('first');
  });

  test.each([failWith('SERVICE_RATE_LIMITED'), failWith('SERVICE_API_REFUSED')])(
    'keeps a token that the service did not refuse',
    async (fail) => {
      const { ask, send, read } = follow(holding('first'));
      send.mockImplementationOnce(fail);
      await expect(ask()).rejects.toThrow('failed with');
      expect(await ask()).toBe('first');
      expect(read).toHaveBeenCalledTimes(1);
    },
  );
});

describe('a token that no longer works', () => {
  test('that has expired is waited for, by a look at the file every two seconds', async () => {
    const { ask, file, poll, read, onWait, send } = follow(
      holding('first', { expiresAtMs: NOW_MS - 1 }),
    );
    const asked = ask();
    await poll(30);
    expect(read).toHaveBeenCalledTimes(31);
    expect(send).not.toHaveBeenCalled();
    file.state = holding('second');
    await poll(1);
    expect(await asked).toBe('second');
    expect(onWait).toHaveBeenCalledTimes(1);
  });

  test.each([
    { what: 'HTTP 401', error: refused() },
    { what: 'the code of an expired token', error: refused('9') },
  ])('that is refused by $what is waited for, and the request is repeated', async ({ error }) => {
    const { ask, file, poll, send } = follow(holding('first'));
    send.mockRejectedValueOnce(error);
    const asked = ask();
    await poll(2);
    file.state = holding('second');
    await poll(1);
    expect(await asked).toBe('second');
    expect(send.mock.calls).toEqual([['first'], ['second']]);
  });

  test('is replaced without a wait where the exporter has renewed it', async () => {
    const { ask, file, send, onWait } = follow(holding('first'));
    await ask();
    send.mockImplementation(refusing('first'));
    file.state = holding('second');
    expect(await ask()).toBe('second');
    expect(onWait).not.toHaveBeenCalled();
  });

  test('is replaced as often as the exporter renews again meanwhile, but not for ever', async () => {
    const { ask, file, send } = follow(holding('1'));
    let renewals = 1;
    send.mockImplementation(() => {
      renewals += 1;
      file.state = holding(String(renewals));
      return Promise.reject(refused());
    });
    await expect(ask()).rejects.toMatchObject({
      code: 'SERVICE_AUTH_REJECTED',
      message:
        're-authentication is required: the tokens of the running exporter are refused: token refused',
    });
    expect(send.mock.calls).toEqual([['1'], ['2'], ['3']]);
  });

  test('is waited for once by all requests', async () => {
    const { ask, file, poll, send, read, onWait } = follow(holding('first'));
    send.mockImplementation(refusing('first'));
    const asked = Promise.all([ask(), ask(), ask(), ask()]);
    await poll(3);
    file.state = holding('second');
    await poll(1);
    expect(await asked).toEqual(['second', 'second', 'second', 'second']);
    expect(onWait).toHaveBeenCalledTimes(1);
    // Once for the first token, and then at each look.
    expect(read).toHaveBeenCalledTimes(6);
  });

  test('that was refused late does not count against the newer one', async () => {
    const { ask, file, send, read } = follow(holding('first'));
    const late = deferred<string>();
    send.mockReturnValueOnce(late.promise).mockRejectedValueOnce(refused());
    const [slow, quick] = [ask(), ask()];
    file.state = holding('second');
    expect(await quick).toBe('second');
    late.reject(refused());
    expect(await slow).toBe('second');
    expect(read).toHaveBeenCalledTimes(2);
  });

  test('does not count as refused by an endpoint that the service may lack', async () => {
    const { ask, send, read } = follow(holding('first'));
    send.mockRejectedValueOnce(refused());
    await expect(ask(true)).rejects.toMatchObject({ code: 'SERVICE_REQUEST_REJECTED' });
    expect(await ask(true)).toBe('first');
    expect(read).toHaveBeenCalledTimes(1);
  });

  test('counts as expired by the code for it, at any endpoint', async () => {
    const { ask, file, send } = follow(holding('first'));
    await ask();
    send.mockRejectedValueOnce(refused('9'));
    file.state = holding('second');
    expect(await ask(true)).toBe('second');
  });
});

describe('an exporter without a session', () => {
  test.each([
    { what: 'has not tried to log in', state: { kind: 'none' } as const },
    { what: 'is about to log in', state: holdingNone() },
  ])('that $what is waited for', async ({ state }) => {
    const { ask, file, poll, onWait } = follow(state);
    const asked = ask();
    await poll(5);
    file.state = holding('first');
    await poll(1);
    expect(await asked).toBe('first');
    expect(onWait).toHaveBeenCalledTimes(1);
  });

  test.each([
    { what: 'never logs in', state: { kind: 'none' } as const, says: 'has not logged in for' },
    {
      what: 'never renews its session',
      state: holding('first', { expiresAtMs: NOW_MS }),
      says: 'has not renewed its session for',
    },
  ])('that $what is waited for ten minutes', async ({ state, says }) => {
    const { ask, poll, clock } = follow(state);
    const failed = expect(ask()).rejects.toMatchObject({
      code: 'SERVICE_AUTH_REJECTED',
      message: `the running exporter that uses --state.dir ${says} 10 minutes: is it scraped? Scrape it, or stop it`,
      remedy: expect.stringContaining('without a running exporter') as unknown,
    });
    await poll(300);
    await failed;
    expect(clock.nowMs() - NOW_MS).toBe(10 * MINUTE_MS);
    expect(clock.sleeperCount).toBe(0);
  });

  test('says how its last attempt ended', async () => {
    const pause = { endsAtMs: NOW_MS + MINUTE_MS, lengthMs: MINUTE_MS };
    const outage = { failures: 3, pause, code: 'SERVICE_SERVER_ERROR' as const };
    const { ask, poll } = follow(holdingNone({ outage }));
    const failed = expect(ask()).rejects.toThrow(
      'for 10 minutes, and its last attempt ended with SERVICE_SERVER_ERROR: is it scraped?',
    );
    await poll(300);
    await failed;
  });

  test('is not waited for longer because the clock is set back', async () => {
    const { ask, poll, clock, read } = follow({ kind: 'none' });
    const failed = expect(ask()).rejects.toThrow('has not logged in for 10 minutes');
    await poll(150);
    vi.spyOn(clock, 'nowMs').mockReturnValue(NOW_MS - 24 * HOUR_MS);
    await poll(150);
    await failed;
    expect(read).toHaveBeenCalledTimes(301);
  });

  test('is waited for anew by the next request', async () => {
    const { ask, poll, file, onWait } = follow({ kind: 'none' });
    const failed = expect(ask()).rejects.toThrow('has not logged in');
    await poll(300);
    await failed;
    const asked = ask();
    await settled();
    file.state = holding('first');
    await poll(1);
    expect(await asked).toBe('first');
    expect(onWait).toHaveBeenCalledTimes(2);
  });
});

describe('an exporter that the service refused', () => {
  const refusals = (changes: { readonly unfinished?: number } = {}) => ({
    refusals: 2,
    pause: { endsAtMs: NOW_MS + 5 * MINUTE_MS, lengthMs: 5 * MINUTE_MS },
    unfinished: 0,
    ...changes,
  });

  test('is not waited for during its pause', async () => {
    const { ask, onWait, send } = follow(holdingNone({ credentials: refusals() }));
    await expect(ask()).rejects.toMatchObject({
      code: 'SERVICE_AUTH_REJECTED',
      message:
        're-authentication is required: the service refused the running exporter, which makes no attempt before 2026-08-24T08:05:00.000Z',
      retryAfterMs: 5 * MINUTE_MS,
    });
    expect(onWait).not.toHaveBeenCalled();
    expect(send).not.toHaveBeenCalled();
  });

  test('ends the wait as soon as it is refused', async () => {
    const { ask, poll, file } = follow({ kind: 'none' });
    const failed = expect(ask()).rejects.toThrow('the service refused the running exporter');
    await poll(3);
    file.state = holdingNone({ credentials: refusals() });
    await poll(1);
    await failed;
  });

  test('may try again when its pause is over, and is waited for', async () => {
    const { ask, poll, file, clock } = follow(holdingNone({ credentials: refusals() }));
    clock.advance(5 * MINUTE_MS);
    const asked = ask();
    await poll(1);
    file.state = holding('first');
    await poll(1);
    expect(await asked).toBe('first');
  });

  test('lends the token that it has for as long as that works', async () => {
    const { ask } = follow(holding('first', { credentials: refusals() }));
    expect(await ask()).toBe('first');
  });

  test('is waited for during an attempt, which is saved as if it were refused', async () => {
    const { ask, poll, file } = follow(holdingNone({ credentials: refusals({ unfinished: 2 }) }));
    const asked = ask();
    await poll(1);
    file.state = holding('first');
    await poll(1);
    expect(await asked).toBe('first');
  });

  test('and whose new tokens are refused is not waited for once its token is refused', async () => {
    const { ask, send } = follow(holding('first', { freshTokens: refusals() }));
    expect(await ask()).toBe('first');
    send.mockImplementation(refusing('first'));
    await expect(ask()).rejects.toThrow('no attempt before 2026-08-24T08:05:00.000Z');
  });

  test('and whose new tokens are refused renews a token that has expired all the same', async () => {
    const { ask, poll, file } = follow(
      holding('first', { freshTokens: refusals(), expiresAtMs: NOW_MS }),
    );
    const asked = ask();
    await poll(1);
    file.state = holding('second');
    await poll(1);
    expect(await asked).toBe('second');
  });
});

describe('an exporter that cannot be followed', () => {
  test('because its file is of no use is not waited for', async () => {
    const { ask, onWait } = follow({ kind: 'unusable', reason: 'EACCES' });
    await expect(ask()).rejects.toMatchObject({
      code: 'SERVICE_AUTH_REJECTED',
      message: 'the session of the running exporter that uses --state.dir cannot be read: EACCES',
    });
    expect(onWait).not.toHaveBeenCalled();
  });

  test('because it has changed to other credentials ends the wait', async () => {
    const { ask, poll, file } = follow(holding('first', { expiresAtMs: NOW_MS }));
    const failed = expect(ask()).rejects.toMatchObject({
      message: 'the running exporter that uses --state.dir has other credentials now',
      remedy: 'run the command again: it then has a session of its own',
    });
    await poll(2);
    file.state = { kind: 'of-others' };
    await poll(1);
    await failed;
  });
});
