import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryDirectory } from '../support/prometheus.ts';
import { HOUR_MS, MINUTE_MS, openHouse, type ScrapedPage, SECOND_MS } from './house.ts';
import {
  ACCOUNT,
  CLASSIC,
  deviceList,
  type EndpointName,
  history,
  latest,
  type PortalAnswer,
  type PortalRequest,
  type Script,
} from './scripted-service.ts';
import {
  failed,
  LIFETIME_MS,
  openSession,
  PAIR,
  REFUSED,
  TOKEN,
  tokenService,
  unless,
  USUAL,
  type Words,
} from './session-house.ts';

const A_PAGE = '<html><body>Please log in</body></html>';

const REAUTHENTICATION = 'solar_reauthentication_required';
const REPLACED = 'solar_session_replaced_total';

type House = Awaited<ReturnType<typeof openSession>>;

/** Words that are known to be about a token, and answer everything once it has ended. */
const KNOWN: readonly (readonly [what: string, PortalAnswer])[] = [
  ['status 401', REFUSED],
  ['status 401 with a page', { status: 401, text: A_PAGE }],
  ['status 403', { status: 403 }],
  ['code 9', failed(9)],
];
/** Words that may be about anything: one for each way in which an exporter tells them apart. */
const UNKNOWN: readonly (readonly [what: string, PortalAnswer])[] = [
  ['code 1001', failed(1001)],
  ['code 7', failed(7)],
  ['a page', { text: A_PAGE }],
  ['a redirect', { status: 302, headers: { location: '/login' } }],
  ['no JSON', { text: 'please log in' }],
  ['an envelope without data', { envelope: { code: 0, data: null } }],
  ['status 400', { status: 400 }],
];
/** More of them, of which one test is enough. */
const MORE: typeof UNKNOWN = [
  ['code 20101', failed(20_101)],
  ['a word for a code', failed('NOT_LOGGED_IN')],
  ['status 403 with a page', { status: 403, text: A_PAGE }],
  ['JSON that is no envelope', { text: '["please log in"]' }],
];

describe('a token that has ended', () => {
  test.each([...KNOWN, ...UNKNOWN, ...MORE])(
    'in the words of %s is renewed once for all, at once',
    async (_what, refusal) => {
      let ended = 0;
      const script = unless((token) => Number(token.split('-')[1]) <= ended, refusal);
      const house = await openSession(script, ACCOUNT);
      await house.scrape();
      for (ended = 1; ended <= 2; ended += 1) {
        const page = await house.scrapeAfter(2 * MINUTE_MS);
        expect(page.value('solar_up')).toBe(1);
        expect(page.value(REAUTHENTICATION)).toBe(0);
        expect(house.renewals()).toEqual(['login', 'refresh', 'refresh'].slice(0, 1 + ended));
      }
      expect((await house.scrape()).value(REPLACED)).toBe(2);
    },
  );

  test.each(UNKNOWN)(
    'in the words of %s is renewed once where the other list is out of order',
    async (_what, refusal) => {
      let isEnded = false;
      const script = unless((token) => isEnded && token === 'access-1', refusal);
      const house = await openSession(script, ACCOUNT);
      await house.scrape();
      isEnded = true;
      house.answers.stations = { status: 500 };
      const page = await house.scrapeAfter(2 * MINUTE_MS);
      expect(page.value('solar_pv_power_watts')).toBe(1200);
      // An endpoint that refuses for ever is left alone for longer each time, and blames no token.
      house.answers.readings = refusal;
      await house.keepScraping(HOUR_MS, 10 * MINUTE_MS, (later) =>
        expect(later.value(REAUTHENTICATION)).toBe(0),
      );
      expect(house.renewals().length).toBeLessThanOrEqual(5);
      expect(house.asked('login')).toHaveLength(1);
    },
  );

  test.each([
    ['code 9', failed(9)],
    ['code 1001', failed(1001)],
  ])('in the words of %s needs a person where it cannot be renewed', async (_what, refusal) => {
    let isEnded = false;
    const house = await openSession(
      unless(() => isEnded, refusal),
      TOKEN,
    );
    await house.scrape();
    isEnded = true;
    expect((await house.scrapeAfter(MINUTE_MS)).value(REAUTHENTICATION)).toBe(1);
    isEnded = false;
    expect((await house.scrapeAfter(3 * HOUR_MS)).value(REAUTHENTICATION)).toBe(0);
  });
});

/** Each with one of these by turns: what a refusal means does not depend on where it comes from. */
const byTurns = <Row, Turn>(rows: readonly Row[], turns: readonly Turn[]) =>
  rows.map((row, index) => ({ row, turn: turns[index % turns.length] as Turn }));
const ENDPOINTS = ['readings', 'devices', 'stations'] as const;

describe('one endpoint that refuses every token', () => {
  test.each(byTurns(UNKNOWN, ENDPOINTS))(
    'in the words of $row.0 costs no renewal: $turn',
    async ({ row: [, refusal], turn: endpoint }) => {
      const house = await openSession(USUAL, ACCOUNT, { flags: { 'cache.devices-ttl': '1m' } });
      await house.scrape();
      house.answers[endpoint] = refusal;
      await house.keepScraping(12 * MINUTE_MS, 2 * MINUTE_MS, (page) =>
        expect(page.value(REAUTHENTICATION)).toBe(0),
      );
      expect(house.renewals()).toEqual(['login']);
      const elsewhere = endpoint === 'stations' ? 'devices' : 'stations';
      const asked = house.asked(elsewhere).filter(({ body }) => body['count'] === 1);
      expect(asked.length).toBeLessThanOrEqual(4);
    },
  );

  test.each(byTurns(KNOWN, [...ENDPOINTS, 'summary']))(
    'in the words of $row.0 is the affair of that one alone: $turn',
    async ({ row: [, refusal], turn: endpoint }) => {
      let ended = 0;
      const isEnded = (token: string): boolean => Number(token.split('-')[1]) <= ended;
      const script = { ...unless(isEnded, refusal), [endpoint]: refusal };
      const flags = {
        'cache.devices-ttl': '1m',
        'cache.summary-ttl': '1m',
        'cache.alarms-ttl': '1m',
        'collect.energy': 'true',
        'collect.alarms': 'true',
      };
      const house = await openSession(script, ACCOUNT, { flags });
      const look = (page: ScrapedPage): void => expect(page.value(REAUTHENTICATION)).toBe(0);
      await house.keepScraping(48 * MINUTE_MS, 4 * MINUTE_MS, look);
      expect(house.renewals().length).toBeLessThanOrEqual(5);
      if (endpoint !== 'summary') return;
      // A token ends while that endpoint has to wait for two hours.
      ended = house.renewals().length;
      await house.keepScraping(6 * MINUTE_MS, MINUTE_MS, look);
      const page = await house.scrape();
      expect(page.value('solar_up')).toBe(1);
      expect(house.renewals().length).toBe(ended + 1);
    },
  );

  test('and others that do not are told apart, where it refuses now and then', async () => {
    let asked = 0;
    const readings = (): PortalAnswer => ((asked += 1) % 2 === 0 ? failed(500) : history(CLASSIC));
    const house = await openSession({ readings }, ACCOUNT);
    await house.keepScraping(HOUR_MS, 4 * MINUTE_MS);
    expect(house.renewals()).toEqual(['login']);
  });
});

/** What blocks says nothing of credentials. */
async function expectBlock(house: House, page: ScrapedPage): Promise<void> {
  expect(page.value(REAUTHENTICATION)).toBe(0);
  expect(page.value('solar_login_blocked_until_timestamp_seconds')).toBeUndefined();
  for (const path of ['/', '/api/v1/status']) {
    const text = await house.read(path);
    expect(text).toContain('something between here and the service blocks us');
    expect(text).not.toMatch(/credentials refused|New credentials|check SOLAR_/i);
  }
}

const BLOCK = { status: 403, text: '<html>denied by UA ACL</html>' } as const;

describe('a block', () => {
  test.each<[words: string, when: string, block: PortalAnswer, env: Words, isWorking: boolean]>([
    ['403 with a page', 'at the first log-in', BLOCK, ACCOUNT, false],
    ['403 with a text', 'of a session that works', { status: 403, text: 'denied' }, ACCOUNT, true],
    ['407', 'of a pair of tokens', { status: 407 }, PAIR, true],
    ['a page', 'of a token alone', { text: A_PAGE }, TOKEN, true],
  ])('(%s) %s asks for no credentials, and ends by itself', async (...row) => {
    const [, , block, env, isWorking] = row;
    const endpoints = ['login', 'refresh', 'stations', 'devices', 'readings'];
    const everywhere = Object.fromEntries(endpoints.map((name) => [name, block])) as Script;
    const flags = { 'cache.devices-ttl': '1m', 'state.dir': temporaryDirectory() };
    const house = await openSession(isWorking ? {} : everywhere, env, { flags });
    const page = await house.scrape();
    if (!isWorking) await expectBlock(house, page);
    const usual = isWorking ? { ...house.answers } : USUAL;
    Object.assign(house.answers, everywhere);
    house.clock.advance(2 * MINUTE_MS);
    for (let minute = 0; minute < 30; minute += 10) {
      await house.restart();
      await expectBlock(house, await house.scrapeAfter(10 * MINUTE_MS));
    }
    expect(house.asked('login').length).toBeLessThanOrEqual(5);
    Object.assign(house.answers, { ...USUAL, ...usual, ...tokenService() });
    expect((await house.scrapeAfter(15 * MINUTE_MS)).value('solar_up')).toBe(1);
  });

  test.each(['stations', 'devices'])('of %s alone asks for none either', async (endpoint) => {
    const house = await openSession({ [endpoint]: BLOCK }, ACCOUNT);
    await expectBlock(house, await house.scrape());
    expect(house.renewals()).toEqual(['login']);
  });
});

describe('a device whose sources beside the time series', () => {
  const FIELDS = { batteryVoltage: 52, batteryChargingCurrent: 3, batteryDischargeCurrent: 0 };
  const STATE = latest({ outputActivePower: [0.85, 'kW'], pvPower: [1.2, 'kW'] });
  const FAMILY = 'solar_device_dialect_info';
  const familyOf = (page: ScrapedPage) => page.all(FAMILY)[0]?.labels['family'];

  test.each<[what: string, refusal: PortalAnswer, isLacking: boolean]>([
    ['lack', { status: 404 }, true],
    ['refuse tokens that others take', { status: 403 }, true],
    ['are blocked', { status: 403, text: A_PAGE }, false],
  ])('%s is a classic one only where they lack', async (_what, refusal, isLacking) => {
    const refused = { latestState: refusal, energyFlow: refusal, attributes: refusal };
    const house = await openHouse({ readings: history(FIELDS), ...refused });
    expect(familyOf(await house.scrape()) === 'classic').toBe(isLacking);
    if (isLacking) return;
    house.answers.latestState = STATE;
    house.clock.advance(12 * MINUTE_MS);
    expect(familyOf(await house.scrape())).toBe('hpvinv02');
  });

  test.each([...KNOWN, ...UNKNOWN.filter(([what]) => what === 'a redirect')])(
    'refuse a token that has just ended in the words of %s is asked again',
    async (...row) => {
      const [, refusal] = row;
      let isEnded = false;
      const ended = unless((token) => isEnded && token === 'access-1', refusal);
      const latestState = ({ headers }: PortalRequest): PortalAnswer => {
        // The session ends between two questions.
        isEnded = true;
        return headers['iot-token'] === 'access-1' ? refusal : STATE;
      };
      const script = { ...ended, devices: deviceList({}), readings: history(FIELDS), latestState };
      const house = await openSession(script, ACCOUNT);
      expect(familyOf(await house.scrape())).toBe('hpvinv02');
      expect(house.renewals()).toEqual(['login', 'refresh']);
    },
  );
});

describe('a log-in that fails', () => {
  const account = ACCOUNT.SOLAR_ACCOUNT;

  test.each<[what: string, login: PortalAnswer, says: RegExp]>([
    ['code -1', failed(-1, `user ${account} is busy`), /code -1: user … is busy/],
    ['a captcha', failed(10_023, 'captcha required'), /captcha required.*answer the captcha/s],
    ['no token', { data: { captcha: true } }, /holds no access token/],
    ['status 403', { status: 403 }, /HTTP 403/],
    ['status 404', { status: 404 }, /HTTP 404/],
    ['no JSON', { text: 'please wait' }, /the answer is not JSON/],
    ['a page', { text: A_PAGE }, /a web page in place of an answer/],
  ])('with %s blames no credentials, and is tried after 1, 2, 4 minutes', async (...row) => {
    const [, login, says] = row;
    const house = await openSession({ login }, ACCOUNT);
    const look = (page: ScrapedPage): void => expect(page.value(REAUTHENTICATION)).toBe(0);
    await house.scrapeAt([0], look);
    const shown = await house.read();
    expect(shown).toMatch(says);
    expect(shown).not.toMatch(/made-up|check SOLAR_/);
    // When it is tried, and shortly before.
    await house.scrapeAt([0.5, 1, 2.5, 3, 6.5, 7], look);
    expect(house.times('login', MINUTE_MS)).toEqual([0, 1, 3, 7]);
    house.answers.login = tokenService().login;
    expect((await house.scrapeAfter(15 * MINUTE_MS)).value('solar_up')).toBe(1);
  });

  test('is tried every 15 minutes at last, however often the program starts', async () => {
    const flags = { 'state.dir': temporaryDirectory() };
    const house = await openSession({ login: failed(500) }, ACCOUNT, { flags });
    for (const minute of [0, 0.5, 1, 2.5, 3, 6.5, 7, 14.5, 15, 29, 30, 44, 45, 59]) {
      if (minute % 1 !== 0) await house.restart();
      await house.scrapeAt([minute]);
    }
    expect(house.times('login', MINUTE_MS)).toEqual([0, 1, 3, 7, 15, 30, 45]);
  });

  test('as a refresh with code 500 is, without an account, asks for no person', async () => {
    const house = await openSession({ refresh: failed(500) }, PAIR);
    await house.keepScraping(20 * MINUTE_MS, 4 * MINUTE_MS, (page) =>
      expect(page.value(REAUTHENTICATION)).toBe(0),
    );
    expect(house.asked('refresh').length).toBeLessThanOrEqual(5);
  });
});

test('a session that others end again and again is renewed every 5 minutes', async () => {
  let valid = 0;
  const login = (): PortalAnswer => {
    valid += 1;
    return {
      data: { accessToken: `access-${valid}`, accessTokenWillExpiredInMillis: LIFETIME_MS },
    };
  };
  const script = unless((token) => token !== `access-${valid}`, failed(9, 'Token expired'));
  const house = await openSession({ ...script, login }, ACCOUNT);
  await house.keepScraping(40 * MINUTE_MS, 2 * MINUTE_MS, () => {
    // The other one logs in whenever this one has.
    valid += 1;
  });
  const at = house.times('login', SECOND_MS).slice(3);
  const gaps = at.slice(1).map((second, index) => second - (at[index] ?? 0));
  expect(at.length).toBeGreaterThan(4);
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(300);
  const page = await house.scrape();
  expect(page.value(REPLACED)).toBeGreaterThan(5);
  expect(page.value(REAUTHENTICATION)).toBe(0);
  const warned = house.log.lines.filter(({ message }) => message.includes('one log-in in five'));
  expect(warned).toHaveLength(1);
  expect(warned[0]?.fields['remedy']).toMatch(/a second account that may only look/);
  expect(await house.read()).toMatch(/somebody else uses the account.*a second account/s);
  expect(await house.read('/api/v1/status')).toContain('"what":"somebody else uses the account"');
});

test('a token in the state directory that cannot be sent is refused', async () => {
  const directory = temporaryDirectory();
  const house = await openSession({}, ACCOUNT, { flags: { 'state.dir': directory } });
  await house.scrape();
  const file = join(directory, 'session.json');
  const kept = readFileSync(file, 'utf8');
  writeFileSync(file, kept.replace('"access-1"', JSON.stringify('a\r\nb')));
  await house.restart();
  expect((await house.scrape()).value('solar_up')).toBe(1);
  expect(house.renewals()).toEqual(['login', 'refresh']);
});

describe('a pause of 99999999 seconds that the service asks for', () => {
  test.each<[EndpointName, number, Words]>([
    ['login', 503, ACCOUNT],
    ['readings', 503, TOKEN],
    ['alarms', 403, TOKEN],
  ])('at %s with status %i is one of 15 minutes, and said once', async (...row) => {
    const [endpoint, status, env] = row;
    const flags = {
      'state.dir': temporaryDirectory(),
      'collect.alarms': 'true',
      'cache.alarms-ttl': '1m',
    };
    const house = await openSession(
      { [endpoint]: { status, headers: { 'retry-after': '99999999' } } },
      env,
      { flags },
    );
    await house.scrape();
    const before = house.asked(endpoint).length;
    await house.keepScraping(15 * MINUTE_MS, 7 * MINUTE_MS);
    if (status !== 403) expect(house.asked(endpoint)).toHaveLength(before);
    if (endpoint === 'login') await house.restart();
    await house.scrapeAfter(2 * MINUTE_MS);
    expect(house.asked(endpoint).length).toBeGreaterThan(before);
    const said = house.log.lines.filter(({ fields, message }) => {
      const failure = fields['err'] as Error | undefined;
      return message === 'collector failed' && failure?.message.includes('99999999 s');
    });
    expect(said.length).toBeLessThanOrEqual(endpoint === 'login' ? 2 : 1);
    expect(said.length + Number(status === 403)).toBeGreaterThan(0);
  });
});
