import { Server } from 'node:net';
import { expect, test, vi } from 'vitest';
import { startBoth } from '../house.ts';

test('connections that cannot be accepted are logged once, and end nothing', async () => {
  const listen = vi.spyOn(Server.prototype, 'listen');
  const { clock, log, scrape, url } = await startBoth();
  const port = Number(new URL(url).port);
  const server = (listen.mock.contexts as Server[]).find((listening) => {
    const address = listening.address();
    return typeof address === 'object' && address?.port === port;
  });
  const fail = (code: string) =>
    server?.emit('error', Object.assign(new Error(`accept ${code}`), { code, syscall: 'accept' }));
  const failed = () => log.lines.filter(({ message }) => message.includes('cannot be accepted'));

  for (const code of ['EMFILE', 'EMFILE', 'ENOBUFS']) fail(code);
  expect((await scrape()).value('solar_up')).toBe(1);
  const line = { level: 'warn', message: 'connections cannot be accepted' };
  const logged = [{ ...line, fields: { code: 'EMFILE' } }];
  expect(failed()).toEqual(logged);

  // Again after a minute without any.
  for (const [afterMs, isLogged] of [
    [59_999, false],
    [59_999, false],
    [60_000, true],
  ] as const) {
    clock.advance(afterMs);
    fail('ENOBUFS');
    if (isLogged) logged.push({ ...line, fields: { code: 'ENOBUFS' } });
    expect(failed()).toEqual(logged);
  }
});
