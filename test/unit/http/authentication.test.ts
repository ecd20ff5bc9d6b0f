import { hashSync } from 'bcryptjs';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { Secret } from '../../../src/base/shown.ts';
import { Authenticator } from '../../../src/http/authentication/authenticator.ts';
import { type Client, networkOf } from '../../../src/http/authentication/client.ts';
import { GuessCounts } from '../../../src/http/authentication/guess-counts.ts';
import {
  LetInNetworks,
  type NetworkFile,
} from '../../../src/http/authentication/let-in-networks.ts';
import {
  type PasswordVerifier,
  PasswordWorker,
} from '../../../src/http/authentication/password-worker.ts';
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

async function open(verify: PasswordVerifier['verify'], letInFile: NetworkFile = textFile()) {
  const [log, clock] = [new SilentLog(), new FakeClock()];
  const verifier = { verify, stop: () => Promise.resolve() };
  return { authenticator: await Authenticator.open({ verifier, clock, log, letInFile }), log };
}

/** An authenticator that compares at once, as if a hash were its password. */
async function start() {
  const compared: string[] = [];
  const verify = vi.fn((password: string, hash: string) => {
    compared.push(`${password} ${hash}`);
    return Promise.resolve(hash === `hash of ${password}`);
  });
  const { authenticator, log } = await open(verify);
  const client = clientAt(HERE);
  const refusal = (users: ReadonlyMap<string, Secret>, header: string | undefined) =>
    authenticator.refusal(users, header, client);
  /** The status of a log-in; undefined for what is let in. */
  const login = async (users: ReadonlyMap<string, Secret>, text: string) =>
    (await refusal(users, `Basic ${base64(text)}`))?.status;
  return { refusal, login, log, compared, verify };
}

describe('a log-in', () => {
  const users = usersOf({ prometheus: 'right', prömetheus: 'grün:🌞', colon: 'a:b', '': 'x' });

  test.each([
    ...[undefined, '', 'Bearer cHJvbWV0aGV1czpyaWdodA==', 'Basic', 'Basic cHJv!'],
    ...['Basic cHJvbWV0aGV1czpyaWdodA', `Basic ${base64('prometheus')}`],
    `Basic ${base64('a:ü', 'latin1')}`,
  ])('with the header %j is refused without a comparison', async (header) => {
    const { refusal, compared } = await start();
    expect(refusal(users, header)).toMatchObject({
      status: 401,
      headers: { 'www-authenticate': 'Basic realm="solar-exporter", charset="UTF-8"' },
    });
    expect(compared).toEqual([]);
  });

  test.each<[status: number | undefined, ...texts: string[]]>([
    [undefined, 'prometheus:right', 'prömetheus:grün:🌞', 'colon:a:b', ':x'],
    [401, 'prometheus:wrong', 'prometheus:', 'prometheus:right ', 'Prometheus:right'],
    [401, 'nobody:right', 'colon:a'],
  ])('ends with %s, whatever the case of its scheme, as %s', async (status, ...texts) => {
    const { login, refusal } = await start();
    for (const text of texts) {
      expect(await login(users, text), text).toBe(status);
      expect((await refusal(users, `bAsIC  ${base64(text)}`))?.status, text).toBe(status);
    }
  });

  test('is compared once, is known at once after that, and stays known however many are guessed', async () => {
    const { refusal, login, compared } = await start();
    const known = usersOf({ one: 'a', two: 'b' });
    for (const password of ['a', 'wrong']) await login(known, `one:${password}`);
    expect(refusal(known, `Basic ${base64('one:a')}`)).toBeUndefined();
    expect(refusal(known, `Basic ${base64('one:wrong')}`)).toMatchObject({ status: 401 });
    expect(compared).toHaveLength(2);
    for (let guess = 0; guess < 300; guess += 1) await login(known, `one:${guess}`);
    expect(refusal(known, `Basic ${base64('one:a')}`)).toBeUndefined();
    // The oldest guesses are forgotten, the newest are not.
    await login(known, 'one:299');
    expect(compared).toHaveLength(302);
    await login(known, 'one:0');
    expect(compared).toHaveLength(303);
  });

  test('is refused with an old password, and of a removed user though another has the same hash', async () => {
    const { login, log } = await start();
    const both = usersOf({ first: 'same', second: 'same' });
    for (const [known, text, status] of [
      [usersOf({ one: 'a' }), 'one:a', undefined],
      [usersOf({ one: 'new' }), 'one:a', 401],
      [usersOf({ one: 'new' }), 'one:new', undefined],
      [both, 'second:same', undefined],
      [usersOf({ first: 'same' }), 'second:same', 401],
      [both, 'second:same', undefined],
    ] as const)
      expect(await login(known, text)).toBe(status);
    // Each time that somebody was let in before.
    expect(log.messages('warn')).toEqual([REFUSED, REFUSED]);
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
      expect(refused?.status).toBe(401);
      expect(String(refused?.body)).toContain('a password of more than 72 bytes is not compared');
    }
    expect(compared).toEqual([]);
    expect(log.messages('warn')).toEqual(['log-in refused: a password of more than 72 bytes']);
    expect(await login(known, `one:${longest}`)).toBeUndefined();
  });

  test('of an unknown user is compared at the cost of some user, always the same, and is refused', async () => {
    const hashes = ['$2b$12$a', '$2b$04$b', '$2b$04$c'].map((hash) => new Secret(hash));
    const entries = hashes.map((hash, index) => [`user ${index}`, hash] as const);
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
async function startGuessed(letInFile?: NetworkFile) {
  const begun: { readonly password: string; readonly end: (isRight: boolean) => void }[] = [];
  const { authenticator, log } = await open((password) => {
    const answer = deferred<boolean>();
    begun.push({ password, end: answer.resolve });
    return answer.promise;
  }, letInFile);
  const users = new Map([['one', new Secret('hash')]]);
  const login = async (password: string, client: Client): Promise<number> => {
    const header = `Basic ${base64(`one:${password}`)}`;
    return (await authenticator.refusal(users, header, client))?.status ?? 200;
  };
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
    /** Guesses as often as there are places, and once more. */
    fill: (newClient: () => Client) =>
      Array.from({ length: MOST_WAITING + 1 }, () => guess(newClient())),
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
  const onNew = (address: string) => () => () => clientAt(address);
  let ipv6 = 0;
  const inOneNetwork = () => () => clientAt(`2001:db8::${(ipv6 += 1)}`);

  test.each([
    ['at the same address', kept(() => HERE), 2],
    ['at the same address, each on a new connection', onNew(HERE), 10],
    ['at another address, each on a new connection', onNew(THERE), 2],
    ['at another address, before any of them was refused', onNew(THERE), 2, 0],
    ['at many addresses', kept((guesser) => `198.51.100.${guesser}`), 2],
    ['in another network, each guess at another address of it', inOneNetwork, 2],
  ])('%s', async (_, newGuesser, comparisons, rounds = GUESSERS) => {
    const { keepGuessing, compare, logIn, log } = await startGuessed();
    for (let guesser = 0; guesser < GUESSERS; guesser += 1) void keepGuessing(newGuesser(guesser));
    // Each of them was refused before.
    for (let round = 0; round < rounds; round += 1) await compare();
    expect(await logIn(clientAt(HERE))).toEqual({ comparisons, status: 200 });
    expect(log.messages('warn')).toEqual([REFUSED]);
  });
});

describe('of log-ins that wait', () => {
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
    const same = login('right', clientAt(THERE));
    authenticator.stopWaiting();
    expect(await second).toBe(503);
    expect(await login('late', clientAt(HERE))).toBe(503);
    expect(await compare()).toEqual(['right']);
    expect([await first, await same]).toEqual([200, 200]);
    await authenticator.stop();
    expect(log.lines).toEqual([]);
  });

  test('the newest of the address with the most of them is turned away', async () => {
    const { fill, logIn, log } = await startGuessed();
    const guesser = clientAt(THERE);
    const statuses: number[] = [];
    for (const answer of fill(() => guesser)) void answer.then((status) => statuses.push(status));
    await settled();
    expect(statuses).toEqual([]);
    // The one that has begun, and the newcomer.
    expect(await logIn(clientAt(HERE))).toEqual({ comparisons: 2, status: 200 });
    expect(statuses).toEqual([503, 401]);
    expect(log.messages('warn')).toEqual([TURNED_AWAY, REFUSED]);
  });

  test('those of a connection that was turned away come after others at the same address', async () => {
    const { fill, guess, compare, logIn } = await startGuessed();
    const patient = clientAt(HERE);
    void fill(() => patient);
    const eager = clientAt(HERE);
    expect(await guess(eager)).toBe(503);
    await compare();
    // There is a place again, and both came before the newcomer.
    void guess(eager);
    expect(await logIn(clientAt(HERE))).toEqual({ comparisons: 2, status: 200 });
  });

  test('a newcomer is turned away if nobody is placed worse, which is logged once until nobody waits', async () => {
    const { authenticator, fill, guess, login, compare, log } = await startGuessed();
    const guesser = clientAt(HERE);
    const guesses = fill(() => guesser);
    expect(await login('right', guesser)).toBe(503);
    expect(await guess(guesser)).toBe(503);
    expect(log.messages('warn')).toEqual([TURNED_AWAY]);
    for (let waiting = 0; waiting <= MOST_WAITING; waiting += 1) await compare();
    await Promise.all(guesses);
    void fill(() => guesser);
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
      const { fill, logIn } = await startGuessed(kept);
      let guesser = 0;
      void fill(() => clientAt(`198.51.100.${(guesser += 1)}`));
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
    clock.misset(-1_000_000 * MINUTE_MS);
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
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    [undefined, 'unknown'],
  ])('from %s count as of %s', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});

describe('from where somebody was let in', () => {
  async function openNetworks(file?: NetworkFile, clock = new FakeClock()) {
    const log = new SilentLog();
    const networks = await LetInNetworks.open({ file, clock, log });
    const reasons = () => log.lines.map(({ fields }) => fields['reason']);
    const add = async (network: string) => {
      networks.add(network);
      await networks.close();
    };
    return { networks, add, reasons, clock };
  }
  const textOf = (letInAtMs: number, network = HERE) =>
    JSON.stringify({ version: 1, networks: [{ network, letInAtMs }] });

  test('is kept over a restart, written once a day, and forgotten after 30 days', async () => {
    const file = textFile();
    const { networks, add, clock } = await openNetworks(file);
    expect(networks.has(HERE)).toBe(false);
    for (let hour = 0; hour < 48; hour += 1) {
      await add(HERE);
      clock.advance(DAY_MS / 24);
    }
    expect(file.writes).toHaveLength(2);
    expect(file.writes[1]).toBe(`${textOf(clock.nowMs() - DAY_MS)}\n`);
    clock.advance(29 * DAY_MS - 1);
    expect((await openNetworks(file, clock)).networks.has(HERE)).toBe(true);
    clock.advance(1);
    expect((await openNetworks(file, clock)).networks.has(HERE)).toBe(false);
    expect(networks.has(HERE)).toBe(false);
  });

  test('is forgotten when 64 others came after it, and needs no file', async () => {
    const { networks, add, clock, reasons } = await openNetworks();
    for (const network of ['often', 'once']) await add(network);
    clock.advance(DAY_MS);
    await add('often');
    for (let other = 0; other < 63; other += 1) await add(`other ${other}`);
    expect([networks.has('often'), networks.has('once')]).toEqual([true, false]);
    expect(reasons()).toEqual([]);
  });

  test('counts from now on when the clock was set back', async () => {
    const clock = new FakeClock();
    const file = textFile(textOf(clock.nowMs() + 10_000 * DAY_MS));
    const { networks, add } = await openNetworks(file, clock);
    clock.advance(30 * DAY_MS - 1);
    expect(networks.has(HERE)).toBe(true);
    clock.advance(1);
    expect(networks.has(HERE)).toBe(false);
    await add(HERE);
    clock.misset(-2 * DAY_MS);
    await add(HERE);
    expect(file.writes.at(-1)).toContain(String(clock.nowMs()));
  });

  test.each([
    ...['', '{"version":1', '{"version":2,"networks":[]}', '{"version":1}', textOf(0, '')],
    '{"version":1,"networks":[{"network":"a","letInAtMs":1e999}]}',
  ])('is begun anew over the file %j, with one line', async (text) => {
    const file = textFile(text);
    const { add, reasons } = await openNetworks(file);
    expect(reasons()).toEqual(['not a list of networks of this version']);
    await add(HERE);
    expect((await openNetworks(file)).networks.has(HERE)).toBe(true);
  });

  test('is said not to be read, or written; once, and again after it worked', async () => {
    const fault = (code: string) => Promise.reject(Object.assign(new Error(code), { code }));
    const denied = await openNetworks({ ...textFile(), read: () => fault('EACCES') });
    expect(denied.reasons()).toEqual(['EACCES']);
    const outcomes = ['ENOSPC', 'ENOSPC', undefined, 'ENOSPC'].values();
    const write = () => {
      const { value } = outcomes.next();
      return value === undefined ? Promise.resolve() : fault(value);
    };
    const { networks, add, reasons } = await openNetworks({ ...textFile(), write });
    for (const network of ['a', 'b', 'c', 'd']) await add(network);
    expect(reasons()).toEqual(['ENOSPC', 'ENOSPC']);
    expect(networks.has('a')).toBe(true);
  });

  test('is written once for all who come while it is being written', async () => {
    const gate = deferred<undefined>();
    const file = textFile();
    const write = (text: string) => gate.promise.then(() => file.write(text));
    const { networks } = await openNetworks({ ...file, write });
    for (const network of ['a', 'b', 'c']) networks.add(network);
    await settled();
    gate.resolve(undefined);
    await networks.close();
    expect(file.writes).toHaveLength(2);
    expect(file.writes.at(-1)).toContain('"c"');
  });
});

test('passwords are compared in a thread, which is replaced when it is needed after a stop; one that breaks says why', async () => {
  const worker = new PasswordWorker();
  onTestFinished(() => worker.stop());
  const hash = hashSync('grün:🌞', 4);
  for (const kind of ['$2a$', '$2b$', '$2y$']) {
    const answers = ['grün:🌞', 'grün'].map((password) =>
      worker.verify(password, hash.replace(/^\$2.\$/, kind)),
    );
    expect(await Promise.all(answers)).toEqual([true, false]);
  }
  // Cost 31 takes far longer than the test.
  const waiting = worker.verify('grün:🌞', hash.replace('$04$', '$31$'));
  await worker.stop();
  expect(await waiting).toBe(false);
  expect(await worker.verify('grün:🌞', hash)).toBe(true);
  await expect(worker.verify('x', '$9$'.padEnd(60, 'x'))).rejects.toThrow('Invalid salt');
});
