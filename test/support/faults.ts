import { expect } from 'vitest';
import type { ServiceErrorCode } from '../../src/base/errors.ts';
import { isRetryable } from '../../src/client/exchange/retry.ts';
import type { Endpoint, Family } from '../../src/simulator/simulator.ts';
import type { Fault, Simulator } from './faulty-simulator.ts';
import { MINUTE_MS, type ScrapedPage, SECOND_MS, startBoth } from '../doors/house.ts';

/** When the faults begin: a day after the simulated plants were installed, and in the morning: there is little to count. */
export const FAULTS_NOW = '2024-01-02T01:00:00Z';

export interface FaultCase {
  readonly name: string;
  readonly fault: Fault;
  /** The outcome that the page counts. */
  readonly code: ServiceErrorCode;
  /** Where a log-in reads it differently from the rest. */
  readonly codeAtLogin?: ServiceErrorCode;
  /** How often it is met in ten minutes, at most, where the service asks for a pause itself. */
  readonly mostRequests?: number;
  /** How long after the start it is asked again, where the service asks for a pause itself. */
  readonly firstPauseMs?: number;
}

const INVALID = 'SERVICE_PAYLOAD_INVALID';
const UNAUTHORIZED = 'SERVICE_AUTH_REJECTED';
const BLOCKED = 'SERVICE_BLOCKED';
const REJECTED = 'SERVICE_REQUEST_REJECTED';
const LIMITED = 'SERVICE_RATE_LIMITED';
const REFUSED = 'SERVICE_API_REFUSED';
const TIMEOUT = 'SERVICE_TIMEOUT';
/** Refused, but not known to be about the credentials. */
const NO_LOGIN = { codeAtLogin: UNAUTHORIZED } as const;

const reply = (answer: object): Fault => ({ kind: 'reply', ...answer });
const withData = (data: unknown) => reply({ body: { code: 0, message: 'Success', data } });

const met = (
  name: string,
  fault: Fault,
  code: ServiceErrorCode,
  more: Partial<FaultCase> = {},
): FaultCase => ({ name, fault, code, ...more });
const FOR_A_MINUTE = { mostRequests: 10, firstPauseMs: MINUTE_MS };

/** A fault of each outcome and of each way to it; what is read from an answer, doors/transport.test.ts holds. */
export const FAULTS: readonly FaultCase[] = [
  met('status 502', reply({ status: 502, body: '<h1>Bad Gateway</h1>' }), 'SERVICE_SERVER_ERROR'),
  met('status 404', reply({ status: 404 }), REJECTED),
  met('status 401', reply({ status: 401 }), UNAUTHORIZED),
  met('status 429', reply({ status: 429 }), LIMITED),
  met(
    '429 for a minute',
    reply({ status: 429, headers: { 'retry-after': '60' } }),
    LIMITED,
    FOR_A_MINUTE,
  ),
  met('a web page', reply({ body: '<p>Back soon.</p>' }), BLOCKED),
  met('broken JSON', reply({ body: '{"code":0,"message":"Success","data":{"lis' }), INVALID),
  met('code 20101', reply({ body: { code: 20_101, message: 'no' } }), REFUSED, NO_LOGIN),
  // The code of an expired token, which the specification would say with status 401.
  met('code 9', reply({ body: { code: 9, message: 'no' } }), UNAUTHORIZED),
  met('success without data', withData(null), INVALID, NO_LOGIN),
  met('success with a list for data', withData([]), INVALID, NO_LOGIN),
  met('half an answer', { kind: 'reset' }, 'SERVICE_UNREACHABLE'),
  met('silence', { kind: 'hang' }, TIMEOUT),
  met('too much', withData('x'.repeat(9_000_000)), INVALID),
];

/** How one endpoint is made to be asked again and again, and what is lost without it. */
export interface EndpointPlan {
  readonly endpoint: Endpoint;
  /** The family whose devices have it asked; the others do without. */
  readonly family?: Family;
  /** Whatever makes it due every minute. */
  readonly flags: Readonly<Record<string, string>>;
  /** What has to happen before an exporter at work asks it at all. */
  readonly strike?: (simulator: Simulator) => void;
  /** The collector whose success says so. */
  readonly collector: string;
  /** Of what the endpoint brings, one metric; absent for one that brings none. */
  readonly metric?: string;
  /** Faults, by name, that the endpoint takes for an honest answer: that there is nothing. */
  readonly honestAnswers?: readonly string[];
}

function live(endpoint: Endpoint, more: Partial<EndpointPlan> = {}): EndpointPlan {
  const flags = { 'cache.readings-ttl': '1m' };
  return { endpoint, flags, collector: 'readings', metric: 'solar_pv_power_watts', ...more };
}

function kept(endpoint: Endpoint, metric: string, ttl: string, lasts = '1m'): EndpointPlan {
  return { endpoint, flags: { [ttl]: lasts }, collector: endpoint, metric };
}

const NOTHING = ['success without data'];
const SUMMARY = 'cache.summary-ttl';
/** Stations and devices live equally long. */
const LISTS = 'cache.devices-ttl';

/** Everything that an exporter at work asks; what only a command asks, or only a first look, is below. */
export const ENDPOINT_PLANS: readonly EndpointPlan[] = [
  live('login', {
    // A session that works needs no login: take it away.
    strike: (simulator) => {
      simulator.revokeTokens();
      simulator.revokeRefreshTokens();
    },
  }),
  live('refresh', { strike: (simulator) => simulator.revokeTokens() }),
  { endpoint: 'stations', flags: { [LISTS]: '1m' }, collector: 'stations' },
  kept('devices', 'solar_device_online', LISTS),
  // The energy counters ask it as well: not while it is struck, so that one collector is lost.
  live('readings', { flags: { 'cache.readings-ttl': '1m', [SUMMARY]: '1h' } }),
  live('latest-state', { family: 'hpvinv02', honestAnswers: NOTHING }),
  live('energy-flow', { family: 'uwb1', honestAnswers: NOTHING }),
  kept('summary', 'solar_month_pv_generated_kwh', SUMMARY),
  kept('summary-days', 'solar_energy_today_kwh', SUMMARY),
  // A twelfth as often as the other summaries.
  kept('summary-years', 'solar_energy_year_kwh', SUMMARY, '5s'),
  kept('alarms', 'solar_device_alarm_firing', 'cache.alarms-ttl'),
  {
    ...kept('settings-get', 'solar_device_setting_info', 'cache.settings-ttl'),
    collector: 'settings',
    honestAnswers: [...NOTHING, 'success with a list for data'],
  },
];

/** What the matrix has no column for, and why. */
export const NOT_REACHED: Readonly<Record<string, string>> = {
  attributes: 'asked while a device is learnt: long/faults.test.ts',
  'settings-set': 'asked by the command `settings` alone, never by a scrape',
  'settings-read': 'asked by the command `settings` alone, never by a scrape',
  'settings-read-details': 'asked by the command `settings` alone, never by a scrape',
};

/**
 * Meets a fault that is counted with this code. Silence is waited for in real time, and on a busy machine the
 * honest endpoints may be late as well: then it is met again with more patience, and only the last time fails.
 */
export async function meetPatiently(
  code: ServiceErrorCode,
  meet: (flags: Readonly<Record<string, string>>) => Promise<void>,
): Promise<void> {
  if (code !== TIMEOUT) return meet({});
  const meetFor = (timeout: string) => () => meet({ 'request.timeout': timeout });
  return meetFor('1s')().catch(meetFor('4s')).catch(meetFor('16s'));
}

/** The outcome that the page counts where this endpoint is struck. */
function codeAt(endpoint: Endpoint, { code, codeAtLogin = code }: FaultCase): ServiceErrorCode {
  return endpoint === 'login' || endpoint === 'refresh' ? codeAtLogin : code;
}

/** Whether the service answered and gave no token, which is what makes the pauses between log-ins long. */
function isRefusedLogin(endpoint: Endpoint, faulty: FaultCase): boolean {
  const code = codeAt(endpoint, faulty);
  return endpoint === 'login' && [UNAUTHORIZED, BLOCKED, INVALID, REJECTED].includes(code);
}

/** Whether the endpoint has nothing against such an answer. */
function isHonest({ honestAnswers = [] }: EndpointPlan, { name }: FaultCase): boolean {
  return honestAnswers.includes(name);
}

/** When a device is read from elsewhere whose own place refuses: it is learnt anew after ten minutes. */
const READ_ELSEWHERE_MS = 540 * SECOND_MS;

/** A device is learnt with one question more in each reading: once elsewhere, and once at its better place. */
const LEARNT_MS = 2 * MINUTE_MS;

function isReadElsewhere({ endpoint, family }: EndpointPlan, faulty: FaultCase): boolean {
  // A refused token, too, is the affair of the endpoint that refuses a fresh one.
  const code = codeAt(endpoint, faulty);
  return family !== undefined && (!isRetryable(code) || code === UNAUTHORIZED);
}

/** How soon a refresh that failed is tried again: then a log-in follows whatever the failure is. */
const TRIED_AGAIN_MS = 15 * SECOND_MS;

/** Whether a log-in follows at once. */
function isGotOver(code: ServiceErrorCode): boolean {
  return !isRetryable(code) || code === BLOCKED;
}

/** What is lost so long after a fault began: every collector, the one concerned, or none. */
function lossAt(plan: EndpointPlan, faulty: FaultCase, passedMs: number): 'all' | 'one' | 'none' {
  if (isHonest(plan, faulty)) return 'none';
  if (plan.endpoint === 'login') return 'all';
  // Whoever may log in gets over a refused refresh at once, and over any other the next time.
  if (plan.endpoint === 'refresh') {
    const isTriedAgain = passedMs >= (faulty.firstPauseMs ?? TRIED_AGAIN_MS);
    return isTriedAgain || isGotOver(codeAt(plan.endpoint, faulty)) ? 'none' : 'all';
  }
  return passedMs >= READ_ELSEWHERE_MS && isReadElsewhere(plan, faulty) ? 'none' : 'one';
}

/** How often the scrapes below find the pause over: pauses that double from a second to a minute. */
const BACKED_OFF = 13;
/** After refusals, the pauses are 1, 5 and 30 minutes, or 1, 2, 4 and 8: at the beginning, at 1, 3 and 7 minutes. */
const REFUSALS = 4;

/** How many requests the pauses allow while the fault lasts, at most. */
function allowedRequests(plan: EndpointPlan, faulty: FaultCase): number {
  const code = codeAt(plan.endpoint, faulty);
  if (code === TIMEOUT) return SLOW.scrapesAtMs.length - 1;
  if (isHonest(plan, faulty)) return USUAL.lengthMs / MINUTE_MS;
  if (isRefusedLogin(plan.endpoint, faulty)) return REFUSALS;
  // The two forms of its body, once, or once more.
  if (plan.endpoint === 'refresh') return isGotOver(code) ? 2 : 4;
  // A refused token is replaced and the question repeated, as often as the breaker lets that happen.
  return code === UNAUTHORIZED ? BACKED_OFF + REFUSALS : (faulty.mostRequests ?? BACKED_OFF);
}

/** The longest that it takes to recover. */
function longestRecoveryMs(plan: EndpointPlan, faulty: FaultCase): number {
  // Read from elsewhere meanwhile, and the better place is looked for again.
  const isLearntAgain = plan.family !== undefined && isHonest(plan, faulty);
  if (isLearntAgain || isReadElsewhere(plan, faulty)) return READ_ELSEWHERE_MS + LEARNT_MS;
  if (lossAt(plan, faulty, 0) === 'none') return isHonest(plan, faulty) ? MINUTE_MS : 0;
  return isRefusedLogin(plan.endpoint, faulty) ? 26 * MINUTE_MS : MINUTE_MS;
}

/** When the page is asked for: often while the back-off is short, and then as often as it lets anything be asked. */
const USUAL = {
  lengthMs: 10 * MINUTE_MS,
  scrapesAtMs: [0, 15, 30, 45, 60, 90, 120, 180, 240, 300, 360, 420, 480, 540, 570].map(
    (seconds) => seconds * SECOND_MS,
  ),
};
/** A scrape that asks waits in earnest; the last one comes too soon to ask. */
const SLOW = {
  lengthMs: 5 * MINUTE_MS,
  scrapesAtMs: [0, 60, 120, 180, 240, 250].map((seconds) => seconds * SECOND_MS),
};

/** What is not struck is asked now and then; what is, has to go after at most five minutes. */
const LIVES = {
  'cache.readings-ttl': '3m',
  'cache.summary-ttl': '5m',
  'cache.devices-ttl': '5m',
  'cache.alarms-ttl': '5m',
  'cache.settings-ttl': '5m',
  'cache.max-age': '3m',
  'collect.settings': 'true',
};
const RECOVERY_STEP_MS = 30 * SECOND_MS;
const WITHDRAWN_AFTER_MS = 4 * MINUTE_MS;

/** Lets an exporter at work meet a fault, keeps scraping, ends it, and waits for the recovery. */
export function meetFault(plan: EndpointPlan, faulty: FaultCase): Promise<void> {
  const { endpoint, family, metric } = plan;
  const code = codeAt(endpoint, faulty);
  return meetPatiently(code, async (patience) => {
    const { simulator, clock, scrape, scrapeAfter, deviceId } = await startBoth({
      now: FAULTS_NOW,
      simulator: { sampleIntervalMs: MINUTE_MS, ...(family && { family }) },
      flags: { ...LIVES, ...plan.flags, ...patience },
    });
    simulator.setAlarms(deviceId, [{ key: 'lineLoss', level: 2 }]);
    const healthy = await scrape();
    expect(healthy.value('solar_up')).toBe(1);
    expect(lost(healthy)).toEqual([]);
    // What was fetched at the start is due again.
    clock.advance(MINUTE_MS);
    simulator.setFault(endpoint, faulty.fault);
    plan.strike?.(simulator);
    const askedBefore = simulator.requests(endpoint);

    const { scrapesAtMs, lengthMs } = code === TIMEOUT ? SLOW : USUAL;
    const beganAtMs = clock.nowMs();
    for (const passedMs of scrapesAtMs) {
      const page = await scrapeAfter(beganAtMs + passedMs - clock.nowMs());
      expectPage(page, healthy, { plan, faulty, passedMs });
    }
    clock.advance(beganAtMs + lengthMs - clock.nowMs());
    const where = `${endpoint}, ${faulty.name}`;
    const requests = simulator.requests(endpoint) - askedBefore;
    expect(requests, where).toBeLessThanOrEqual(allowedRequests(plan, faulty));

    simulator.setFault(endpoint, undefined);
    const latestAtMs = clock.nowMs() + longestRecoveryMs(plan, faulty);
    const countOf = (page: ScrapedPage) => metric && page.all(metric).length;
    let page = await scrape();
    while (lost(page).length > 0 || countOf(page) !== countOf(healthy)) {
      expect(clock.nowMs(), `${where}: recovered`).toBeLessThan(latestAtMs);
      page = await scrapeAfter(Math.min(RECOVERY_STEP_MS, latestAtMs - clock.nowMs()));
    }
    expect(page.value('solar_up'), where).toBe(1);
    expect(page.value('solar_reauthentication_required'), where).toBe(0);
    expect(page.all('solar_collector_success')).toEqual(healthy.all('solar_collector_success'));
  });
}

/** Expects what a page says so long after the fault began. */
function expectPage(
  page: ScrapedPage,
  healthy: ScrapedPage,
  {
    plan,
    faulty,
    passedMs,
  }: { readonly plan: EndpointPlan; readonly faulty: FaultCase; readonly passedMs: number },
): void {
  const { endpoint, collector, metric } = plan;
  const at = `${endpoint}, ${faulty.name}, ${passedMs / SECOND_MS} s after the fault began`;
  const loss = lossAt(plan, faulty, passedMs);
  expect(page.status, at).toBe(200);
  expect(page.text, at).not.toMatch(/ NaN$/m);
  const isUp = loss === 'none' || (loss === 'one' && collector !== 'readings');
  expect(
    page.all('solar_up').map(({ value }) => value),
    at,
  ).toEqual([Number(isUp)]);
  if (loss === 'all') expect(lost(page), at).toContain(collector);
  else expect(lost(page), at).toEqual(loss === 'one' ? [collector] : []);
  if (isHonest(plan, faulty)) {
    const failed = page
      .all('solar_api_requests_total')
      .filter(({ labels }) => labels['operation'] === endpoint && labels['outcome'] !== 'ok');
    expect(failed, at).toEqual([]);
    // A device that sends nothing in two readings in a row is learnt again, and may be read from elsewhere then.
    const isLearntAgain = plan.family !== undefined && passedMs >= MINUTE_MS;
    if (metric !== undefined && !isLearntAgain) expect(page.all(metric), at).toEqual([]);
    return;
  }
  expect(page.requests(endpoint, codeAt(endpoint, faulty)), at).toBeGreaterThanOrEqual(1);
  if (loss === 'none') return;
  const isWithdrawn = passedMs >= WITHDRAWN_AFTER_MS;
  if (isWithdrawn) expect(page.all('solar_device_reporting'), at).toHaveLength(Number(isUp));
  if (metric === undefined) return;
  if (passedMs === 0) expect(page.value(metric), at).toBe(healthy.value(metric));
  if (isWithdrawn) expect(page.all(metric), at).toEqual([]);
}

/** The collectors whose last round failed. */
function lost(page: ScrapedPage): readonly string[] {
  const failed = page.all('solar_collector_success').filter(({ value }) => value === 0);
  return failed.map(({ labels }) => labels['collector'] ?? '');
}

/** How far an exporter gets whose first question to an endpoint fails: stations, their readings, their summary. */
const REACHED: Readonly<Partial<Record<Endpoint, readonly [number, number, number]>>> = {
  login: [0, 0, 0],
  stations: [0, 0, 0],
  devices: [1, 0, 1],
  readings: [1, 0, 1],
  summary: [1, 1, 0],
};

/** The endpoints without which an exporter cannot begin. */
export const FIRST_ASKED = Object.keys(REACHED) as readonly Endpoint[];

/** Lets an exporter meet a fault at its first scrape, ends it, and expects the recovery when it is due. */
export function startWithFault(endpoint: Endpoint, faulty: FaultCase): Promise<void> {
  const code = codeAt(endpoint, faulty);
  return meetPatiently(code, async (flags) => {
    const [station, readings, summary] = REACHED[endpoint] ?? [];
    const both = await startBoth({ now: FAULTS_NOW, flags });
    const { simulator, scrape, scrapeAfter, stationId } = both;
    simulator.setFault(endpoint, faulty.fault);
    const broken = await scrape();
    const at = `${endpoint}, ${faulty.name}`;
    expect(broken.status, at).toBe(200);
    expect(broken.requests(endpoint, code), at).toBeGreaterThanOrEqual(1);
    expect(broken.requests(endpoint, 'ok'), at).toBe(0);
    const labels = station === 1 ? { station_id: stationId } : {};
    expect(broken.all('solar_up'), at).toEqual([{ name: 'solar_up', labels, value: readings }]);
    expect(broken.all('solar_pv_power_watts'), at).toHaveLength(readings ?? NaN);
    expect(broken.all('solar_month_pv_generated_kwh'), at).toHaveLength(summary ?? NaN);

    simulator.setFault(endpoint, undefined);
    // As long as the service asks for, or else the first pause after a refusal, and after a failure.
    const ownPauseMs = isRefusedLogin(endpoint, faulty) ? MINUTE_MS : SECOND_MS;
    const repaired = await scrapeAfter(faulty.firstPauseMs ?? ownPauseMs);
    expect(repaired.value('solar_up', { station_id: stationId }), at).toBe(1);
    expect(repaired.value('solar_pv_power_watts'), at).toBeGreaterThan(0);
    expect(repaired.value('solar_month_pv_generated_kwh'), at).toBeGreaterThan(0);
    expect(repaired.value('solar_reauthentication_required'), at).toBe(0);
  });
}
