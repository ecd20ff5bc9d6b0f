import { describe, expect, test, vi } from 'vitest';
import { ConfigError } from '../../../src/base/errors.ts';
import { startServer } from '../../support/running-server.ts';

function startReloading(reload: () => Promise<void>, isReloadEnabled = true) {
  return startServer({ reload, isReloadEnabled });
}

describe('a reload over HTTP', () => {
  test('is answered when it is done', async () => {
    const reload = vi.fn(() => Promise.resolve());
    const { ask } = await startReloading(reload);
    const { status, body } = await ask('/-/reload', { method: 'POST' });
    expect([status, String(body)]).toEqual([200, 'Reloaded.\n']);
    expect(reload).toHaveBeenCalledOnce();
  });

  test('with an unusable configuration fails, and leaves the reasons to the log', async () => {
    const { ask, log } = await startReloading(() =>
      Promise.reject(new ConfigError(['--a: is wrong', '--b: is wrong'])),
    );
    const { status, body } = await ask('/-/reload', { method: 'POST' });
    expect([status, String(body)]).toEqual([
      400,
      'Not reloaded; the log says why. The configuration before goes on.\n',
    ]);
    expect(log.lines).toEqual([]);
  });

  test('that fails in any other way is a failure, shown to nobody', async () => {
    const { ask, log } = await startReloading(() => Promise.reject(new Error('bug')));
    const { status, body } = await ask('/-/reload', { method: 'POST' });
    expect([status, String(body)]).toEqual([500, 'Internal error; the log says more.\n']);
    expect(log.messages('error')).toEqual(['request failed unexpectedly']);
  });

  test('is off unless it is turned on', async () => {
    const reload = vi.fn(() => Promise.resolve());
    const { ask } = await startReloading(reload, false);
    const { status, body } = await ask('/-/reload', { method: 'POST' });
    expect(status).toBe(403);
    expect(String(body)).toContain('--web.enable-lifecycle');
    expect(reload).not.toHaveBeenCalled();
  });

  test.each([
    { header: 'origin', value: 'https://page.example', status: 403 },
    { header: 'origin', value: 'null', status: 403 },
    { header: 'sec-fetch-site', value: 'cross-site', status: 403 },
    { header: 'sec-fetch-site', value: 'same-origin', status: 403 },
    { header: 'sec-fetch-site', value: 'none', status: 200 },
  ])('with $header: $value is answered with $status', async ({ header, value, status }) => {
    const reload = vi.fn(() => Promise.resolve());
    const { ask } = await startReloading(reload);
    const headers = { [header]: value };
    expect((await ask('/-/reload', { method: 'POST', headers })).status).toBe(status);
    expect(reload).toHaveBeenCalledTimes(status === 200 ? 1 : 0);
  });

  test.each(['GET', 'HEAD', 'PUT', 'DELETE'])('is not done by %s', async (method) => {
    const reload = vi.fn(() => Promise.resolve());
    const { ask } = await startReloading(reload);
    const { status, headers } = await ask('/-/reload', { method });
    expect([status, headers['allow']]).toEqual([405, 'POST']);
    expect(reload).not.toHaveBeenCalled();
  });
});
