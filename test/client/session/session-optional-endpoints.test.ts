import { expect, test } from 'vitest';
import { ServiceError } from '../../../src/base/errors.ts';
import { createSession } from './session-harness.ts';

/** Asks an endpoint that the service may lack, and that always fails with this error. */
async function askOptional(error: ServiceError) {
  const { session, send, renewals } = createSession();
  send.mockRejectedValue(error);
  const asked = session.withToken((accessToken) => send(accessToken.reveal()), true);
  const failure = await asked.catch((reason: unknown) => reason);
  return { failure, send, renewals, status: session.status() };
}

test('an optional endpoint that refuses a token does not have it renewed', async () => {
  const refused = new ServiceError('SERVICE_AUTH_REJECTED', '/flow: HTTP 401');
  const { failure, send, renewals, status } = await askOptional(refused);
  expect(failure).toMatchObject({
    code: 'SERVICE_REQUEST_REJECTED',
    message: '/flow: HTTP 401, with a token that other endpoints accept',
    cause: refused,
  });
  expect(send).toHaveBeenCalledOnce();
  expect(renewals).toEqual(['login ok']);
  expect(status.isReauthenticationRequired).toBe(false);
});

test('an optional endpoint that calls the token expired has it renewed once', async () => {
  const expired = { serviceCode: '9' };
  const refused = new ServiceError('SERVICE_AUTH_REJECTED', '/flow: code 9', expired);
  const { failure, send, renewals, status } = await askOptional(refused);
  expect(failure).toMatchObject({
    code: 'SERVICE_AUTH_REJECTED',
    message: 're-authentication is required: a renewed token was refused: /flow: code 9',
  });
  expect(send).toHaveBeenCalledTimes(2);
  expect(renewals).toEqual(['login ok', 'refresh ok']);
  expect(status.isReauthenticationRequired).toBe(true);
});
