import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { hashSync } from 'bcryptjs';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { credentialsFor, ScrapedPage, startService } from '../doors/house.ts';
import { eventually } from '../support/eventually.ts';
import { temporaryDirectory } from '../support/prometheus.ts';
import { allOf, connectTo, get, statusesIn } from '../support/raw-client.ts';
import { startServe } from '../support/running-process.ts';
import { clientOf } from '../support/running-server.ts';

/** More than the buffers of the system take for one connection. */
const DEVICES = 200;

const as = (password: string) => ({
  authorization: `Basic ${Buffer.from(`prometheus:${password}`).toString('base64')}`,
});

/** The exporter that this process has started. */
function pidOfExporter(): number {
  const textOf = (pid: number, name: string): string => {
    try {
      return readFileSync(`/proc/${pid}/${name}`, 'utf8');
    } catch {
      return ''; // it has ended
    }
  };
  const [pid = 0] = readdirSync('/proc')
    .map(Number)
    .filter(
      (found) =>
        textOf(found, 'status').includes(`\nPPid:\t${process.pid}\n`) &&
        textOf(found, 'cmdline').includes('\0serve\0'),
    );
  return pid;
}

function connectMany(url: string, count: number): Promise<readonly Socket[]> {
  return Promise.all(Array.from({ length: count }, () => connectTo(url)));
}

/** Sends one byte of a text on each connection again and again, until the test ends. */
function drip(sockets: readonly Socket[], text: string): void {
  let at = 0;
  const timer = setInterval(() => {
    for (const socket of sockets) socket.write(text.charAt(at % text.length));
    at += 1;
  }, 20);
  onTestFinished(() => clearInterval(timer));
}

test('clients that misbehave in every way at once disturb no scrape, and are forgotten when they leave', async () => {
  const webConfig = join(temporaryDirectory(), 'web.yml');
  const users = `basic_auth_users: {prometheus: "${hashSync('right', 7)}"}`;
  writeFileSync(webConfig, `${users}\nauth_excluded_paths: [/-/healthy]\n`);
  const { simulator, serviceUrl } = await startService({ devicesPerStation: DEVICES }, systemClock);
  // Nothing is read again meanwhile, nor begun to be counted: that would be a matter of the service.
  const flags = ['--cache.readings-ttl=1h', '--cache.max-age=2h', '--no-collect.energy'];
  const { exporter, url } = await startServe(
    [`--base-url=${serviceUrl}`, `--web.config.file=${webConfig}`, ...flags],
    credentialsFor(simulator),
  );
  const { ask } = clientOf({ url });
  const expectServed = async () => {
    const { status, body } = await ask('/metrics', { headers: as('right') });
    const page = new ScrapedPage(status ?? 0, String(body));
    expect([page.status, page.value('solar_up')]).toEqual([200, 1]);
    expect(page.all('solar_device_reporting')).toHaveLength(DEVICES);
    expect((await ask('/-/healthy')).status).toBe(200);
  };
  // A busy machine may need more than one scrape to read many devices.
  await eventually(expectServed);
  const pid = existsSync('/proc/self/fd') ? pidOfExporter() : undefined;
  const openFiles = () => (pid === undefined ? 0 : readdirSync(`/proc/${pid}/fd`).length);
  const before = openFiles();

  const authorization = `Authorization: ${as('right').authorization}`;
  const hoard = await connectMany(url, 30);
  for (const socket of hoard) {
    socket.write(get('/-/healthy'));
    const [answer] = (await once(socket, 'data')) as [Buffer];
    expect(statusesIn(String(answer))).toEqual([200]);
  }
  const heads = await connectMany(url, 10);
  for (const socket of heads) socket.write('GET /metrics HTTP/1.1\r\nHost: exporter\r\nX-Slow: ');
  drip(heads, 'slow');
  const bodies = await connectMany(url, 10);
  for (const socket of bodies) socket.write(get('/-/healthy', 'Content-Length: 50000'));
  drip(bodies, 'slow');
  const silent = await connectMany(url, 10);
  const readers = await connectMany(url, 40);
  for (const socket of readers) socket.pause().write(get('/metrics', authorization).repeat(9));
  await expectServed();
  for (const socket of await connectMany(url, 10)) {
    socket.write(get('/metrics', authorization));
    await once(socket, 'data');
    socket.resetAndDestroy();
  }
  for (const socket of await connectMany(url, 5)) {
    socket.write(`GET /metrics HTTP/1.1\r\nHost: exporter\r\nX: ${'b'.repeat(1_000_000)}\r\n\r\n`);
    // The answer may be lost with the connection; a page is never given.
    expect(await allOf(socket)).not.toContain('solar_up');
  }
  await expectServed();
  const guessers = Array.from({ length: 50 }, () => clientOf({ url }));
  const guesses = guessers.map((guesser, number) =>
    guesser.ask('/metrics', { headers: as(`guess ${number}`) }),
  );
  for (let scrape = 0; scrape < 5; scrape += 1) await expectServed();
  const statuses = (await Promise.all(guesses)).map(({ status }) => status);
  expect(new Set(statuses)).toEqual(new Set([401, 503]));

  for (const { agent } of guessers) agent.destroy();
  for (const socket of [...hoard, ...heads, ...bodies, ...silent, ...readers]) socket.destroy();
  await expectServed();
  await eventually(() => expect(openFiles()).toBeLessThanOrEqual(before));
  expect(exporter.stderr).toContain('log-in refused: unknown user or wrong password');
  expect(exporter.stderr).not.toMatch(/guess |"level":"(?:error|fatal)"/);
});
