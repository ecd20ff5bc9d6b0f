import { readFileSync, statSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { platform } from 'node:os';
import { join } from 'node:path';
import { hashSync } from 'bcryptjs';
import { expect, onTestFinished, test } from 'vitest';
import type { NetworkFile } from '../../../src/http/authentication/let-in-networks.ts';
import { openStateDirectory } from '../../../src/state/state-directory.ts';
import { deferred } from '../../support/deferred.ts';
import { eventually } from '../../support/eventually.ts';
import { temporaryDirectory } from '../../support/prometheus.ts';
import { startSecured } from '../../support/tls-harness.ts';

const USERS = `basic_auth_users: {prometheus: "${hashSync('right', 4)}"}`;
const HOME = '127.0.0.1';
const ELSEWHERE = '127.0.0.2';
/** One whose password is being compared, 32 who wait, and one too many. */
const GUESSERS = 34;

/** Logs in from an address of this computer; resolves to the status. */
type LogIn = (password: string, address: string) => Promise<number | undefined>;

/** A server that compares no password while it is held. */
async function startHeld(letInFile?: NetworkFile) {
  const gate = deferred<undefined>();
  const compared: string[] = [];
  const passwords = {
    verify: async (password: string) => {
      compared.push(password);
      await gate.promise;
      return password === 'right';
    },
    stop: () => Promise.resolve(),
  };
  const { server } = await startSecured(USERS, { letInFile, passwords });
  const logIn: LogIn = (password, localAddress) => {
    const authorization = `Basic ${Buffer.from(`prometheus:${password}`).toString('base64')}`;
    const options = { agent: new Agent(), localAddress, headers: { authorization } };
    return new Promise((resolve, reject) => {
      get(`${server.url}/metrics`, options, (response) => {
        response.resume().once('end', () => resolve(response.statusCode));
      }).once('error', reject);
    });
  };
  return {
    compared,
    logIn,
    release: () => gate.resolve(undefined),
  };
}

/** Sends a guess of each guesser; resolves when as many wait as may, and one was turned away. */
async function fill(guess: (guesser: number) => Promise<number | undefined>) {
  const statuses: unknown[] = [];
  const guesses = Array.from({ length: GUESSERS }, (_, guesser) =>
    guess(guesser).then((status) => statuses.push(status)),
  );
  const expectTurnedAway = (count: number) =>
    eventually(() => expect(statuses).toEqual(Array.from({ length: count }, () => 503)));
  await expectTurnedAway(1);
  return { expectTurnedAway, end: () => Promise.all(guesses) };
}

// Elsewhere, a computer has only one address of this kind that nobody had to set up.
test.skipIf(platform() !== 'linux')(
  'the right password takes the place of guesses from many addresses, if its own was let in before a restart',
  async () => {
    const path = join(temporaryDirectory(), 'state');
    const before = await openStateDirectory(path, () => 'before--');
    const first = await startHeld(before.letIn);
    first.release();
    expect(await first.logIn('right', HOME)).toBe(200);
    const file = join(path, 'let-in.json');
    const text = await eventually(() => readFileSync(file, 'utf8'));
    await before.close();
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(JSON.parse(text)).toEqual({
      version: 1,
      networks: [{ network: HOME, letInAtMs: expect.any(Number) as number }],
    });

    const after = await openStateDirectory(path, () => 'after---');
    onTestFinished(() => after.close());
    const { logIn, compared, release } = await startHeld(after.letIn);
    const { expectTurnedAway, end } = await fill((guesser) =>
      logIn(`guess ${guesser}`, `127.0.1.${guesser + 1}`),
    );
    const stranger = logIn('right', ELSEWHERE);
    expect(await stranger).toBe(503);
    const status = logIn('right', HOME);
    await expectTurnedAway(2);
    release();
    expect(await status).toBe(200);
    expect(compared.indexOf('right')).toBe(1);
    await end();
  },
);
