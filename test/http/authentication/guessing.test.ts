import { describe, expect, test } from 'vitest';
import type { Client } from '../../../src/http/authentication/client.ts';
import { settled } from '../../support/deferred.ts';
import { clientAt, startGuessed, textFile } from './guessing-harness.ts';

const GUESSERS = 9;
const MOST_WAITING = 32;
const TURNED_AWAY = 'log-ins turned away: more than 32 wait to be compared';

/** Creates the clients of one guesser, one for each guess. */
type NewGuesser = (guesser: number) => () => Client;

/** All guesses of a guesser come on one connection. */
function keptConnection(address: (guesser: number) => string): NewGuesser {
  return (guesser) => {
    const client = clientAt(address(guesser));
    return () => client;
  };
}

describe('the right password comes through while nine connections guess', () => {
  const HERE = '192.0.2.1';
  const situations: readonly {
    readonly what: string;
    readonly newGuesser: NewGuesser;
    readonly address?: string;
    /** The comparison that has begun, its own, and those that go first. */
    readonly comparisons: number;
  }[] = [
    {
      what: 'of another address',
      newGuesser: keptConnection(() => '198.51.100.7'),
      comparisons: 2,
    },
    { what: 'of the same address', newGuesser: keptConnection(() => HERE), comparisons: 2 },
    {
      what: 'of the same address, each guess on a connection of its own,',
      newGuesser: () => () => clientAt(HERE),
      comparisons: GUESSERS + 1,
    },
    {
      what: 'of another address, each guess on a connection of its own,',
      newGuesser: () => () => clientAt('198.51.100.7'),
      comparisons: 2,
    },
    {
      what: 'of many addresses',
      newGuesser: keptConnection((guesser) => `198.51.100.${guesser}`),
      comparisons: 2,
    },
    {
      what: 'of one IPv6 network, each guess from another address,',
      newGuesser: (guesser) => {
        let guesses = 0;
        return () => clientAt(`2001:db8::${guesser}:${(guesses += 1)}`);
      },
      address: '2001:db8:0:1::1',
      comparisons: 2,
    },
    {
      what: 'of the same IPv4 address, written in both ways,',
      newGuesser: keptConnection((guesser) => (guesser % 2 === 0 ? HERE : `::ffff:${HERE}`)),
      comparisons: 2,
    },
  ];

  test.each(situations)('$what', async ({ newGuesser, address = HERE, comparisons }) => {
    const { keepGuessing, compare, logIn, log } = await startGuessed();
    for (let guesser = 0; guesser < GUESSERS; guesser += 1) void keepGuessing(newGuesser(guesser));
    // Each of them was refused before.
    for (let round = 0; round < GUESSERS; round += 1) await compare();
    expect(await logIn(clientAt(address))).toEqual({ comparisons, status: 200 });
    expect(log.messages('warn')).toEqual(['log-in refused: unknown user or wrong password']);
  });

  test('before any of them was refused', async () => {
    const { keepGuessing, logIn } = await startGuessed();
    for (let guesser = 0; guesser < GUESSERS; guesser += 1)
      void keepGuessing(() => clientAt('198.51.100.7'));
    expect(await logIn(clientAt(HERE))).toEqual({ comparisons: 2, status: 200 });
  });
});

describe('when more log-ins wait than may', () => {
  test('the newest of the address with the most of them is turned away', async () => {
    const { guess, compare, logIn, log } = await startGuessed();
    const guesser = clientAt('198.51.100.7');
    const statuses: number[] = [];
    const guesses = Array.from({ length: MOST_WAITING + 1 }, () =>
      guess(guesser).then((status) => statuses.push(status)),
    );
    await settled();
    expect(statuses).toEqual([]);
    // The one that has begun, and the newcomer.
    expect(await logIn(clientAt('192.0.2.1'))).toEqual({ comparisons: 2, status: 200 });
    expect(statuses).toEqual([503, 401]);
    expect(log.messages('warn')).toEqual([
      TURNED_AWAY,
      'log-in refused: unknown user or wrong password',
    ]);
    for (let waiting = 0; waiting < MOST_WAITING; waiting += 1) await compare();
    await Promise.all(guesses);
    expect(statuses.filter((status) => status === 401)).toHaveLength(MOST_WAITING);
  });

  test('a connection that was turned away comes after one that was not, at the same address', async () => {
    const { guess, login, compare, logIn } = await startGuessed();
    const patient = clientAt('192.0.2.1');
    const guesses = Array.from({ length: MOST_WAITING + 1 }, () => guess(patient));
    const eager = clientAt('192.0.2.1');
    expect(await guess(eager)).toBe(503);
    await compare();
    // There is a place again, and both came before the newcomer.
    void guess(eager);
    expect(await logIn(clientAt('192.0.2.1'))).toEqual({ comparisons: 2, status: 200 });
    expect(await login('right', eager)).toBe(200);
    for (let waiting = 0; waiting <= MOST_WAITING; waiting += 1) await compare();
    await Promise.all(guesses);
  });

  test('a newcomer is turned away if nobody is placed worse, in a line that names the limit', async () => {
    const { authenticator, guess, login, compare, log } = await startGuessed();
    const guesser = clientAt('192.0.2.1');
    const guesses = Array.from({ length: MOST_WAITING + 1 }, () => guess(guesser));
    expect(await login('right', guesser)).toBe(503);
    expect(await guess(guesser)).toBe(503);
    // Once for all of them, and again only when nobody waited meanwhile.
    expect(log.messages('warn')).toEqual([TURNED_AWAY]);
    for (let waiting = 0; waiting <= MOST_WAITING; waiting += 1) await compare();
    await Promise.all(guesses);
    const later = Array.from({ length: MOST_WAITING + 2 }, () => guess(guesser));
    expect(await later.at(-1)).toBe(503);
    expect(log.messages('warn').filter((message) => message === TURNED_AWAY)).toHaveLength(2);
    await authenticator.stop();
  });
});

describe('an address from which somebody was let in', () => {
  const HOME = '192.0.2.1';
  /** Fills the queue with first guesses, each from an address of its own. */
  const fill = (guess: (client: Client) => Promise<number>): void => {
    for (let guesser = 0; guesser <= MOST_WAITING; guesser += 1)
      void guess(clientAt(`198.51.100.${guesser}`));
  };

  test('goes first after a restart, even before addresses that never guessed', async () => {
    const file = textFile();
    const before = await startGuessed(file);
    expect(await before.logIn(clientAt(HOME))).toMatchObject({ status: 200 });
    await before.authenticator.stop();

    const after = await startGuessed(file);
    fill(after.guess);
    expect(await after.logIn(clientAt(HOME))).toEqual({ comparisons: 2, status: 200 });
  });

  test('waits like any other after a restart that forgot it', async () => {
    const { guess, logIn } = await startGuessed();
    fill(guess);
    expect(await logIn(clientAt(HOME))).toEqual({ comparisons: 0, status: 503 });
  });

  test('goes first until 64 guesses of it were refused, so that it keeps nobody out for ever', async () => {
    const { guess, keepGuessing, compare, logIn } = await startGuessed();
    await logIn(clientAt(HOME));
    const guesser = clientAt(HOME);
    void keepGuessing(() => guesser);
    void keepGuessing(() => guesser);
    const answers: number[] = [];
    void guess(clientAt('198.51.100.7')).then((status) => answers.push(status));
    let comparisons = 0;
    for (; answers.length === 0; comparisons += 1) await compare();
    expect(comparisons).toBeGreaterThan(60);
    expect(comparisons).toBeLessThan(70);
  });

  test('is never asked to wait for the password that was accepted, whoever guesses from it', async () => {
    const { login, guess, logIn, compare } = await startGuessed();
    const client = clientAt(HOME);
    await logIn(client);
    for (let round = 0; round < 300; round += 1) {
      void guess(clientAt(HOME));
      await compare();
      expect(await login('right', client)).toBe(200);
    }
  });
});

test('the same log-in from two clients has the better place of the two', async () => {
  const { guess, login, logIn, compare } = await startGuessed();
  const busy = clientAt('198.51.100.7');
  void guess(busy);
  await compare();
  for (let waiting = 0; waiting < 5; waiting += 1) void guess(busy);
  const first = login('right', busy);
  expect(await logIn(clientAt('192.0.2.1'))).toEqual({ comparisons: 2, status: 200 });
  expect(await first).toBe(200);
});
