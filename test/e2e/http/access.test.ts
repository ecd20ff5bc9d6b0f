import { hashSync } from 'bcryptjs';
import { describe, expect, test } from 'vitest';
import type { Page } from '../../../src/metrics/render.ts';
import { startServer } from '../../support/running-server.ts';
import { openConfig, startSecured } from '../../support/tls-harness.ts';

const HASH = hashSync('right', 4);
const USERS = `basic_auth_users: {prometheus: "${HASH}"}`;
const RIGHT = { authorization: `Basic ${Buffer.from('prometheus:right').toString('base64')}` };
const WRONG = { authorization: `Basic ${Buffer.from('prometheus:wrong').toString('base64')}` };

describe('a server with users', () => {
  test.each(['/metrics', '/', '/nowhere', '/-/healthy', '/-/reload'])(
    'asks for a password before anything else at %s',
    async (path) => {
      const { ask } = await startSecured(USERS);
      const { status, headers, body } = await ask(path);
      expect(status).toBe(401);
      expect(headers['www-authenticate']).toBe('Basic realm="solar-exporter", charset="UTF-8"');
      expect(String(body)).toBe('Unauthorized.\n');
      expect((await ask(path, { headers: WRONG })).status).toBe(401);
    },
  );

  test('answers a client with the right password again and again', async () => {
    const { ask, log } = await startSecured(USERS);
    for (let scrape = 0; scrape < 3; scrape += 1)
      expect((await ask('/metrics', { headers: RIGHT })).status).toBe(200);
    expect((await ask('/nowhere', { headers: RIGHT })).status).toBe(404);
    expect(log.lines).toEqual([]);
  });

  test('leaves open exactly the paths that are excluded', async () => {
    const { ask } = await startSecured(`${USERS}\nauth_excluded_paths: [/-/healthy, /open]`);
    expect((await ask('/-/healthy')).status).toBe(200);
    expect((await ask('/-/healthy?a=b')).status).toBe(200);
    expect((await ask('/open')).status).toBe(404);
    for (const path of ['/-/ready', '/-/healthy/', '/-/%68ealthy', '//-/healthy'])
      expect((await ask(path)).status, path).toBe(401);
  });

  test('follows the file: users come and go on the same connection', async () => {
    const { ask, change } = await startSecured('');
    expect((await ask('/metrics')).status).toBe(200);
    change(USERS);
    expect((await ask('/metrics')).status).toBe(401);
    expect((await ask('/metrics', { headers: RIGHT })).status).toBe(200);
    change(USERS.replace(HASH, hashSync('new', 4)));
    expect((await ask('/metrics', { headers: RIGHT })).status).toBe(401);
  });

  test('answers 500 when passwords cannot be compared', async () => {
    const passwords = {
      verify: () => Promise.reject(new Error('broken')),
      stop: () => Promise.resolve(),
    };
    const { ask, log } = await startSecured(USERS, { passwords });
    expect((await ask('/metrics', { headers: RIGHT })).status).toBe(500);
    expect(log.messages('error')).toEqual(['request failed unexpectedly']);
  });

  test('does not count wrong guesses as requests at once', async () => {
    const { ask } = await startSecured(USERS, { maxRequests: 1 });
    await Promise.all(['/a', '/b', '/c'].map((path) => ask(path, { headers: WRONG })));
    expect((await ask('/metrics', { headers: RIGHT })).status).toBe(200);
  });
});

describe('configured headers', () => {
  const HEADERS =
    'http_server_config: {headers: {Content-Security-Policy: "default-src *", X-Frame-Options: deny}}';

  test.each(['/', '/metrics', '/nowhere'])(
    'are sent with %s in place of its own headers',
    async (path) => {
      const { ask } = await startSecured(HEADERS);
      const { headers } = await ask(path);
      expect(headers['content-security-policy']).toBe('default-src *');
      expect(headers['x-frame-options']).toBe('deny');
      expect(headers['content-type']).toBeDefined();
    },
  );

  test('are sent with refusals and failures as well', async () => {
    const refused = await startSecured(`${HEADERS}\n${USERS}`);
    expect((await refused.ask('/metrics')).headers['x-frame-options']).toBe('deny');
    const { webConfig } = await openConfig(HEADERS);
    const scrape = () => Promise.reject<Page>(new Error('bug'));
    const failed = await startServer({ scrape }, { webConfig });
    const { status, headers } = await failed.ask('/metrics');
    expect([status, headers['x-frame-options']]).toEqual([500, 'deny']);
    expect((await failed.ask('/metrics', { method: 'PUT' })).headers['x-frame-options']).toBe(
      'deny',
    );
  });
});
