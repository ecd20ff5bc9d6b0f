import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { deferred } from '../support/deferred.ts';
import { DAY_MS, HOUR_MS, type HouseSetup, MINUTE_MS, openHouse, SECOND_MS } from './house.ts';
import {
  CLASSIC,
  deviceList,
  history,
  latest,
  NOW,
  type PortalAnswer,
  type PortalRequest,
  type Script,
} from './scripted-service.ts';

const ACCOUNT = {
  SOLAR_ACCESS_TOKEN: '',
  SOLAR_ACCOUNT: 'made-up@example.org',
  SOLAR_PASSWORD: 'made-up-password',
  SOLAR_APP_ID: 'made-up-app-id',
  SOLAR_APP_SECRET: 'made-up-app-secret',
};
const PAIR = { SOLAR_ACCESS_TOKEN: 'given', SOLAR_REFRESH_TOKEN: 'given-refresh' };
const TOKEN = { SOLAR_ACCESS_TOKEN: 'given' };

const LIFETIME_MS = 2 * HOUR_MS;
/** A token is renewed this long before it expires. */
const LEAD_MS = 5 * MINUTE_MS;

const REFUSED: PortalAnswer = { status: 401 };
const failed = (code: number, message = 'no'): PortalAnswer => ({
  envelope: { code, message, data: null },
});

/** A service that issues `access-1`, `access-2` and so on, each with a refresh token of its own. */
function tokenService(more: object = {}): Script {
  let issued = 0;
  const issue = (): PortalAnswer => {
    issued += 1;
    const tokens = { accessToken: `access-${issued}`, refreshToken: `refresh-${issued}` };
    return { data: { ...tokens, accessTokenWillExpiredInMillis: LIFETIME_MS, ...more } };
  };
  return { login: issue, refresh: issue };
}

/** An exporter that asks for little, so that every scrape is about the session. */
async function openSession(
  script: Script,
  env: Readonly<Record<string, string>>,
  more: HouseSetup = {},
) {
  const flags = {
    'cache.readings-ttl': '1ms',
    'collect.energy': 'false',
    'collect.alarms': 'false',
    ...more.flags,
  };
  const house = await openHouse({ ...tokenService(), ...script }, { ...more, env, flags });
  const startedAtMs = house.serviceNowMs();
  const isRenewal = ({ endpoint }: PortalRequest): boolean =>
    endpoint === 'login' || endpoint === 'refresh';
  return Object.assign(house, {
    /** The attempts to renew so far, such as `login` and `refresh`. */
    renewals: () => house.requests.filter(isRenewal).map(({ endpoint }) => endpoint),
    /** When requests of an endpoint came, in units since the start. */
    times: (endpoint: PortalRequest['endpoint'], unitMs: number) =>
      house.asked(endpoint).map(({ atMs }) => Math.round((atMs - startedAtMs) / unitMs)),
    /** The token that the last request for readings carried. */
    lastToken: () => house.asked('readings').at(-1)?.headers['iot-token'],
  });
}

function stateDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'solar-sessions-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  return directory;
}

describe('a session', () => {
  test.each([
    { mode: 'account', env: ACCOUNT, first: ['login'], token: 'access-1', later: 'refresh' },
    { mode: 'refresh_token', env: PAIR, first: ['refresh'], token: 'access-1', later: 'refresh' },
    { mode: 'access_token', env: TOKEN, first: [], token: 'given', later: undefined },
  ])('of mode $mode renews first, and then a lead before the expiry', async (row) => {
    const { scrape, scrapeAfter, renewals, lastToken } = await openSession({}, row.env);
    const page = await scrape();
    expect(page.value('solar_session_info', { mode: row.mode })).toBe(1);
    expect(page.value('solar_reauthentication_required')).toBe(0);
    expect(page.value('solar_token_expiry_timestamp_seconds')).toBe(
      row.later && (Date.parse(NOW) + LIFETIME_MS) / SECOND_MS,
    );
    expect([renewals(), lastToken()]).toEqual([row.first, row.token]);
    await scrapeAfter(LIFETIME_MS - LEAD_MS - 1);
    expect(renewals()).toEqual(row.first);
    await scrapeAfter(1);
    expect(renewals()).toEqual([...row.first, ...(row.later ? [row.later] : [])]);
  });

  test('exchanges the newest refresh token each time, and logs no token', async () => {
    const { keepScraping, asked, log } = await openSession({}, ACCOUNT);
    await keepScraping(4 * LIFETIME_MS, LIFETIME_MS - LEAD_MS);
    const exchanged = asked('refresh').map(({ body }) => body['refreshToken']);
    expect(exchanged).toEqual(['refresh-1', 'refresh-2', 'refresh-3', 'refresh-4']);
    expect(log.messages('info').filter((message) => message === 'session renewed')).toHaveLength(5);
    expect(JSON.stringify(log.lines)).not.toMatch(/access-\d|refresh-\d/);
  });

  test('renews once for all requests that need a token', async () => {
    const devices = deviceList({ id: '1' }, { id: '2' }, { id: '3' });
    const { scrape, renewals } = await openSession({ devices }, ACCOUNT);
    expect((await scrape()).all('solar_pv_power_watts')).toHaveLength(3);
    expect(renewals()).toEqual(['login']);
  });

  test('logs in, and does not ask, when the refresh token has expired', async () => {
    const script = tokenService({ refreshTokenWillExpiredInMillis: HOUR_MS });
    const { scrape, scrapeAfter, renewals } = await openSession(script, ACCOUNT);
    await scrape();
    await scrapeAfter(LIFETIME_MS - LEAD_MS);
    expect(renewals()).toEqual(['login', 'login']);
  });

  test.each<{ what: string; refresh: PortalAnswer; attempts: readonly string[]; outcome: string }>([
    {
      what: 'a 401',
      refresh: REFUSED,
      attempts: ['refresh', 'refresh', 'login'],
      outcome: 'SERVICE_AUTH_REJECTED',
    },
    {
      what: 'a code',
      refresh: failed(20_101),
      attempts: ['refresh', 'refresh', 'login'],
      outcome: 'SERVICE_API_REFUSED',
    },
    {
      what: 'a 404',
      refresh: { status: 404 },
      attempts: ['refresh', 'refresh', 'login'],
      outcome: 'SERVICE_REQUEST_REJECTED',
    },
    {
      what: 'no JSON',
      refresh: { text: '<html>' },
      attempts: ['refresh', 'login'],
      outcome: 'SERVICE_PAYLOAD_INVALID',
    },
  ])('logs in when the refresh ends in $what', async ({ refresh, attempts, outcome }) => {
    const { scrape, scrapeAfter, renewals, answers } = await openSession({}, ACCOUNT);
    await scrape();
    answers.refresh = refresh;
    const page = await scrapeAfter(LIFETIME_MS - LEAD_MS);
    expect(renewals()).toEqual(['login', ...attempts]);
    expect(page.value('solar_token_renewals_total', { method: 'refresh', outcome })).toBe(1);
    expect(page.value('solar_token_renewals_total', { method: 'login', outcome: 'ok' })).toBe(2);
    expect(page.value('solar_up')).toBe(1);
  });

  test.each<{ what: string; refresh: PortalAnswer; code: string }>([
    { what: 'a 500', refresh: { status: 500 }, code: 'SERVICE_SERVER_ERROR' },
    { what: 'a 429', refresh: { status: 429 }, code: 'SERVICE_RATE_LIMITED' },
    { what: 'a closed connection', refresh: 'hang up', code: 'SERVICE_UNREACHABLE' },
  ])('does not log in after $what: it uses its token to the end, then waits', async (row) => {
    const { scrape, scrapeAfter, renewals, answers, asked } = await openSession({}, ACCOUNT);
    await scrape();
    const { refresh } = answers;
    answers.refresh = row.refresh;
    await scrapeAfter(LIFETIME_MS - LEAD_MS);
    const late = await scrapeAfter(LEAD_MS - 1);
    expect(late.value('solar_up')).toBe(1);
    const before = asked('readings').length;
    const expired = await scrapeAfter(2 * SECOND_MS);
    expect(expired.value('solar_up')).toBe(0);
    expect(expired.value('solar_reauthentication_required')).toBe(0);
    expect(
      expired.value('solar_token_renewals_total', { method: 'refresh', outcome: row.code }),
    ).toBeGreaterThan(0);
    expect(asked('readings')).toHaveLength(before);
    expect(new Set(renewals().slice(1))).toEqual(new Set(['refresh']));
    answers.refresh = refresh;
    expect((await scrapeAfter(10 * MINUTE_MS)).value('solar_up')).toBe(1);
    expect(renewals().filter((endpoint) => endpoint === 'login')).toHaveLength(1);
  });

  test('whose token is refused renews it once, and twice refused requires re-authentication', async () => {
    const { scrape, scrapeAfter, renewals, answers } = await openSession({}, ACCOUNT);
    await scrape();
    answers.readings = ({ headers }) =>
      headers['iot-token'] === 'access-1' ? REFUSED : history(CLASSIC);
    const renewed = await scrapeAfter(MINUTE_MS);
    expect(renewed.value('solar_up')).toBe(1);
    expect(renewals()).toEqual(['login', 'refresh']);
    answers.readings = REFUSED;
    const page = await scrapeAfter(MINUTE_MS);
    expect(page.value('solar_reauthentication_required')).toBe(1);
    expect(renewals()).toEqual(['login', 'refresh', 'refresh']);
  });

  test('does not blame its token where an endpoint that the service may lack refuses it', async () => {
    const readings = history({});
    const { scrape, renewals } = await openSession({ readings, latestState: REFUSED }, ACCOUNT);
    const page = await scrape();
    expect(renewals()).toEqual(['login']);
    expect(page.value('solar_reauthentication_required')).toBe(0);
    expect(page.requests('latest-state', 'SERVICE_AUTH_REJECTED')).toBe(1);
  });

  test('renews where that endpoint says that the token has expired', async () => {
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
  const takesPairs =
    (other: PortalAnswer): Script['refresh'] =>
    ({ body }) =>
      'accessToken' in body ? { data: { accessToken: 'new', refreshToken: 'newer' } } : other;
  const issues: PortalAnswer = { data: { accessToken: 'new' } };

  test.each<{
    what: string;
    env: Readonly<Record<string, string>>;
    refresh: Script['refresh'];
    forms: readonly string[][];
  }>([
    {
      what: 'is the token alone where that is taken',
      env: SIGNED,
      refresh: issues,
      forms: [ALONE, ALONE],
    },
    {
      what: 'is the signed pair after a 401, and stays it',
      env: SIGNED,
      refresh: takesPairs(REFUSED),
      forms: [ALONE, BOTH, BOTH],
    },
    {
      what: 'is the pair after a code',
      env: SIGNED,
      refresh: takesPairs(failed(20_101)),
      forms: [ALONE, BOTH, BOTH],
    },
    {
      what: 'is the pair after an answer without a token',
      env: SIGNED,
      refresh: takesPairs({ data: {} }),
      forms: [ALONE, BOTH, BOTH],
    },
    {
      what: 'is never the pair without an application to sign',
      env: PAIR,
      refresh: takesPairs(failed(20_101)),
      forms: [ALONE, ALONE],
    },
    {
      what: 'is no other one after a failure',
      env: SIGNED,
      refresh: takesPairs({ status: 500 }),
      forms: [ALONE, ALONE],
    },
    {
      what: 'is looked for again where both are refused',
      env: SIGNED,
      refresh: failed(20_101),
      forms: [ALONE, BOTH, ALONE, BOTH],
    },
  ])('$what', async ({ env, refresh, forms }) => {
    const { scrape, scrapeAfter, asked } = await openSession({ refresh }, env);
    await scrape();
    await scrapeAfter(LIFETIME_MS);
    expect(asked('refresh').map(({ body }) => Object.keys(body))).toEqual(forms);
    const signed = asked('refresh').map(({ headers }) => headers['iot-open-sign'] !== undefined);
    expect(signed).toEqual(forms.map((form) => form === BOTH));
    const nonces = asked('refresh').flatMap(({ headers }) => headers['iot-open-nonce'] ?? []);
    expect(new Set(nonces).size).toBe(nonces.length);
  });

  test('keeps the refresh token that it has where the answer brings no other', async () => {
    const { scrape, scrapeAfter, asked } = await openSession({ refresh: issues }, SIGNED);
    await scrape();
    await scrapeAfter(LIFETIME_MS);
    expect(asked('refresh').map(({ body }) => body['refreshToken'])).toEqual([
      'given-refresh',
      'given-refresh',
    ]);
  });
});

/** After a refusal: at once, then after 1, 5 and 30 minutes, then every two hours. */
const LADDER_MINUTES = [0, 1, 6, 36, 156];

/** The seconds at which a service that fails is asked, and some between them. */
const SECONDS = [0, 0.9, 1, 2, 3, 5, 7, 10, 15, 20, 29.9, 30, 31, 40];

/** Minutes at which to scrape: each of the first ones, and then every tenth, in step with the pauses. */
function minutesUntil(last: number): readonly number[] {
  const later = Array.from({ length: Math.floor((last - 6) / 10) }, (_, index) => 16 + 10 * index);
  return [0, 1, 2, 3, 4, 5, 6, ...later];
}

describe.each([
  { program: 'one program', isRestarted: false },
  { program: 'a program that restarts each time', isRestarted: true },
])('scraped every minute, $program', ({ isRestarted }) => {
  /** Scrapes at these times from now on; starts anew before each scrape where that is wanted. */
  async function live(
    house: Awaited<ReturnType<typeof openSession>>,
    times: readonly number[],
    unitMs = MINUTE_MS,
  ) {
    const startMs = house.clock.nowMs();
    for (const time of times) {
      house.clock.advance(startMs + time * unitMs - house.clock.nowMs());
      if (isRestarted) await house.restart();
      await house.scrape();
    }
    return house.scrape();
  }
  const open = (script: Script, env: Readonly<Record<string, string>>) =>
    openSession(script, env, { flags: { 'state.dir': stateDirectory() } });

  test.each<{
    what: string;
    env: Readonly<Record<string, string>>;
    script: Script;
    asked: PortalRequest['endpoint'];
  }>([
    {
      what: 'a log-in that is refused by a code',
      env: ACCOUNT,
      script: { login: failed(7, 'password error') },
      asked: 'login',
    },
    {
      what: 'a log-in that is refused by a 401',
      env: ACCOUNT,
      script: { login: REFUSED },
      asked: 'login',
    },
  ])('tries $what ever less often, and says so', async ({ env, script, asked }) => {
    const house = await open(script, env);
    const page = await live(house, minutesUntil(156));
    expect(house.times(asked, MINUTE_MS)).toEqual(LADDER_MINUTES);
    expect(house.requests).toHaveLength(LADDER_MINUTES.length);
    expect(page.value('solar_reauthentication_required')).toBe(1);
    expect(page.value('solar_up')).toBe(0);
    const until = page.value('solar_login_blocked_until_timestamp_seconds') ?? 0;
    expect(until).toBe((Date.parse(NOW) + 276 * MINUTE_MS) / SECOND_MS);
  });

  test('renews fresh tokens that are refused ever less often', async () => {
    const script = tokenService({ accessTokenWillExpiredInMillis: 20 * DAY_MS });
    const house = await open({ ...script, stations: REFUSED }, ACCOUNT);
    await live(house, minutesUntil(156));
    const [login, ...refreshes] = house.renewals();
    expect(login).toBe('login');
    expect(new Set(refreshes)).toEqual(new Set(['refresh']));
    expect(house.times('refresh', MINUTE_MS)).toEqual(LADDER_MINUTES);
  });

  test('leaves a service that fails alone for 1 s, 2 s and so on, and as long as it asks', async () => {
    const failing = await open({ login: { status: 500 } }, ACCOUNT);
    await live(failing, SECONDS, SECOND_MS);
    expect(failing.times('login', SECOND_MS)).toEqual([0, 1, 3, 7, 15, 31]);
    const limiting = await open(
      { login: { status: 429, headers: { 'retry-after': '30' } } },
      ACCOUNT,
    );
    await live(limiting, SECONDS, SECOND_MS);
    expect(limiting.times('login', SECOND_MS)).toEqual([0, 30]);
  });

  test('begins with the first pause again once it was let in', async () => {
    const house = await open({ login: failed(7) }, ACCOUNT);
    await live(house, [0, 1]);
    house.answers.login = tokenService().login;
    await live(house, [5]);
    house.answers.login = failed(7);
    house.answers.refresh = failed(7);
    await live(
      house,
      minutesUntil(46).map((minute) => 130 + minute),
    );
    const [first = 0, ...others] = house.times('login', MINUTE_MS).slice(3);
    expect(others.map((minute) => minute - first)).toEqual([1, 6, 36]);
  });

  test('goes on with the tokens that it has', async () => {
    const house = await open({}, ACCOUNT);
    await live(house, [0, 30, 60, 110, 115, 170]);
    expect(house.renewals()).toEqual(['login', 'refresh']);
    expect(house.asked('refresh')[0]?.body['refreshToken']).toBe('refresh-1');
  });
});

test('a token alone that is refused is sent 15 times a day, and works again once it is taken', async () => {
  const house = await openSession({ stations: REFUSED }, TOKEN);
  for (const minute of minutesUntil(24 * 60 - 1)) {
    house.clock.advance(Date.parse(NOW) + minute * MINUTE_MS - house.clock.nowMs());
    await house.scrape();
  }
  expect(house.requests).toHaveLength(15);
  house.answers.stations = { data: { list: [{ id: '3' }] } };
  const page = await house.scrapeAfter(2 * HOUR_MS);
  expect(page.value('solar_reauthentication_required')).toBe(0);
  expect(page.value('solar_up')).toBe(1);
});

test('a pair whose refresh token is dead works for as long as its access token is taken', async () => {
  const { scrape, lastToken } = await openSession({ refresh: REFUSED }, PAIR);
  const page = await scrape();
  expect(page.value('solar_up')).toBe(1);
  expect(page.value('solar_pv_power_watts')).toBe(1200);
  expect(lastToken()).toBe('given');
});

describe.each([
  { what: 'an hour', aheadMs: HOUR_MS, renewedAfterMs: LIFETIME_MS - LEAD_MS + HOUR_MS },
  { what: 'a day', aheadMs: DAY_MS, renewedAfterMs: LIFETIME_MS - LEAD_MS },
  { what: '81 years', aheadMs: 81 * 365 * DAY_MS, renewedAfterMs: LIFETIME_MS - LEAD_MS },
])('tokens that came when the clock was ahead by $what', ({ aheadMs, renewedAfterMs }) => {
  test.each([false, true])(
    'are renewed in time once it is set right (restarted: %s)',
    async (isRestarted) => {
      const flags = { 'state.dir': stateDirectory() };
      const house = await openSession({}, ACCOUNT, { flags, machineAheadMs: aheadMs });
      await house.scrape();
      house.misset(-aheadMs);
      if (isRestarted) await house.restart();
      const renewed = (): number => house.renewals().length;
      await house.scrape();
      expect(renewed()).toBe(1);
      await house.scrapeAfter(renewedAfterMs - 1);
      expect(renewed()).toBe(1);
      await house.scrapeAfter(1);
      expect(house.renewals()).toEqual(['login', 'refresh']);
    },
  );
});

test('pauses end on a machine that starts in 1970 each time and learns the time later', async () => {
  const flags = { 'state.dir': stateDirectory() };
  const house = await openSession({ login: failed(7) }, ACCOUNT, { flags });
  const since1970Ms = Date.parse(NOW);
  for (let boot = 0; boot < 20; boot += 1) {
    house.misset(-since1970Ms);
    await house.restart();
    await house.scrape();
    house.clock.advance(MINUTE_MS);
    house.misset(since1970Ms);
    await house.scrape();
    house.clock.advance(4 * MINUTE_MS);
  }
  // Of 100 minutes: 0, 1, 6, 36, and what the first boot spent in 1970.
  expect(house.asked('login').length).toBeLessThanOrEqual(5);
  expect(house.asked('login').length).toBeGreaterThanOrEqual(3);
});

describe('a session that was kept', () => {
  const keep = async () => {
    const directory = stateDirectory();
    const house = await openSession({}, ACCOUNT, { flags: { 'state.dir': directory } });
    await house.scrape();
    return { ...house, file: join(directory, 'session.json') };
  };

  test.each([
    ['the password', { SOLAR_PASSWORD: 'other' }],
    ['the account', { SOLAR_ACCOUNT: 'other@example.org' }],
    ['the application', { SOLAR_APP_ID: 'other', SOLAR_APP_SECRET: 'other' }],
  ])('is not used once %s is another, and the log says so', async (_what, change) => {
    const directory = stateDirectory();
    const flags = { 'state.dir': directory };
    const first = await openSession({}, ACCOUNT, { flags });
    await first.scrape();
    await first.stop();
    const { scrape, renewals, log } = await openSession(
      {},
      { ...ACCOUNT, ...change },
      { flags: { ...flags, 'base-url': first.serviceUrl } },
    );
    await scrape();
    expect(renewals()).toEqual([]);
    expect(first.renewals()).toEqual(['login', 'login']);
    expect(log.messages('info')).toContain(
      'the saved session belongs to other credentials and is not used',
    );
  });

  test.each(['', 'nonsense', '{"version":2}'])(
    'and is now %j is set aside, with a warning',
    async (text) => {
      const { file, restart, scrape, renewals, log } = await keep();
      writeFileSync(file, text);
      await restart();
      expect((await scrape()).value('solar_up')).toBe(1);
      expect(renewals()).toEqual(['login', 'login']);
      expect(log.messages('warn')).toContain('the saved session cannot be used and was set aside');
    },
  );

  test('is written though the exporter is stopped while a refresh is under way, and holds no password', async () => {
    const directory = stateDirectory();
    const house = await openSession({}, ACCOUNT, { flags: { 'state.dir': directory } });
    await house.scrape();
    const asked = deferred<undefined>();
    const answered = deferred<undefined>();
    const { refresh } = tokenService();
    house.answers.refresh = async (request) => {
      asked.resolve(undefined);
      await answered.promise;
      return typeof refresh === 'function' ? refresh(request) : { data: {} };
    };
    const scraped = house.scrapeAfter(LIFETIME_MS - LEAD_MS);
    await asked.promise;
    const stopped = house.stop();
    answered.resolve(undefined);
    await Promise.all([scraped, stopped]);
    expect(readdirSync(directory)).toEqual(['session.json']);
    for (const name of readdirSync(directory)) {
      const kept = readFileSync(join(directory, name), 'utf8');
      for (const secret of [
        ACCOUNT.SOLAR_ACCOUNT,
        ACCOUNT.SOLAR_PASSWORD,
        ACCOUNT.SOLAR_APP_SECRET,
      ])
        expect(kept).not.toContain(secret);
    }
    await house.restart();
    expect((await house.scrape()).value('solar_up')).toBe(1);
    expect(house.renewals()).toEqual(['login', 'refresh']);
  });
});
