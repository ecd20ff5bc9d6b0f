import { describe, expect, test } from 'vitest';
import { AuthApi, isRefusal } from '../../../src/client/session/auth-api.ts';
import { createSendRequest } from '../../../src/client/exchange/send-request.ts';
import type { ServiceRequest } from '../../../src/client/exchange/transport.ts';
import {
  SERVICE_ERROR_CODES,
  ServiceError,
  type ServiceErrorCode,
} from '../../../src/base/errors.ts';
import { Secret } from '../../../src/base/secret.ts';
import { ServiceClock } from '../../../src/client/exchange/service-clock.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { FakeTransport } from '../../support/fake-transport.ts';
import { tokenSet } from './session-harness.ts';

const ACCOUNT = { account: 'user@example.org', password: new Secret('demo-password') };
const APP = { appId: 'example-app-id', appSecret: new Secret('example-app-secret') };
const HELD = tokenSet('held-access', 'held-refresh');

interface Given {
  readonly account?: typeof ACCOUNT;
  readonly app?: typeof APP;
}

function createAuth(
  { account, app }: Given = { account: ACCOUNT, app: APP },
  answer: (request: ServiceRequest) => unknown = () => ({ code: 0, data: { token: 'new-access' } }),
) {
  const transport = new FakeTransport(answer);
  const clock = new FakeClock();
  const nowMs = () => clock.nowMs();
  const ended: string[] = [];
  let nonces = 0;
  const auth = new AuthApi({
    loginUrl: new URL('https://auth.example.org/login'),
    refreshUrl: new URL('https://auth.example.org/refresh'),
    account,
    app,
    send: createSendRequest({
      transport,
      observer: {
        requestEnded: (operation, outcome) => ended.push(`${operation} ${outcome}`),
        renewalEnded: () => undefined,
        dropped: () => undefined,
      },
      nowMs,
      serviceClock: new ServiceClock(clock),
    }),
    nowMs,
    serviceClock: new ServiceClock(clock),
    newNonce: () => `nonce ${(nonces += 1)}`,
  });
  return { auth, transport, ended };
}

/** A service that accepts only the signed pair; it answers the other form with `refusal`. */
function takingPairs(refusal: () => unknown): (request: ServiceRequest) => unknown {
  return ({ body }) =>
    body?.includes('accessToken') === true
      ? { code: 0, data: { accessToken: 'new-access', refreshToken: 'new-refresh' } }
      : refusal();
}

function failing(code: ServiceErrorCode): () => never {
  return () => {
    throw new ServiceError(code, 'failed');
  };
}

describe('logging in', () => {
  test('sends the account once, signed, and reads the tokens', async () => {
    const { auth, transport, ended } = createAuth();
    const tokens = await auth.logIn();
    expect(tokens.accessToken.reveal()).toBe('new-access');
    expect(transport.requests.map(({ url }) => url.pathname)).toEqual(['/login']);
    expect(transport.requests[0]?.headers).toHaveProperty('IOT-Open-Sign');
    expect(transport.requests[0]?.headers).not.toHaveProperty('IOT-Token');
    expect(ended).toEqual(['login ok']);
  });

  test('takes a new nonce for each request', async () => {
    const { auth, transport } = createAuth();
    await auth.logIn();
    await auth.logIn();
    expect(transport.requests.map(({ headers }) => headers['IOT-Open-Nonce'])).toEqual([
      'nonce 1',
      'nonce 2',
    ]);
  });

  test.each<{ what: string; given: Given; canLogIn: boolean }>([
    {
      what: 'an account and an application',
      given: { account: ACCOUNT, app: APP },
      canLogIn: true,
    },
    { what: 'an account alone', given: { account: ACCOUNT }, canLogIn: false },
    { what: 'an application alone', given: { app: APP }, canLogIn: false },
    { what: 'nothing', given: {}, canLogIn: false },
  ])('with $what is possible: $canLogIn', async ({ given, canLogIn }) => {
    const { auth, transport } = createAuth(given);
    expect(auth.canLogIn).toBe(canLogIn);
    if (canLogIn) return;
    await expect(auth.logIn()).rejects.toMatchObject({ code: 'SERVICE_AUTH_REJECTED' });
    expect(transport.requests).toEqual([]);
  });

  test.each([
    { answer: { code: 7, message: 'password error for bob' }, code: 'SERVICE_API_REFUSED' },
    { answer: { code: 12_345, msg: 'bob is unknown' }, code: 'SERVICE_API_REFUSED' },
    { answer: { code: 0, data: { userId: 'bob' } }, code: 'SERVICE_AUTH_REJECTED' },
    { answer: { code: 0 }, code: 'SERVICE_AUTH_REJECTED' },
    { answer: ['bob'], code: 'SERVICE_PAYLOAD_INVALID' },
  ])('fails with $code after $answer and does not quote it', async ({ answer, code }) => {
    const { auth, ended } = createAuth(undefined, () => answer);
    const error = await auth.logIn().catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code });
    expect(String(error)).not.toContain('bob');
    expect(ended).toEqual([`login ${code}`]);
  });
});

describe('refreshing', () => {
  test('sends the refresh token alone first', async () => {
    const { auth, transport, ended } = createAuth();
    await auth.refresh(HELD);
    expect(transport.bodies).toEqual([{ refreshToken: 'held-refresh' }]);
    expect(ended).toEqual(['refresh ok']);
  });

  test('keeps the refresh token when the answer brings no other', async () => {
    const tokens = await createAuth().auth.refresh(HELD);
    expect(tokens.accessToken.reveal()).toBe('new-access');
    expect(tokens.refreshToken?.reveal()).toBe('held-refresh');
  });

  test('takes the new refresh token when the answer brings one', async () => {
    const { auth } = createAuth(undefined, () => ({ token: 'a', refreshToken: 'rotated' }));
    expect((await auth.refresh(HELD)).refreshToken?.reveal()).toBe('rotated');
  });

  test('without a refresh token sends nothing', async () => {
    const { auth, transport } = createAuth();
    await expect(auth.refresh(tokenSet('held-access'))).rejects.toMatchObject({
      code: 'SERVICE_AUTH_REJECTED',
    });
    expect(transport.requests).toEqual([]);
  });

  test.each([
    { refusal: 'a refused token', answer: failing('SERVICE_AUTH_REJECTED') },
    { refusal: 'a failure code', answer: () => ({ code: 20_101, message: 'illegal argument' }) },
    { refusal: 'an answer without a token', answer: () => ({ code: 0, data: {} }) },
  ])('offers the signed pair after $refusal and remembers it', async ({ answer }) => {
    const { auth, transport } = createAuth(undefined, takingPairs(answer));
    const tokens = await auth.refresh(HELD);
    await auth.refresh(tokens);
    expect(transport.bodies).toEqual([
      { refreshToken: 'held-refresh' },
      { accessToken: 'held-access', refreshToken: 'held-refresh' },
      { accessToken: 'new-access', refreshToken: 'new-refresh' },
    ]);
    expect(transport.requests.map(({ headers }) => 'IOT-Open-Sign' in headers)).toEqual([
      false,
      true,
      true,
    ]);
  });

  test('never offers the pair once the refresh token alone was accepted', async () => {
    const { auth, transport } = createAuth();
    const tokens = await auth.refresh(HELD);
    transport.answer = takingPairs(failing('SERVICE_AUTH_REJECTED'));
    await expect(auth.refresh(tokens)).rejects.toMatchObject({ code: 'SERVICE_AUTH_REJECTED' });
    expect(transport.requests).toHaveLength(2);
  });

  test('never goes back from the pair once that was accepted', async () => {
    const { auth, transport } = createAuth(
      undefined,
      takingPairs(() => ({ code: 20_101 })),
    );
    const tokens = await auth.refresh(HELD);
    transport.answer = () => ({ code: 20_101 });
    await expect(auth.refresh(tokens)).rejects.toMatchObject({ code: 'SERVICE_API_REFUSED' });
    expect(transport.requests).toHaveLength(3);
  });

  test('tries both forms again after both were refused', async () => {
    const { auth, transport } = createAuth(undefined, () => ({ code: 20_101 }));
    await expect(auth.refresh(HELD)).rejects.toMatchObject({ code: 'SERVICE_API_REFUSED' });
    await expect(auth.refresh(HELD)).rejects.toMatchObject({ code: 'SERVICE_API_REFUSED' });
    expect(transport.requests).toHaveLength(4);
  });

  test('does not offer the pair without an application to sign with', async () => {
    const { auth, transport } = createAuth(
      {},
      takingPairs(() => ({ code: 20_101 })),
    );
    await expect(auth.refresh(HELD)).rejects.toMatchObject({ code: 'SERVICE_API_REFUSED' });
    expect(transport.requests).toHaveLength(1);
  });

  test.each([
    'SERVICE_UNREACHABLE',
    'SERVICE_TIMEOUT',
    'SERVICE_SERVER_ERROR',
    'SERVICE_RATE_LIMITED',
    'SERVICE_PAYLOAD_INVALID',
  ] as const)('does not offer the pair after %s', async (code) => {
    const { auth, transport } = createAuth(undefined, takingPairs(failing(code)));
    await expect(auth.refresh(HELD)).rejects.toMatchObject({ code });
    expect(transport.requests).toHaveLength(1);
  });
});

test.each(SERVICE_ERROR_CODES)('isRefusal decides about %s', (code) => {
  const isExpected = code === 'SERVICE_AUTH_REJECTED' || code === 'SERVICE_API_REFUSED';
  expect(isRefusal(new ServiceError(code, ''))).toBe(isExpected);
});
