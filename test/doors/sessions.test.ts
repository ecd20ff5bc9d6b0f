import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { deferred } from '../support/deferred.ts';
import { temporaryDirectory } from '../support/prometheus.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from './house.ts';
import {
  ACCOUNT,
  CLASSIC,
  history,
  latest,
  NOW,
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
  type Words,
} from './session-house.ts';

/** A token is renewed this long before it expires. */
const LEAD_MS = 5 * MINUTE_MS;

/** Minutes around the ends of the first tokens, and some before, which are like the others. */
const AROUND_ENDS = [
  0, 60, 114, 115, 116, 117, 119, 120, 121, 122, 180, 229, 230, 232, 233, 234, 236, 240, 241, 242,
];

describe('a session', () => {
  test.each([
    ['account', ACCOUNT, ['login'], 'access-1', 'refresh'],
    ['refresh_token', PAIR, ['refresh'], 'access-1', 'refresh'],
    ['access_token', TOKEN, [], 'given', undefined],
    // An account that nothing signs for cannot log in.
    ['access_token', { ...TOKEN, SOLAR_ACCOUNT: 'owner', SOLAR_PASSWORD: 'hidden' }, [], 'given'],
  ] as const)('of mode %s renews first, and then a lead before the expiry', async (...row) => {
    const [mode, env, first, token, later] = row;
    const { scrape, scrapeAfter, renewals, lastToken } = await openSession({}, env);
    const page = await scrape();
    expect(page.value('solar_session_info', { mode })).toBe(1);
    expect(page.value('solar_reauthentication_required')).toBe(0);
    expect(page.value('solar_token_expiry_timestamp_seconds')).toBe(
      later && (Date.parse(NOW) + LIFETIME_MS) / SECOND_MS,
    );
    expect([renewals(), lastToken()]).toEqual([first, token]);
    await scrapeAfter(LIFETIME_MS - LEAD_MS - 1);
    expect(renewals()).toEqual(first);
    await scrapeAfter(1);
    expect(renewals()).toEqual([...first, ...(later ? [later] : [])]);
  });

  test('exchanges the newest refresh token each time, and logs no token', async () => {
    const { keepScraping, asked, log } = await openSession({}, ACCOUNT);
    await keepScraping(4 * LIFETIME_MS, LIFETIME_MS - LEAD_MS);
    const exchanged = asked('refresh').map(({ body }) => body['refreshToken']);
    expect(exchanged).toEqual(['refresh-1', 'refresh-2', 'refresh-3', 'refresh-4']);
    expect(log.messages('info').filter((message) => message === 'session renewed')).toHaveLength(5);
    expect(JSON.stringify(log.lines)).not.toMatch(/access-\d|refresh-\d/);
  });

  test.each([
    ['login', ACCOUNT],
    // Without an account: the clock may have been wrong that says so.
    ['refresh', PAIR],
  ] as const)('asks for a %s when the refresh token has expired', async (renewal, env) => {
    const script = tokenService({ refreshTokenWillExpiredInMillis: HOUR_MS });
    const { scrape, scrapeAfter, renewals } = await openSession(script, env);
    await scrape();
    await scrapeAfter(LIFETIME_MS - LEAD_MS);
    expect(renewals()).toEqual([renewal, renewal]);
  });

  test.each<[what: string, refresh: PortalAnswer, forms: number, outcome: string]>([
    ['a 401', REFUSED, 2, 'SERVICE_AUTH_REJECTED'],
    ['a 404', { status: 404 }, 2, 'SERVICE_REQUEST_REJECTED'],
    ['no JSON', { text: 'ok' }, 1, 'SERVICE_PAYLOAD_INVALID'],
    ['a page', { text: '<html>' }, 1, 'SERVICE_BLOCKED'],
  ])('logs in when the refresh ends in %s', async (_what, refresh, forms, outcome) => {
    const { scrape, scrapeAfter, renewals, answers } = await openSession({}, ACCOUNT);
    await scrape();
    answers.refresh = refresh;
    const page = await scrapeAfter(LIFETIME_MS - LEAD_MS);
    expect(renewals()).toEqual(['login', ...Array<string>(forms).fill('refresh'), 'login']);
    expect(page.value('solar_token_renewals_total', { method: 'refresh', outcome })).toBe(1);
    expect(page.value('solar_token_renewals_total', { method: 'login', outcome: 'ok' })).toBe(2);
    expect(page.value('solar_up')).toBe(1);
  });

  test('does not log in after a 500: it uses its token to the end, then waits', async () => {
    const { scrape, scrapeAfter, renewals, answers, asked } = await openSession({}, ACCOUNT);
    await scrape();
    const { refresh } = answers;
    answers.refresh = { status: 500 };
    await scrapeAfter(LIFETIME_MS - LEAD_MS);
    const late = await scrapeAfter(LEAD_MS - 1);
    expect(late.value('solar_up')).toBe(1);
    const before = asked('readings').length;
    const expired = await scrapeAfter(2 * SECOND_MS);
    expect(expired.value('solar_up')).toBe(0);
    expect(expired.value('solar_reauthentication_required')).toBe(0);
    const failures = { method: 'refresh', outcome: 'SERVICE_SERVER_ERROR' };
    expect(expired.value('solar_token_renewals_total', failures)).toBeGreaterThan(0);
    expect(asked('readings')).toHaveLength(before);
    answers.refresh = refresh;
    expect((await scrapeAfter(10 * MINUTE_MS)).value('solar_up')).toBe(1);
    expect(new Set(renewals().slice(1))).toEqual(new Set(['refresh']));
  });

  test.each<[what: string, refresh: PortalAnswer, pairs: readonly number[]]>([
    // Only over its body may a service break each time: the other form is tried again for each token.
    ['with status 500', { status: 500 }, [121, 241]],
    ['by a closed connection', 'hang up', []],
  ])('logs in where refreshes fail %s for good, once for each token', async (...row) => {
    const [, refresh, pairs] = row;
    const house = await openSession({ refresh }, ACCOUNT);
    let dark = 0;
    await house.scrapeAt(AROUND_ENDS, (page) => {
      dark += 1 - (page.value('solar_up') ?? 0);
      expect(page.value('solar_reauthentication_required')).toBe(0);
    });
    expect(house.times('login', MINUTE_MS)).toEqual([0, 121, 241]);
    expect(dark).toBe(1);
    const isPair = house.asked('refresh').map(({ body }) => 'accessToken' in body);
    expect(house.times('refresh', MINUTE_MS).filter((_, index) => isPair[index])).toEqual(pairs);
  });

  test('logs in no more often than before while the service is wholly down', async () => {
    const house = await openSession({}, ACCOUNT);
    await house.scrape();
    Object.assign(house.answers, { refresh: { status: 500 }, login: { status: 502 } });
    house.clock.advance(LIFETIME_MS - LEAD_MS);
    await house.keepScraping(LEAD_MS + 20 * MINUTE_MS, MINUTE_MS);
    expect(house.asked('login').length).toBeLessThanOrEqual(1 + 20);
    // The other form of a refresh is tried once.
    expect(house.asked('refresh').length).toBeLessThanOrEqual(5 + 20 + 1);
    const said = house.log.messages('warn').filter((text) => text === 'session not renewed');
    expect(said).toHaveLength(2);
    Object.assign(house.answers, tokenService());
    expect((await house.scrapeAfter(MINUTE_MS)).value('solar_up')).toBe(1);
    expect(house.renewals().at(-1)).toBe('refresh');
  });

  test.each<[what: string, isSame: boolean]>([
    ['others, which are refused', false],
    ['the old one again', true],
  ])('logs in where a refresh brings %s', async (_what, isSame) => {
    let [issued, atMs] = [0, 0];
    const issue = (accessToken: string): PortalAnswer => {
      const accessTokenWillExpiredInMillis = LIFETIME_MS;
      return { data: { accessToken, refreshToken: 'refresh', accessTokenWillExpiredInMillis } };
    };
    const isOld = (): boolean => house.clock.nowMs() - atMs >= 116 * MINUTE_MS;
    const script: Script = {
      ...unless((token) => isOld() || token !== `good-${issued}`, REFUSED),
      login: () => {
        issued += 1;
        atMs = house.clock.nowMs();
        return issue(`good-${issued}`);
      },
      refresh: () => issue(isSame ? `good-${issued}` : 'dead'),
    };
    const house = await openSession(script, ACCOUNT);
    let dark = 0;
    await house.scrapeAt(AROUND_ENDS, (page) => {
      dark += 1 - (page.value('solar_up') ?? 0);
    });
    expect(house.times('login', MINUTE_MS)).toEqual(isSame ? [0, 117, 234] : [0, 115, 230]);
    expect(dark).toBeLessThanOrEqual(2);
  });

  test('whose token is refused renews it once; a new one refused needs people', async () => {
    const { scrape, scrapeAfter, renewals, answers } = await openSession({}, ACCOUNT);
    await scrape();
    answers.readings = ({ headers }) =>
      headers['iot-token'] === 'access-1' ? REFUSED : history(CLASSIC);
    const renewed = await scrapeAfter(MINUTE_MS);
    expect(renewed.value('solar_up')).toBe(1);
    expect(renewals()).toEqual(['login', 'refresh']);
    Object.assign(answers, { readings: REFUSED, stations: REFUSED });
    const page = await scrapeAfter(MINUTE_MS);
    expect(page.value('solar_reauthentication_required')).toBe(1);
    expect(renewals()).toEqual(['login', 'refresh', 'refresh']);
  });

  test('renews where an optional endpoint alone calls the token expired', async () => {
    const latestState = ({ headers }: PortalRequest): PortalAnswer =>
      headers['iot-token'] === 'access-1'
        ? failed(9, 'Token expired')
        : latest({ batteryVoltage: [52, 'V'] });
    const script = { readings: history({}), latestState };
    const { scrape, renewals } = await openSession(script, ACCOUNT);
    expect((await scrape()).value('solar_battery_voltage_volts')).toBe(52);
    expect(renewals()).toEqual(['login', 'refresh']);
  });
});

test('an implausible expiry is not used, and said once', async () => {
  const script = tokenService({ accessTokenWillExpiredInMillis: 99 * DAY_MS });
  const { keepScraping, log, renewals } = await openSession(script, ACCOUNT);
  await keepScraping(4 * HOUR_MS, HOUR_MS);
  expect(renewals()).toEqual(['login', 'refresh', 'refresh', 'refresh']);
  expect(log.messages('warn')).toEqual([
    'the service states an implausible token expiry, which is not used; is the clock of this machine right?',
  ]);
});

describe('the form of a refresh', () => {
  const SIGNED = {
    ...PAIR,
    SOLAR_APP_ID: ACCOUNT.SOLAR_APP_ID,
    SOLAR_APP_SECRET: ACCOUNT.SOLAR_APP_SECRET,
  };
  const ALONE = ['refreshToken'];
  const BOTH = ['accessToken', 'refreshToken'];
  const PAIRED = [ALONE, BOTH, BOTH];
  const takesPairs =
    (other: PortalAnswer): Script['refresh'] =>
    ({ body }) =>
      'accessToken' in body ? { data: { accessToken: 'new', refreshToken: 'newer' } } : other;
  const issues: PortalAnswer = { data: { accessToken: 'new' } };

  test.each<[what: string, env: Words, refresh: Script['refresh'], forms: readonly string[][]]>([
    ['is the token alone where that is taken', SIGNED, issues, [ALONE, ALONE]],
    ['is the signed pair after a 401, and stays it', SIGNED, takesPairs(REFUSED), PAIRED],
    ['is the pair after an answer without a token', SIGNED, takesPairs({ data: {} }), PAIRED],
    ['is never the pair without an application', PAIR, takesPairs(failed(9)), [ALONE, ALONE]],
    ['is no other one after a failure', SIGNED, takesPairs({ status: 500 }), [ALONE, ALONE]],
    ['is looked for again where both fail', SIGNED, REFUSED, [ALONE, BOTH, ALONE, BOTH]],
  ])('%s', async (_what, env, refresh, forms) => {
    const { scrape, scrapeAfter, asked } = await openSession({ refresh }, env);
    await scrape();
    await scrapeAfter(LIFETIME_MS);
    expect(asked('refresh').map(({ body }) => Object.keys(body))).toEqual(forms);
    const signed = asked('refresh').map(({ headers }) => headers['iot-open-sign'] !== undefined);
    expect(signed).toEqual(forms.map((form) => form === BOTH));
    // A refresh token is kept where the answer brings no other.
    const tokens = new Set(asked('refresh').map(({ body }) => body['refreshToken']));
    expect([...tokens]).toEqual(['given-refresh', ...(forms === PAIRED ? ['newer'] : [])]);
    const nonces = asked('refresh').flatMap(({ headers }) => headers['iot-open-nonce'] ?? []);
    expect(new Set(nonces).size).toBe(nonces.length);
  });

  test('is the pair where the token alone meets status 500 again and again', async () => {
    const { refresh: renewed } = tokenService();
    const refresh: Script['refresh'] = (request) =>
      'accessToken' in request.body && typeof renewed === 'function'
        ? renewed(request)
        : { status: 500 };
    const house = await openSession({ refresh }, ACCOUNT);
    await house.scrapeAt(AROUND_ENDS);
    expect((await house.scrape()).value('solar_up')).toBe(1);
    expect(house.asked('login')).toHaveLength(1);
    const forms = house.asked('refresh').map(({ body }) => Object.keys(body).length);
    expect([...forms.slice(0, 2), ...forms.slice(-2)]).toEqual([1, 1, 2, 2]);
  });

  test('is refused once at most, however often the program is started', async () => {
    const flags = { 'state.dir': temporaryDirectory() };
    const refresh = takesPairs(REFUSED);
    const { scrape, restart, scrapeAfter, asked } = await openSession({ refresh }, SIGNED, {
      flags,
    });
    await scrape();
    for (let start = 0; start < 2; start += 1) {
      await restart();
      await scrapeAfter(LIFETIME_MS);
    }
    const forms = asked('refresh').map(({ body }) => Object.keys(body));
    expect(forms).toEqual([ALONE, BOTH, BOTH, BOTH]);
  });
});

/** After a refusal: at once, then after 1, 5 and 30 minutes, then every two hours. */
const LADDER_MINUTES = [0, 1, 6, 36, 156];
/** When to scrape to see that: then, and shortly before. */
const AROUND_LADDER = [0, 0.4, 1, 5, 6, 35, 36, 155, 156];

describe('a program that restarts each time', () => {
  /** Starts anew and scrapes at these times from now on. */
  async function live(
    house: Awaited<ReturnType<typeof openSession>>,
    times: readonly number[],
    unitMs = MINUTE_MS,
    isRestarted = true,
  ) {
    const startMs = house.clock.nowMs();
    for (const time of times) {
      house.clock.advance(startMs + time * unitMs - house.clock.nowMs());
      if (isRestarted) await house.restart();
      await house.scrape();
    }
    return house.scrape();
  }
  const open = (script: Script) =>
    openSession(script, ACCOUNT, { flags: { 'state.dir': temporaryDirectory() } });

  test.each<[which: string, isRestarted: boolean, login: PortalAnswer]>([
    ['that restarts each time', true, failed(7, 'password error')],
    ['that goes on', false, REFUSED],
  ])('or one %s tries a refused log-in ever less often', async (_which, isRestarted, login) => {
    const house = await open({ login });
    const page = await live(house, AROUND_LADDER, MINUTE_MS, isRestarted);
    expect(house.times('login', MINUTE_MS)).toEqual(LADDER_MINUTES);
    expect(house.requests).toHaveLength(LADDER_MINUTES.length);
    expect(page.value('solar_reauthentication_required')).toBe(1);
    expect(page.value('solar_up')).toBe(0);
    const until = page.value('solar_login_blocked_until_timestamp_seconds') ?? 0;
    expect(until).toBe((Date.parse(NOW) + 276 * MINUTE_MS) / SECOND_MS);
  });

  test('renews fresh tokens that are refused ever less often', async () => {
    const script = tokenService({ accessTokenWillExpiredInMillis: 20 * DAY_MS });
    const house = await open({ ...script, stations: REFUSED });
    await live(house, AROUND_LADDER);
    const [login, ...refreshes] = house.renewals();
    expect(login).toBe('login');
    expect(new Set(refreshes)).toEqual(new Set(['refresh']));
    expect(house.times('refresh', MINUTE_MS)).toEqual(LADDER_MINUTES);
  });

  test('leaves a failing service alone for 1 s, 2 s, or as long as it asks', async () => {
    const failing = await open({ login: { status: 500 } });
    await live(failing, [0, 0.4, 1, 2, 3, 6, 7], SECOND_MS);
    expect(failing.times('login', SECOND_MS)).toEqual([0, 1, 3, 7]);
    const limiting = await open({ login: { status: 429, headers: { 'retry-after': '30' } } });
    await live(limiting, [0, 1, 29, 30, 31], SECOND_MS);
    expect(limiting.times('login', SECOND_MS)).toEqual([0, 30]);
  });

  test('begins with the first pause again once it was let in', async () => {
    const house = await open({ login: failed(7) });
    await live(house, [0, 1]);
    house.answers.login = tokenService().login;
    await live(house, [5]);
    house.answers.login = failed(7);
    house.answers.refresh = failed(7);
    await live(house, [130, 130.4, 131, 135, 136, 165, 166]);
    const [first = 0, ...others] = house.times('login', MINUTE_MS).slice(3);
    expect(others.map((minute) => minute - first)).toEqual([1, 6, 36]);
  });

  test('goes on with the tokens that it has', async () => {
    const house = await open({});
    await live(house, [0, 110, 115, 170]);
    expect(house.renewals()).toEqual(['login', 'refresh']);
    expect(house.asked('refresh')[0]?.body['refreshToken']).toBe('refresh-1');
  });
});

test('a refused token alone is sent 15 times a day until it is taken', async () => {
  const house = await openSession({ stations: REFUSED }, TOKEN);
  const hourly = Array.from({ length: 23 }, (_, index) => 96 + 60 * index);
  await house.scrapeAt([0, 1, 6, 36, ...hourly]);
  expect(house.requests).toHaveLength(15);
  house.answers.stations = { data: { list: [{ id: '3' }] } };
  const page = await house.scrapeAfter(2 * HOUR_MS);
  expect(page.value('solar_reauthentication_required')).toBe(0);
  expect(page.value('solar_up')).toBe(1);
});

test('a pair with a dead refresh token works while its access token is taken', async () => {
  const { scrape, lastToken } = await openSession({ refresh: REFUSED }, PAIR);
  const page = await scrape();
  expect(page.value('solar_up')).toBe(1);
  expect(page.value('solar_pv_power_watts')).toBe(1200);
  expect(page.value('solar_reauthentication_required')).toBe(0);
  expect(lastToken()).toBe('given');
});

test.each([
  ['an hour', HOUR_MS, false],
  ['a day', DAY_MS, true],
  ['81 years', 81 * 365 * DAY_MS, true],
])('tokens of a clock ahead by %s are renewed in time once it is right', async (...row) => {
  const [, aheadMs, isRestarted] = row;
  const flags = { 'state.dir': temporaryDirectory() };
  const house = await openSession({}, ACCOUNT, { flags, machineAheadMs: aheadMs });
  await house.scrape();
  house.misset(-aheadMs);
  if (isRestarted) await house.restart();
  await house.scrape();
  await house.scrapeAfter(LIFETIME_MS - LEAD_MS - 1);
  expect(house.renewals()).toEqual(['login']);
  for (const afterMs of [1, MINUTE_MS]) await house.scrapeAfter(afterMs);
  expect(house.renewals()).toEqual(['login', 'refresh']);
});

test('pauses end on a machine that starts in 1970 each time', async () => {
  const flags = { 'state.dir': temporaryDirectory() };
  const house = await openSession({ login: failed(7) }, ACCOUNT, { flags });
  const since1970Ms = Date.parse(NOW);
  for (let boot = 0; boot < 9; boot += 1) {
    house.misset(-since1970Ms);
    await house.restart();
    await house.scrape();
    house.clock.advance(MINUTE_MS);
    house.misset(since1970Ms);
    await house.scrape();
    house.clock.advance(4 * MINUTE_MS);
  }
  // Of 45 minutes: 0, 1, 6, 36, and what the first boot spent in 1970.
  expect(house.asked('login').length).toBeLessThanOrEqual(5);
  expect(house.asked('login').length).toBeGreaterThanOrEqual(3);
});

describe('a session that was kept', () => {
  test('is not used once the password is another, and the log says so', async () => {
    const flags = { 'state.dir': temporaryDirectory() };
    const { scrape, restart, renewals, log } = await openSession({}, ACCOUNT, { flags });
    await scrape();
    await restart({ env: { SOLAR_PASSWORD: 'other' } });
    await scrape();
    expect(renewals()).toEqual(['login', 'login']);
    expect(log.messages('info')).toContain(
      'the saved session belongs to other credentials and is not used',
    );
  });

  test('and is now nonsense is set aside, with a warning', async () => {
    const directory = temporaryDirectory();
    const house = await openSession({}, ACCOUNT, { flags: { 'state.dir': directory } });
    await house.scrape();
    writeFileSync(join(directory, 'session.json'), 'nonsense');
    await house.restart();
    expect((await house.scrape()).value('solar_up')).toBe(1);
    expect(house.renewals()).toEqual(['login', 'login']);
    expect(house.log.messages('warn')).toContain(
      'the saved session cannot be used and was set aside',
    );
  });

  test('is written though the exporter is stopped while a refresh is under way', async () => {
    const directory = temporaryDirectory();
    const house = await openSession({}, ACCOUNT, { flags: { 'state.dir': directory } });
    await house.scrape();
    const asked = deferred<undefined>();
    const answered = deferred<undefined>();
    house.answers.refresh = async () => {
      asked.resolve(undefined);
      await answered.promise;
      return { data: { accessToken: 'new', refreshToken: 'newer' } };
    };
    const scraped = house.scrapeAfter(LIFETIME_MS - LEAD_MS);
    await asked.promise;
    const stopped = house.stop();
    answered.resolve(undefined);
    await Promise.all([scraped, stopped]);
    expect(readdirSync(directory)).toEqual(['session.json']);
    await house.restart();
    expect((await house.scrape()).value('solar_up')).toBe(1);
    expect(house.renewals()).toEqual(['login', 'refresh']);
  });
});
