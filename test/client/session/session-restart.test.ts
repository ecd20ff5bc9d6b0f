import { describe, expect, test } from 'vitest';
import { decodeSession, encodeSession } from '../../../src/client/session/session-file.ts';
import type { SessionStorage } from '../../../src/client/session/session-state.ts';
import type { TokenSet } from '../../../src/client/session/tokens.ts';
import { ServiceError } from '../../../src/base/errors.ts';
import { deferred, settled } from '../../support/deferred.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import {
  createSession,
  failWith,
  type Harness,
  type HarnessOptions,
  HOUR_MS,
  MemoryFile,
  MINUTE_MS,
  refusing,
  tokenSet,
} from './session-harness.ts';

const EARLY_MS = 2 * HOUR_MS - 5 * MINUTE_MS;

/** A machine: a clock that goes on and a file that stays, while programs come and go. */
class Machine {
  readonly clock = new FakeClock();
  readonly file = new MemoryFile();

  start(options: HarnessOptions = {}): Harness {
    const { file, clock } = this;
    const storage: SessionStorage = {
      saved: decodeSession(file.text ?? '')?.session,
      save: (session) => file.write(encodeSession({ salt: '-', credentials: '-', session })),
    };
    return createSession({ ...options, storage, clock });
  }
}

describe('a session after a restart', () => {
  test('goes on with its token, without a renewal', async () => {
    const machine = new Machine();
    expect(await machine.start().ask()).toBe('access-1');
    const next = machine.start();
    expect(next.session.status()).toMatchObject({
      accessExpiresAtMs: machine.clock.nowMs() + 2 * HOUR_MS,
      isReauthenticationRequired: false,
      blockedUntilMs: undefined,
    });
    expect(await next.ask()).toBe('access-1');
    expect(next.renewals).toEqual([]);
  });

  test('refreshes with the newest refresh token', async () => {
    const machine = new Machine();
    const first = machine.start();
    await first.ask();
    machine.clock.advance(EARLY_MS);
    await first.ask();
    machine.clock.advance(EARLY_MS);
    const next = machine.start();
    await next.ask();
    expect(next.exchanged()).toEqual(['refresh-2']);
    expect(next.renewals).toEqual(['refresh ok']);
  });

  test('uses a new token only once it is kept', async () => {
    const machine = new Machine();
    const { ask, send } = machine.start();
    const kept = deferred<undefined>();
    const write = machine.file.write.bind(machine.file);
    machine.file.write = async (text) => {
      if (text.includes('access-1')) await kept.promise;
      await write(text);
    };
    const asked = ask();
    await settled();
    expect(send).not.toHaveBeenCalled();
    kept.resolve(undefined);
    expect(await asked).toBe('access-1');
  });

  test('has tokens from its configuration replaced by those they were exchanged for', async () => {
    const machine = new Machine();
    const options = { canLogIn: false, givenTokens: tokenSet('given', 'given-refresh') };
    await machine.start(options).ask();
    const next = machine.start(options);
    expect(await next.ask()).toBe('access-1');
    expect(next.renewals).toEqual([]);
  });

  test('remembers that fresh tokens are refused, and does not renew at each start', async () => {
    const machine = new Machine();
    const refused = new ServiceError('SERVICE_AUTH_REJECTED', 'token refused');
    let renewals = 0;
    for (let start = 0; start < 50; start += 1) {
      const harness = machine.start();
      harness.send.mockRejectedValue(refused);
      await expect(harness.ask()).rejects.toThrow();
      renewals += harness.renewals.length;
      expect(harness.session.status()).toMatchObject({
        isReauthenticationRequired: true,
        blockedUntilMs: machine.clock.nowMs() + MINUTE_MS,
      });
    }
    expect(renewals).toBe(2);
    machine.clock.advance(MINUTE_MS);
    const recovered = machine.start();
    expect(await recovered.ask()).toBe('access-2');
    expect(recovered.session.status().isReauthenticationRequired).toBe(false);
  });
});

describe('fifty starts', () => {
  /** Starts, asks once, and is killed, `starts` times `everyMs`; tells when the service was asked. */
  async function attempts(
    machine: Machine,
    logIn: () => Promise<TokenSet>,
    { starts = 50, everyMs = 1000, isKilled = false } = {},
  ): Promise<number[]> {
    const beganAtMs = machine.clock.nowMs();
    const atSeconds: number[] = [];
    for (let start = 0; start < starts; start += 1) {
      const { ask, auth } = machine.start();
      auth.logIn.mockImplementation(() => {
        atSeconds.push((machine.clock.nowMs() - beganAtMs) / 1000);
        return isKilled ? new Promise(() => undefined) : logIn();
      });
      const asked = ask().catch(() => undefined);
      await (isKilled ? settled() : asked);
      machine.clock.advance(everyMs);
    }
    return atSeconds;
  }

  test('with wrong credentials ask once in a minute', async () => {
    expect(await attempts(new Machine(), failWith('SERVICE_API_REFUSED'))).toEqual([0]);
  });

  test('with wrong credentials, one a minute, go up the ladder', async () => {
    const atSeconds = await attempts(new Machine(), failWith('SERVICE_API_REFUSED'), {
      everyMs: MINUTE_MS,
      starts: 200,
    });
    expect(atSeconds.map((seconds) => seconds / 60)).toEqual([0, 1, 6, 36, 156]);
  });

  test('each killed in the middle of its attempt ask twice in a minute, then up the ladder', async () => {
    const machine = new Machine();
    expect(await attempts(machine, failWith('SERVICE_TIMEOUT'), { isKilled: true })).toEqual([
      0, 1,
    ]);
    machine.clock.advance(11_000);
    const later = await attempts(machine, failWith('SERVICE_TIMEOUT'), {
      isKilled: true,
      everyMs: MINUTE_MS,
    });
    expect(later.map((seconds) => seconds / 60)).toEqual([0, 5, 35]);
  });

  test('of a service that answers log-ins with 500 ask ever less often', async () => {
    expect(await attempts(new Machine(), failWith('SERVICE_SERVER_ERROR'))).toEqual([
      0, 1, 3, 7, 15, 31,
    ]);
  });

  test('of a service that wants to be left alone for a while leave it alone', async () => {
    const limited = failWith('SERVICE_RATE_LIMITED', 30_000);
    expect(await attempts(new Machine(), limited)).toEqual([0, 30]);
  });

  test('on a machine whose clock starts in 1970 and is put right later go up the same ladder', async () => {
    const file = new MemoryFile();
    let logIns = 0;
    for (let boot = 0; boot < 50; boot += 1) {
      const machine = Object.assign(new Machine(), { file, clock: new FakeClock('1970-01-01') });
      const { ask, auth, session } = machine.start();
      auth.logIn.mockImplementation(() => {
        logIns += 1;
        return failWith('SERVICE_API_REFUSED')();
      });
      await expect(ask()).rejects.toThrow();
      const { blockedUntilMs = 0 } = session.status();
      expect(blockedUntilMs - machine.clock.nowMs()).toBeLessThanOrEqual(2 * HOUR_MS);
      // The time is known a minute after the boot; a boot is every two minutes.
      machine.clock.advance(Date.parse('2026-08-24') + boot * 2 * MINUTE_MS);
      await expect(ask()).rejects.toThrow();
    }
    // Of 100 minutes; 0, 1, 6, 36 and what the first boot spent in 1970.
    expect(logIns).toBeLessThanOrEqual(5);
  });
});

describe('a session that is handed over', () => {
  test('tells all that the other one has to know', async () => {
    const harness = createSession();
    await harness.ask();
    const { tokens } = await harness.session.handOver();
    expect(tokens?.accessToken.reveal()).toBe('access-1');
  });

  test('waits for the renewal under way, and hands over what that brings', async () => {
    const machine = new Machine();
    const { ask, auth, session } = machine.start();
    const reply = deferred<TokenSet>();
    auth.logIn.mockReturnValue(reply.promise);
    const asked = ask();
    await settled();
    const handedOver = session.handOver();
    reply.resolve(tokenSet('late'));
    expect((await handedOver).tokens?.accessToken.reveal()).toBe('late');
    expect(await asked).toBe('late');
    expect(machine.file.text).toContain('late');
  });

  test('renews no more, and goes on with the token it has', async () => {
    const { ask, auth, clock, session } = createSession();
    await ask();
    await session.handOver();
    expect(await ask()).toBe('access-1');
    clock.advance(2 * HOUR_MS);
    await expect(ask()).rejects.toMatchObject({
      code: 'SERVICE_UNREACHABLE',
      message: 'another session goes on with the tokens',
    });
    expect(auth.refresh).not.toHaveBeenCalled();
    expect(auth.logIn).toHaveBeenCalledOnce();
  });

  test('keeps nothing any more: the other one’s is newer', async () => {
    const machine = new Machine();
    const { ask, send, session } = machine.start();
    send.mockImplementation(refusing('access-1'));
    const refused = deferred<string>();
    send.mockImplementationOnce(refusing('access-1'));
    send.mockImplementationOnce(() => refused.promise);
    const asked = ask();
    await settled();
    const { tokens } = await session.handOver();
    expect(tokens?.accessToken.reveal()).toBe('access-2');
    const kept = machine.file.written.length;
    refused.reject(new ServiceError('SERVICE_AUTH_REJECTED', 'token refused'));
    await expect(asked).rejects.toThrow('a renewed token was refused');
    expect(machine.file.written).toHaveLength(kept);
  });
});
