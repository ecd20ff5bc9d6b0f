import { expect, test } from 'vitest';
import { SERVER_LIMITS } from '../../../src/http/server-limits.ts';
import { allOf, exchange, get, open, CLOSE, statusesIn } from './abuse-client.ts';
import { startAbused } from './abused-exporter.ts';

const { maxHeaderBytes } = SERVER_LIMITS;

const LARGE_HEADS = {
  'one header of 1 MB': `X: ${'b'.repeat(1_000_000)}\r\n`,
  'a name of 1 MB': `${'n'.repeat(1_000_000)}: x\r\n`,
  'ten thousand headers': 'X-Header: value\r\n'.repeat(10_000),
  'a megabyte of cookies': 'Cookie: a=b\r\n'.repeat(77_000),
};

test('a head that is too large is answered with 431 before it has ended', async () => {
  const { url, expectServed, expectReleased } = await startAbused();
  for (const [what, text] of Object.entries(LARGE_HEADS)) {
    const socket = await open(url);
    socket.write('GET /metrics HTTP/1.1\r\nHost: exporter\r\n');
    // No more of it than shows that it is too large: what is sent after the answer breaks the connection.
    socket.write(text.slice(0, 2 * maxHeaderBytes));
    expect(statusesIn(await allOf(socket)), what).toEqual([431]);
    await expectServed();
  }
  await expectReleased();
});

test('headers of one letter are borne by the hundred, and by the thousand disturb nobody', async () => {
  const { url, expectServed, expectReleased } = await startAbused();
  const statusOf = async (count: number): Promise<readonly number[]> => {
    const many = Array.from({ length: count }, () => 'a:');
    return statusesIn(await exchange(url, get('/metrics', CLOSE, ...many)));
  };
  // Node.js 20 counts the letters alone; later versions add something for each header.
  const isOldCount = process.versions.node.startsWith('20.');
  expect(await statusOf(500)).toEqual([200]);
  expect(await statusOf(maxHeaderBytes / 2)).toEqual([isOldCount ? 200 : 431]);
  await expectServed();
  await expectReleased();
});

test('fifty clients at once that send heads of 1 MB disturb nobody', async () => {
  const { url, exporter, expectServed, expectReleased } = await startAbused();
  for (const text of Object.values(LARGE_HEADS)) {
    const clients = Array.from({ length: 50 }, async () => {
      const socket = await open(url);
      socket.write(`GET /metrics HTTP/1.1\r\nHost: exporter\r\n${text}\r\n`);
      return allOf(socket);
    });
    await expectServed();
    // The answer may be lost with the connection; a page is never given.
    for (const received of await Promise.all(clients)) expect(received).not.toContain('solar_up');
  }
  await expectServed();
  await expectReleased();
  expect(exporter.stderr).not.toMatch(/"level":"(?:warn|error|fatal)"/);
});
