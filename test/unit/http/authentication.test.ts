import { hashSync, truncates } from 'bcryptjs';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { Secret } from '../../../src/base/secret.ts';
import { Authenticator } from '../../../src/http/authentication/authenticator.ts';
import { type Client, networkOf } from '../../../src/http/authentication/client.ts';
import { GuessCounts } from '../../../src/http/authentication/guess-counts.ts';
import {
  LetInNetworks,
  type NetworkFile,
} from '../../../src/http/authentication/let-in-networks.ts';
import { PasswordWorker } from '../../../src/http/authentication/password-worker.ts';
import { deferred, settled } from '../../support/deferred.ts';
import { DAY_MS, MINUTE_MS } from '../../support/durations.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { SilentLog } from '../../support/silent-log.ts';

const MOST_WAITING = 32;
const HERE = '192.0.2.1';
const THERE = '198.51.100.7';
const TURNED_AWAY = 'log-ins turned away: more than 32 wait to be compared';
const REFUSED = 'log-in refused: unknown user or wrong password';

const base64 = (text: string, encoding: BufferEncoding = 'utf8') =>
  Buffer.from(text, encoding).toString('base64');

function usersOf(passwords: Readonly<Record<string, string>>): ReadonlyMap<string, Secret> {
  return new Map(
    Object.entries(passwords).map(([name, password]) => [name, new Secret(`hash of ${password}`)]),
  );
}

/** A client on a connection of its own. */
function clientAt(address: string): Client {
  return { address, connection: {} };
}

/** A text in place of a file, which outlives whoever keeps it. */
function textFile(initial?: string) {
  const writes: string[] = [];
  const file: NetworkFile = {
    read: () => Promise.resolve(writes.at(-1) ?? initial),
    write: (text) => Promise.resolve(void writes.push(text)),
  };
  return { ...file, writes };
}

/** Compares as if a hash were its password, and remembers what. */
function recordingVerifier() {
  const compared: string[] = [];
  const verify = vi.fn((password: string, hash: string) => {
    compared.push(`${password} ${hash}`);
    return Promise.resolve(hash === `hash of ${password}`);
  });
  return { verify, compared, stop: () => Promise.resolve() };
}

/** The statuses of log-ins that one client sends; undefined for what is let in. */
async function start(verifier = recordingVerifier()) {
  const log = new SilentLog();
  const authenticator = await Authenticator.open({ verifier, clock: new FakeClock(), log });
  const client = clientAt(HERE);
  const refusal = (users: ReadonlyMap<string, Secret>, header: string | undefined) =>
    authenticator.refusal(users, header, client);
  const login = async (users: ReadonlyMap<string, Secret>, text: string) =>
    (await refusal(users, `Basic ${base64(text)}`))?.status;
  const { compared, verify } = verifier;
  return { authenticator, refusal, login, log, compared, verify };
}

describe('a log-in', () => {
  const users = usersOf({ prometheus: 'right', prömetheus: 'grün:🌞', colon: 'a:b', '': 'x' });

  test.each([
    undefined,
    '',
    'Bearer cHJvbWV0aGV1czpyaWdodA==',
    'Basic',
    'Basic cHJv!',
    'Basic cHJvbWV0aGV1czpyaWdodA',
    `Basic ${base64('prometheus')}`,
    `Basic ${base64('a:ü', 'latin1')}`,
  ])('with the header %j is refused without a comparison', async (header) => {
    const { refusal, compared } = await start();
    expect(refusal(users, header)).toMatchObject({
      status: 401,
      headers: { 'www-authenticate': 'Basic realm="solar-exporter", charset="UTF-8"' },
    });
    expect(compared).toEqual([]);
  });

  test.each([
    ['prometheus:right', undefined],
    ['prometheus:wrong', 401],
    ['prometheus:', 401],
    ['prometheus:right ', 401],
    ['Prometheus:right', 401],
    ['nobody:right', 401],
    ['prömetheus:grün:🌞', undefined],
    ['colon:a:b', undefined],
    ['colon:a', 401],
    [':x', undefined],
  ])('as %s ends with %s, whatever the case of its scheme', async (text, status) => {
    const { login, refusal } = await start();
    expect(await login(users, text)).toBe(status);
    expect((await refusal(users, `bAsIC  ${base64(text)}`))?.status).toBe(status);
  });

  test('is compared once, is known at once after that, and stays known however many are guessed', async () => {
    const { refusal, login, compared } = await start();
    const known = usersOf({ one: 'a', two: 'b' });
    await login(known, 'one:a');
    await login(known, 'one:wrong');
    expect(refusal(known, `Basic ${base64('one:a')}`)).toBeUndefined();
    expect(refusal(known, `Basic ${base64('one:wrong')}`)).toMatchObject({ status: 401 });
    expect(compared).toHaveLength(2);
    for (let guess = 0; guess < 300; guess += 1) await login(known, `one:${guess}`);
    expect(refusal(known, `Basic ${base64('one:a')}`)).toBeUndefined();
    expect(compared).toHaveLength(302);
    // The oldest guesses are forgotten, the newest are not.
    await login(known, 'one:299');
    expect(compared).toHaveLength(302);
    await login(known, 'one:0');
    expect(compared).toHaveLength(303);
  });

  test('is refused with an old password, and of a removed user though another has the same hash', async () => {
    const { login } = await start();
    expect(await login(usersOf({ one: 'a' }), 'one:a')).toBeUndefined();
    expect(await login(usersOf({ one: 'new' }), 'one:a')).toBe(401);
    expect(await login(usersOf({ one: 'new' }), 'one:new')).toBeUndefined();
    const both = usersOf({ first: 'same', second: 'same' });
    expect(await login(both, 'second:same')).toBeUndefined();
    expect(await login(usersOf({ first: 'same' }), 'second:same')).toBe(401);
    expect(await login(both, 'second:same')).toBeUndefined();
  });

  test('that could not be compared is compared again', async () => {
    const { login, verify } = await start();
    verify.mockRejectedValueOnce(new Error('broken'));
    await expect(login(users, 'prometheus:right')).rejects.toThrow('broken');
    expect(await login(users, 'prometheus:right')).toBeUndefined();
  });

  test('with more than 72 bytes is refused with a word, for bcrypt would ignore the rest', async () => {
    // Two bytes each.
    const longest = 'ü'.repeat(36);
    const known = usersOf({ one: longest });
    const { refusal, login, log, compared } = await start();
    for (const name of ['one', 'nobody']) {
      const refused = await refusal(known, `Basic ${base64(`${name}:${longest}x`)}`);
      expect([refused?.status, String(refused?.body)]).toEqual([
        401,
        'Unauthorized: a password of more than 72 bytes is not compared.\n',
      ]);
    }
    expect(compared).toEqual([]);
    expect(log.messages('warn')).toEqual(['log-in refused: a password of more than 72 bytes']);
    expect([truncates(longest), truncates(`${longest}x`)]).toEqual([false, true]);
    expect(await login(known, `one:${longest}`)).toBeUndefined();
  });

  test('of an unknown user is compared at the cost of some user, always the same, and is refused', async () => {
    const hash = (cost: string, rest: string) => new Secret(`$2b$${cost}$${rest}`);
    const entries = [
      ['slow', hash('12', 'a')],
      ['fast', hash('04', 'b')],
      ['other', hash('04', 'c')],
    ] as const;
    /** The cost at which each name is compared, by a program of its own. */
    const costs = async (known: ReadonlyMap<string, Secret>, password: string) => {
      const { login, compared } = await start();
      for (let name = 0; name < 64; name += 1) await login(known, `nobody ${name}:${password}`);
      return compared.map((text) => /\$2b\$(\d\d)/.exec(text)?.[1]);
    };
    const found = await costs(new Map(entries), 'x');
    expect(found).toHaveLength(64);
    expect(new Set(found)).toEqual(new Set(['04', '12']));
    expect(await costs(new Map(entries.toReversed()), 'y')).toEqual(found);
    const { login, compared } = await start();
    for (const name of ['nobody', 'nobody', 'one']) await login(usersOf({ one: 'a' }), `${name}:a`);
    expect(compared).toEqual(['a hash of a', 'a hash of a']);
    expect(await login(usersOf({ one: 'a' }), 'nobody:a')).toBe(401);
  });
});

/** An authenticator with one user, whose comparisons wait until the test lets each of them end. */
async function startGuessed(letInFile: NetworkFile = textFile()) {
  const log = new SilentLog();
  const begun: { readonly password: string; readonly end: (isRight: boolean) => void }[] = [];
  const verify = (password: string): Promise<boolean> => {
    const answer = deferred<boolean>();
    begun.push({ password, end: answer.resolve });
    return answer.promise;
  };
  const verifier = { verify, stop: () => Promise.resolve() };
  const clock = new FakeClock();
  const authenticator = await Authenticator.open({ verifier, clock, log, letInFile });
  const users = new Map([['one', new Secret('hash')]]);
  const login = async (password: string, client: Client): Promise<number> =>
    (await authenticator.refusal(users, `Basic ${base64(`one:${password}`)}`, client))?.status ??
    200;
  /** Ends the comparisons that have begun; resolves to their passwords when the next ones have begun. */
  const compare = async (): Promise<readonly string[]> => {
    const ended = begun.splice(0);
    for (const { password, end } of ended) end(password === 'right');
    await settled();
    return ended.map(({ password }) => password);
  };
  let guesses = 0;
  let isOver = false;
  onTestFinished(() => void (isOver = true));
  /** Guesses once; resolves to the status. */
  const guess = (client: Client): Promise<number> => login(`guess ${(guesses += 1)}`, client);
  return {
    authenticator,
    log,
    login,
    compare,
    guess,
    /** Guesses until the test ends, each time as soon as there is an answer. */
    keepGuessing: async (newClient: () => Client): Promise<void> => {
      while (!isOver) await guess(newClient());
    },
    /** Logs in with the right password; resolves to how many comparisons that took, and to the status. */
    logIn: async (client: Client) => {
      const answer: { status?: number } = {};
      void login('right', client).then((status) => (answer.status = status));
      await settled();
      let comparisons = 0;
      for (; answer.status === undefined && comparisons < 100; comparisons += 1) await compare();
      return { comparisons, status: answer.status };
    },
  };
}

describe('the right password comes through while nine guess', () => {
  const GUESSERS = 9;
  /** All guesses of a guesser come on one connection. */
  const kept = (address: (guesser: number) => string) => (guesser: number) => {
    const client = clientAt(address(guesser));
    return () => client;
  };
  let ipv6 = 0;

  test.each([
    ['at another address', kept(() => THERE), HERE, 2],
    ['at the same address', kept(() => HERE), HERE, 2],
    ['at the same address, each on a new connection', () => () => clientAt(HERE), HERE, 10],
    ['at another address, each on a new connection', () => () => clientAt(THERE), HERE, 2],
    ['at many addresses', kept((guesser) => `198.51.100.${guesser}`), HERE, 2],
    [
      'in one IPv6 network, each guess at another address',
      () => () => clientAt(`2001:db8::${(ipv6 += 1)}`),
      '2001:db8:0:1::1',
      2,
    ],
    [
      'at the same address, written in both ways',
      kept((guesser) => (guesser % 2 === 0 ? HERE : `::ffff:${HERE}`)),
      HERE,
      2,
    ],
  ])('%s', async (_, newGuesser, address, comparisons) => {
    const { keepGuessing, compare, logIn, log } = await startGuessed();
    for (let guesser = 0; guesser < GUESSERS; guesser += 1) void keepGuessing(newGuesser(guesser));
    // Each of them was refused before.
    for (let round = 0; round < GUESSERS; round += 1) await compare();
    expect(await logIn(clientAt(address))).toEqual({ comparisons, status: 200 });
    expect(log.messages('warn')).toEqual([REFUSED]);
  });

  test('before any of them was refused', async () => {
    const { keepGuessing, logIn } = await startGuessed();
    for (let guesser = 0; guesser < GUESSERS; guesser += 1)
      void keepGuessing(() => clientAt(THERE));
    expect(await logIn(clientAt(HERE))).toEqual({ comparisons: 2, status: 200 });
  });
});

describe('of log-ins that wait', () => {
  const fill = (guess: (client: Client) => Promise<number>, client: () => Client) =>
    Array.from({ length: MOST_WAITING + 1 }, () => guess(client()));

  test('equal ones share one comparison, which has the better place of the two', async () => {
    const { guess, login, logIn, compare } = await startGuessed();
    const busy = clientAt(THERE);
    void guess(busy);
    await compare();
    for (let waiting = 0; waiting < 5; waiting += 1) void guess(busy);
    const first = login('right', busy);
    expect(await logIn(clientAt(HERE))).toEqual({ comparisons: 2, status: 200 });
    expect(await first).toBe(200);
  });

  test('one is compared at a time, and a stop ends the others and those that come after it', async () => {
    const { authenticator, login, compare, log } = await startGuessed();
    const [first, second] = ['right', 'wrong'].map((password) => login(password, clientAt(HERE)));
    authenticator.stopWaiting();
    expect(await second).toBe(503);
    expect(await login('late', clientAt(HERE))).toBe(503);
    expect(await compare()).toEqual(['right']);
    expect(await first).toBe(200);
    await authenticator.stop();
    expect(log.lines).toEqual([]);
  });

  test('the newest of the address with the most of them is turned away', async () => {
    const { guess, compare, logIn, log } = await startGuessed();
    const guesser = clientAt(THERE);
    const statuses: number[] = [];
    const guesses = fill(guess, () => guesser).map((answer) =>
      answer.then((status) => statuses.push(status)),
    );
    await settled();
    expect(statuses).toEqual([]);
    // The one that has begun, and the newcomer.
    expect(await logIn(clientAt(HERE))).toEqual({ comparisons: 2, status: 200 });
    expect(statuses).toEqual([503, 401]);
    expect(log.messages('warn')).toEqual([TURNED_AWAY, REFUSED]);
    for (let waiting = 0; waiting < MOST_WAITING; waiting += 1) await compare();
    await Promise.all(guesses);
    expect(statuses.filter((status) => status === 401)).toHaveLength(MOST_WAITING);
  });

  test('those of a connection that was turned away come after others at the same address', async () => {
    const { guess, compare, logIn } = await startGuessed();
    const patient = clientAt(HERE);
    void fill(guess, () => patient);
    const eager = clientAt(HERE);
    expect(await guess(eager)).toBe(503);
    await compare();
    // There is a place again, and both came before the newcomer.
    void guess(eager);
    expect(await logIn(clientAt(HERE))).toEqual({ comparisons: 2, status: 200 });
  });

  test('a newcomer is turned away if nobody is placed worse, which is logged once until nobody waits', async () => {
    const { authenticator, guess, login, compare, log } = await startGuessed();
    const guesser = clientAt(HERE);
    const guesses = fill(guess, () => guesser);
    expect(await login('right', guesser)).toBe(503);
    expect(await guess(guesser)).toBe(503);
    expect(log.messages('warn')).toEqual([TURNED_AWAY]);
    for (let waiting = 0; waiting <= MOST_WAITING; waiting += 1) await compare();
    await Promise.all(guesses);
    void fill(guess, () => guesser);
    expect(await guess(guesser)).toBe(503);
    expect(log.messages('warn').filter((message) => message === TURNED_AWAY)).toHaveLength(2);
    await authenticator.stop();
  });

  test('those of an address that was let in before a restart go first, even before new addresses', async () => {
    const file = textFile();
    const before = await startGuessed(file);
    expect(await before.logIn(clientAt(HERE))).toMatchObject({ status: 200 });
    await before.authenticator.stop();
    for (const [kept, expected] of [
      [file, { comparisons: 2, status: 200 }],
      [textFile(), { comparisons: 0, status: 503 }],
    ] as const) {
      const { guess, logIn } = await startGuessed(kept);
      let guesser = 0;
      void fill(guess, () => clientAt(`198.51.100.${(guesser += 1)}`));
      expect(await logIn(clientAt(HERE))).toEqual(expected);
    }
  });

  test('those of an address that was let in go first until 64 guesses of it were refused', async () => {
    const { guess, keepGuessing, compare, logIn, login } = await startGuessed();
    const client = clientAt(HERE);
    await logIn(client);
    const guesser = clientAt(HERE);
    void keepGuessing(() => guesser);
    void keepGuessing(() => guesser);
    const answers: number[] = [];
    void guess(clientAt(THERE)).then((status) => answers.push(status));
    let comparisons = 0;
    for (; answers.length === 0; comparisons += 1) await compare();
    expect(comparisons).toBeGreaterThan(60);
    expect(comparisons).toBeLessThan(70);
    // Whoever guesses, the password that was accepted is never asked to wait.
    expect(await login('right', client)).toBe(200);
  });
});

describe('wrong guesses', () => {
  test('count by network and connection, half after ten minutes, also when the clock is set back', () => {
    const clock = new FakeClock();
    const counts = new GuessCounts(clock);
    const connection = {};
    for (let guess = 0; guess < 8; guess += 1) counts.add({ network: 'a', connection });
    counts.addTurnedAway(connection);
    expect([counts.ofNetwork('a'), counts.ofNetwork('b')]).toEqual([8, 0]);
    expect([counts.ofConnection(connection), counts.ofConnection({})]).toEqual([9, 0]);
    clock.advance(10 * MINUTE_MS);
    expect(counts.ofNetwork('a')).toBe(4);
    clock.advance(-1_000_000 * MINUTE_MS);
    expect(counts.ofNetwork('a')).toBe(8);
    clock.advance(20 * MINUTE_MS);
    expect(counts.ofNetwork('a')).toBe(2);
  });

  test('of the network that has not guessed for longest are forgotten beyond 8,192 networks', () => {
    const counts = new GuessCounts(new FakeClock());
    const add = (network: string) => counts.add({ network, connection: {} });
    for (const network of ['a', 'b', 'a']) add(network);
    for (let network = 0; network < 8191; network += 1) add(`network ${network}`);
    expect([counts.ofNetwork('a'), counts.ofNetwork('b')]).toEqual([2, 0]);
  });

  test.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::FFFF:192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0db8:0000::2:3:4:5', '2001:db8:0:0::/64'],
    ['2001:DB8::', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    [undefined, 'unknown'],
  ])('from %s count as of %s', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});

describe('from where somebody was let in', () => {
  async function open(file?: NetworkFile, clock = new FakeClock()) {
    const log = new SilentLog();
    return { networks: await LetInNetworks.open({ file, clock, log }), log, clock };
  }
  const textOf = (...networks: readonly { network: string; letInAtMs: number }[]) =>
    JSON.stringify({ version: 1, networks });

  test('is kept over a restart, written once a day, and forgotten after 30 days', async () => {
    const file = textFile();
    const { networks, clock } = await open(file);
    expect(networks.has(HERE)).toBe(false);
    for (let hour = 0; hour < 48; hour += 1) {
      networks.add(HERE);
      await networks.close();
      clock.advance(DAY_MS / 24);
    }
    const letInAtMs = clock.nowMs() - DAY_MS;
    expect(file.writes).toHaveLength(2);
    expect(file.writes[1]).toBe(`${textOf({ network: HERE, letInAtMs })}\n`);
    clock.advance(29 * DAY_MS - 1);
    expect((await open(file, clock)).networks.has(HERE)).toBe(true);
    clock.advance(1);
    expect((await open(file, clock)).networks.has(HERE)).toBe(false);
    expect(networks.has(HERE)).toBe(false);
  });

  test('is forgotten when 64 others came after it, and needs no file', async () => {
    const { networks, clock, log } = await open();
    networks.add('often');
    networks.add('once');
    clock.advance(DAY_MS);
    networks.add('often');
    for (let other = 0; other < 63; other += 1) networks.add(`other ${other}`);
    expect([networks.has('often'), networks.has('once')]).toEqual([true, false]);
    await networks.close();
    expect(log.lines).toEqual([]);
  });

  test('counts from now on when the clock was set back', async () => {
    const clock = new FakeClock();
    const letInAtMs = clock.nowMs() + 10_000 * DAY_MS;
    const file = textFile(textOf({ network: HERE, letInAtMs }));
    const { networks } = await open(file, clock);
    clock.advance(30 * DAY_MS - 1);
    expect(networks.has(HERE)).toBe(true);
    clock.advance(1);
    expect(networks.has(HERE)).toBe(false);
    networks.add(HERE);
    clock.advance(-2 * DAY_MS);
    networks.add(HERE);
    await networks.close();
    expect(file.writes.at(-1)).toContain(String(clock.nowMs()));
  });

  test.each([
    '',
    '{"version":1',
    '{"version":2,"networks":[]}',
    '{"version":1}',
    textOf({ network: '', letInAtMs: 0 }),
    '{"version":1,"networks":[{"network":"a","letInAtMs":1e999}]}',
  ])('is begun anew over the file %j, with one line', async (text) => {
    const file = textFile(text);
    const { networks, log } = await open(file);
    expect(log.lines).toEqual([
      {
        level: 'warn',
        fields: { reason: 'not a list of networks of this version' },
        message: 'the list of who was let in before cannot be used and begins anew',
      },
    ]);
    networks.add(HERE);
    await networks.close();
    expect((await open(file)).networks.has(HERE)).toBe(true);
  });

  test('is said not to be read, or written; once, and again after it worked', async () => {
    const fault = (code: string) => Object.assign(new Error(code), { code });
    const denied = await open({ ...textFile(), read: () => Promise.reject(fault('EACCES')) });
    expect(denied.log.lines).toMatchObject([{ level: 'warn', fields: { reason: 'EACCES' } }]);
    const outcomes = ['ENOSPC', 'ENOSPC', undefined, 'ENOSPC'];
    const write = () => {
      const outcome = outcomes.shift();
      return outcome === undefined ? Promise.resolve() : Promise.reject(fault(outcome));
    };
    const { networks, log } = await open({ ...textFile(), write });
    for (const network of ['a', 'b', 'c', 'd']) {
      networks.add(network);
      await networks.close();
    }
    expect(log.lines.map(({ fields }) => fields['reason'])).toEqual(['ENOSPC', 'ENOSPC']);
    expect(networks.has('a')).toBe(true);
  });

  test('is written once for all who come while it is being written', async () => {
    const gate = deferred<undefined>();
    const file = textFile();
    const write = (text: string) => gate.promise.then(() => file.write(text));
    const { networks } = await open({ ...file, write });
    for (const network of ['a', 'b', 'c']) networks.add(network);
    await settled();
    gate.resolve(undefined);
    await networks.close();
    expect(file.writes).toHaveLength(2);
    expect(file.writes.at(-1)).toContain('"c"');
  });
});

describe('passwords', () => {
  const HASH = hashSync('grün:🌞', 4);

  function startWorker(): PasswordWorker {
    const worker = new PasswordWorker();
    onTestFinished(() => worker.stop());
    return worker;
  }

  test.each(['$2a$', '$2b$', '$2y$'])('are compared with hashes of %s', async (prefix) => {
    const worker = startWorker();
    const hash = HASH.replace(/^\$2.\$/, prefix);
    const answers = [worker.verify('grün:🌞', hash), worker.verify('grün', hash)];
    expect(await Promise.all(answers)).toEqual([true, false]);
  });

  test('are refused by a thread that stops, which is replaced when needed again; one that breaks says why', async () => {
    const worker = startWorker();
    await worker.stop();
    // Cost 31 takes far longer than the test.
    const waiting = worker.verify('grün:🌞', HASH.replace('$04$', '$31$'));
    await worker.stop();
    expect(await waiting).toBe(false);
    expect(await worker.verify('grün:🌞', HASH)).toBe(true);
    await expect(worker.verify('x', '$9$'.padEnd(60, 'x'))).rejects.toThrow('Invalid salt');
  });
});
