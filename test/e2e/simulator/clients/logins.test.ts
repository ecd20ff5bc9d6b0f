import { describe, expect, test } from 'vitest';
import {
  dataOf,
  envelopeOf,
  loginBody,
  PATHS,
  startSimulator,
  type TokenSet,
} from '../running-simulator.ts';
import { LOGINS, loginHeaders, type LoginShape } from './client-shapes.ts';

/*
 * The simulator is no mirror of our own client: these are the ways in which public clients of the
 * portal log in, each reduced to what is peculiar to it.
 */
const SHAPES = Object.entries<LoginShape>(LOGINS).map(([client, shape]) => ({ client, shape }));
const SERVICES = [
  { service: 'of the interface', options: { family: 'classic' } },
  { service: 'that is the portal', options: { family: 'hpvinv02' } },
] as const;

describe.each(SERVICES)('the service $service', ({ options }) => {
  test.each(SHAPES)('lets a client in that $client', async ({ shape }) => {
    const { post } = await startSimulator(options);
    const body = loginBody();
    const answer = await post(PATHS.login, body, loginHeaders(body, shape));
    expect(dataOf(answer)).toMatchObject({
      accessToken: expect.stringMatching(/^[0-9a-f]{32}$/) as string,
      account: 'demo@example.org',
      userId: expect.stringMatching(/^\d{18}$/) as string,
      authId: expect.stringMatching(/^\d{18}$/) as string,
      isStationOwner: true,
    });
  });

  test.each(SHAPES)(
    'refuses it when its signature was tampered with: $client',
    async ({ shape }) => {
      const { post } = await startSimulator(options);
      const body = loginBody();
      const headers = loginHeaders(body, shape);
      const sign = headers['IOT-Open-Sign'] ?? '';
      const tampered = (sign.startsWith('0') ? '1' : '0') + sign.slice(1);
      const answer = await post(PATHS.login, body, { ...headers, 'IOT-Open-Sign': tampered });
      expect(envelopeOf(answer).code).toBe(44);
    },
  );

  test.each(SHAPES.filter(({ shape }) => shape.isHashSigned !== false))(
    'refuses another body than the signed one: $client',
    async ({ shape }) => {
      const { post } = await startSimulator(options);
      const headers = loginHeaders(loginBody(), shape);
      const answer = await post(PATHS.login, loginBody('other@example.org'), headers);
      expect(envelopeOf(answer).code).toBe(44);
    },
  );
});

test('the portal lets a client log in again that still sends its old token', async () => {
  const { post, logIn, clock } = await startSimulator({ family: 'hpvinv02' });
  const { accessToken } = await logIn();
  clock.advance(3 * 3_600_000);
  const body = loginBody();
  const headers = loginHeaders(body, LOGINS['sends the word null for its token']);
  const answer = await post(PATHS.login, body, { ...headers, 'IOT-Token': accessToken });
  expect(envelopeOf(answer).code).toBe(0);
});

test('a pair is renewed by a client that keeps the hash of the body to itself', async () => {
  const { post, logIn } = await startSimulator({ family: 'hpvinv02' });
  const { accessToken, refreshToken } = await logIn();
  const body = JSON.stringify({ accessToken, refreshToken });
  const shape = LOGINS['sends null and keeps the hash of the body to itself'];
  const renewed = dataOf<TokenSet>(await post(PATHS.refresh, body, loginHeaders(body, shape)));
  expect(renewed.accessToken).not.toBe(accessToken);
  expect(envelopeOf(await post(PATHS.refresh, body, loginHeaders(body, shape)))).toMatchObject({
    error: 'Unauthorized',
  });
});

test('a session ends when its client logs out', async () => {
  const { ask } = await startSimulator();
  expect(envelopeOf(await ask(PATHS.logout, { userId: '1' })).code).toBe(0);
  expect((await ask(PATHS.stations, { page: 1, count: 1 })).status).toBe(401);
});
