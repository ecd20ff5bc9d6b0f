import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hashSync } from 'bcryptjs';
import { expect, onTestFinished, test } from 'vitest';
import { clientOf } from '../../support/running-server.ts';
import { eventually } from '../../support/eventually.ts';
import { credentialsFor, ScrapedPage, startService } from '../../doors/house.ts';
import { startServe } from '../../support/running-process.ts';
import { startAbused, watchOpenFiles } from './abused-exporter.ts';

const MAX_REQUESTS = 10;

const basic = (password: string) => ({
  authorization: `Basic ${Buffer.from(`prometheus:${password}`).toString('base64')}`,
});

/** A web configuration with one user, whose password is "right"; health is open to everyone. */
function writeUsers(): string {
  const folder = mkdtempSync(join(tmpdir(), 'solar-abuse-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'web.yml');
  const hash = hashSync('right', 7);
  writeFileSync(
    path,
    `basic_auth_users: {prometheus: "${hash}"}\nauth_excluded_paths: [/-/healthy]\n`,
  );
  return path;
}

test('more scrapes than allowed while the service is silent are told to come back; health is answered', async () => {
  const { simulator, serviceUrl } = await startService();
  simulator.setFault('stations', { kind: 'hang' });
  const { url } = await startServe(
    [`--base-url=${serviceUrl}`, `--web.max-requests=${MAX_REQUESTS}`, '--scrape.timeout=1h'],
    credentialsFor(simulator),
  );
  const { ask } = clientOf({ url });
  expect((await ask('/-/ready')).status).toBe(200);
  const { expectReleased } = watchOpenFiles();
  const patient = clientOf({ url });
  const waiting = Array.from({ length: MAX_REQUESTS }, () => patient.ask('/metrics'));
  await eventually(async () => expect((await ask('/nowhere')).status).toBe(503));

  const clients = Array.from({ length: 50 }, () => clientOf({ url }));
  const beyond = await Promise.all(clients.map((client) => client.ask('/metrics')));
  for (const { status, headers } of beyond) {
    expect(status).toBe(503);
    expect(headers['retry-after']).toBe('1');
  }
  for (const path of ['/-/healthy', '/-/ready'])
    for (const client of clients) expect((await client.ask(path)).status, path).toBe(200);

  // The service breaks all connections, and whoever waited learns that nothing is known.
  await simulator.stop();
  for (const { status, body } of await Promise.all(waiting)) {
    expect(status).toBe(200);
    expect(new ScrapedPage(200, String(body)).value('solar_up')).toBe(0);
  }
  expect((await ask('/metrics')).status).toBe(200);
  expect((await ask('/nowhere')).status).toBe(404);
  for (const { agent } of [...clients, patient]) agent.destroy();
  await expectReleased();
});

test('fifty clients that guess passwords keep out nobody who was let in', async () => {
  const flags = [`--web.config.file=${writeUsers()}`];
  const { url, ask, exporter, expectServed, expectReleased } = await startAbused(flags, {
    headers: basic('right'),
  });
  const guessers = Array.from({ length: 50 }, () => clientOf({ url }));
  const guessing = Promise.all(
    guessers.map(async (guesser, number) => {
      const statuses: unknown[] = [];
      for (let guess = 0; guess < 2; guess += 1) {
        const headers = basic(`guess ${number} ${guess}`);
        statuses.push((await guesser.ask('/metrics', { headers })).status);
      }
      return statuses;
    }),
  );
  for (let scrape = 0; scrape < 10; scrape += 1) {
    await expectServed();
    expect((await ask('/-/healthy')).status).toBe(200);
    expect((await ask('/metrics')).status).toBe(401);
  }
  const statuses = new Set((await guessing).flat());
  expect(statuses).toEqual(new Set([401, 503]));
  // Who comes for the first time is let in as soon as the guessing ends.
  await eventually(async () => {
    expect((await ask('/sd', { headers: basic('right') })).status).toBe(200);
  });
  for (const { agent } of guessers) agent.destroy();
  await expectServed();

  await expectReleased();
  const refused = 'log-in refused: unknown user or wrong password';
  expect(exporter.stderr).toContain(refused);
  // Once, and again at most after each time that somebody was let in.
  expect(exporter.stderr.split(refused).length - 1).toBeLessThanOrEqual(13);
  expect(exporter.stderr.replaceAll(`"level":"warn"`, '')).not.toMatch(
    /guess|right|"level":"(?:error|fatal)"/,
  );
});
