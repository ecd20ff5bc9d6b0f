import { once } from 'node:events';
import type { Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { SERVER_LIMITS } from '../../../src/http/server-limits.ts';
import { clientOf } from '../../support/running-server.ts';
import {
  allOf,
  answersIn,
  CLOSE,
  exchange,
  get,
  open,
  openMany,
  statusesIn,
} from './abuse-client.ts';
import { startAbused } from './abused-exporter.ts';
import { eventually } from '../../support/eventually.ts';

/** How often the scraper comes while an abuse goes on. */
const SCRAPES = 10;

/** Sends one byte of a text on each connection again and again, until the test ends. */
function drip(sockets: readonly Socket[], text: string): void {
  let at = 0;
  const timer = setInterval(() => {
    for (const socket of sockets) socket.write(text.charAt(at % text.length));
    at += 1;
  }, 20);
  onTestFinished(() => clearInterval(timer));
}

const destroyAll = (sockets: readonly Socket[]) => {
  for (const socket of sockets) socket.destroy();
};

test('two hundred clients that keep their connections are all served the whole page', async () => {
  const { url, expectServed, expectHeld, expectReleased } = await startAbused();
  const wanted = await expectServed();
  const clients = Array.from({ length: 200 }, () => clientOf({ url }));
  const answers = await Promise.all(
    clients.map(async ({ ask }) => {
      const pages = [];
      for (let scrape = 0; scrape < 5; scrape += 1) pages.push(await ask('/metrics'));
      return pages;
    }),
  );
  for (const { status, body } of answers.flat()) {
    expect(status).toBe(200);
    expect(String(body)).toBe(wanted);
  }
  await expectHeld(200);
  expect(await expectServed()).toBe(wanted);
  for (const { agent } of clients) agent.destroy();
  await expectReleased();
});

describe('clients that take their time', () => {
  test('with heads, with bodies or with a first word disturb nobody', async () => {
    const { url, ask, expectServed, expectHeld, expectReleased } = await startAbused();
    const [heads, bodies, silent] = await Promise.all([
      openMany(url, 100),
      openMany(url, 100),
      openMany(url, 100),
    ]);
    for (const socket of heads) socket.write('GET /metrics HTTP/1.1\r\nHost: exporter\r\nX-Slow: ');
    drip(heads, 'slow');
    for (const socket of bodies) socket.write(get('/metrics', 'Content-Length: 50000'));
    drip(bodies, 'slow');
    await expectHeld(300);
    for (let scrape = 0; scrape < SCRAPES; scrape += 1) {
      await expectServed();
      expect((await ask('/-/healthy')).status).toBe(200);
    }
    destroyAll([...heads, ...bodies, ...silent]);
    await expectServed();
    await expectReleased();
  });

  test('with taking their answers disturb nobody, however many they ask for', async () => {
    // Nothing is read again meanwhile, nor begun to be counted: that would be a matter of the service.
    const flags = ['--cache.readings-ttl=1h', '--cache.max-age=2h', '--no-collect.energy'];
    const { url, ask, expectServed, expectHeld, expectReleased } = await startAbused(flags, {
      devices: 400,
    });
    const readers = await openMany(url, 40);
    for (const socket of readers) socket.pause().write(get('/metrics').repeat(9));
    await expectHeld(40);
    for (let scrape = 0; scrape < SCRAPES; scrape += 1) {
      await expectServed();
      expect((await ask('/-/healthy')).status).toBe(200);
    }
    destroyAll(readers);
    await expectServed();
    await expectReleased();
  });
});

describe('a client that sends many requests in one packet', () => {
  test('gets a few answers, in their order, and is told why there are no more', async () => {
    const { url, expectServed, expectReleased } = await startAbused(['--web.max-requests=1']);
    const page = await expectServed();
    const paths = ['/metrics', '/-/healthy', '/nowhere', '/-/ready'];
    const sent = paths.map((path) => get(path)).join('');
    const answers = answersIn(await exchange(url, sent.repeat(10)));
    const { maxWaitingRequests } = SERVER_LIMITS;
    expect(answers.map(({ body }) => body)).toEqual([
      ...[page, 'Healthy.\n', 'Not found.\n', 'Ready.\n'],
      ...[page, 'Healthy.\n', 'Not found.\n', 'Ready.\n'],
      page,
      `At most ${maxWaitingRequests} requests may wait on one connection: this is its last answer.\n`,
    ]);
    expect(answers.at(-1)?.status).toBe(503);
    await expectServed();
    await expectReleased();
  });
});

describe('clients that end their side at once', () => {
  test('are answered, and their connections closed', async () => {
    const { url, expectServed, expectReleased } = await startAbused();
    const sockets = await Promise.all(Array.from({ length: 50 }, () => open(url, true)));
    const answers = sockets.map((socket) => {
      socket.end(get('/metrics'));
      return allOf(socket);
    });
    for (const answer of await Promise.all(answers)) expect(statusesIn(answer)).toEqual([200]);
    await expectServed();
    await expectReleased();
  });

  test('in the middle of a head are told so', async () => {
    const { url, expectServed, expectReleased } = await startAbused();
    const socket = await open(url, true);
    socket.end('GET /metrics HTTP/1.1\r\nHost: exp');
    expect(statusesIn(await allOf(socket))).toEqual([400]);
    await expectServed();
    await expectReleased();
  });
});

test('clients that break off amid their answers are forgotten', async () => {
  const { url, exporter, expectServed, expectReleased } = await startAbused([], { devices: 200 });
  for (let round = 0; round < 5; round += 1) {
    const sockets = await openMany(url, 30);
    await Promise.all(
      sockets.map(async (socket) => {
        socket.write(get('/metrics'));
        await once(socket, 'data');
        socket.resetAndDestroy();
      }),
    );
    await expectServed();
  }
  await expectReleased();
  expect(exporter.stderr).not.toMatch(/"level":"(?:warn|error|fatal)"/);
});

test('connections beyond the bound take the places of those that are idle longest', async () => {
  const { url, ask, expectServed, expectReleased } = await startAbused();
  // The scraper has one itself.
  const hoard = await openMany(url, SERVER_LIMITS.maxConnections - 1);
  const answers = hoard.map(async (socket) => {
    socket.write(get('/-/healthy'));
    const [first] = (await once(socket, 'data')) as [Buffer];
    return String(first);
  });
  for (const answer of await Promise.all(answers)) expect(statusesIn(answer)).toEqual([200]);
  await expectServed();
  const beyond = await openMany(url, 20);
  for (const socket of beyond) socket.write(get('/-/healthy', CLOSE));
  for (const answer of await Promise.all(beyond.map(allOf)))
    expect(statusesIn(answer)).toEqual([200]);
  // Not one for each: those who are answered leave their places as well.
  await eventually(() => expect(hoard.some(({ destroyed }) => destroyed)).toBe(true));
  await expectServed();
  expect((await ask('/-/healthy')).status).toBe(200);
  destroyAll(hoard);
  await expectServed();
  await expectReleased();
});
