import { expect } from 'vitest';
import type { ServiceErrorCode } from '../../src/base/errors.ts';
import { backOffMs, isRetryable } from '../../src/client/exchange/retry.ts';
import type { Endpoint, Family, Fault, Simulator } from '../../src/simulator/simulator.ts';
import { HOUR_MS, MINUTE_MS, type ScrapedPage, SECOND_MS, startBoth } from '../doors/house.ts';

/** When the faults begin: days after the simulated plants were installed, so that there is little energy to sum up. */
export const FAULTS_NOW = '2024-01-02T04:00:00Z';
const ASKED_UNTIL = 'Tue, 02 Jan 2024 04:03:00 GMT';

export interface FaultCase {
  readonly name: string;
  readonly fault: Fault;
  /** The outcome that the page counts. */
  readonly code: ServiceErrorCode;
  /** Where a log-in reads it differently. */
  readonly codeAtLogin?: ServiceErrorCode;
  /** How long the service asks to stay away, every time; absent where it does not. */
  readonly askedPauseMs?: number;
  /** Until when it asks to stay away; absent where it does not, or not by a date. */
  readonly askedUntilAtMs?: number;
}

const INVALID = 'SERVICE_PAYLOAD_INVALID';

/** Every kind there is: a new one does not compile until it is decided here. */
const KINDS: Readonly<Record<Fault['kind'], readonly FaultCase[]>> = {
  status: [
    status(502, 'SERVICE_SERVER_ERROR', { body: '<h1>Bad Gateway</h1>' }),
    status(404, 'SERVICE_REQUEST_REJECTED'),
    status(401, 'SERVICE_AUTH_REJECTED'),
    status(429, 'SERVICE_RATE_LIMITED'),
    asked('for a minute', '60', { askedPauseMs: MINUTE_MS }),
    asked('until a date', ASKED_UNTIL, { askedUntilAtMs: Date.parse(ASKED_UNTIL) }),
    asked('until long ago', 'Thu, 01 Jan 1970 00:00:00 GMT'),
  ],
  html: [{ name: 'a web page', fault: { kind: 'html' }, code: INVALID }],
  truncated: [{ name: 'broken JSON', fault: { kind: 'truncated' }, code: INVALID }],
  array: [{ name: 'an array', fault: { kind: 'array' }, code: INVALID }],
  oversize: [{ name: 'too much', fault: { kind: 'oversize', bytes: 20_000_000 }, code: INVALID }],
  'gzip-bomb': [{ name: 'a gzip bomb', fault: { kind: 'gzip-bomb' }, code: INVALID }],
  redirect: [{ name: 'a redirect', fault: { kind: 'redirect' }, code: 'SERVICE_REQUEST_REJECTED' }],
  empty: [{ name: 'nothing', fault: { kind: 'empty' }, code: INVALID }],
  envelope: [
    envelope(20_101, 'SERVICE_API_REFUSED'),
    envelope('500', 'SERVICE_API_REFUSED'),
    // The code of an expired token, which the interface would say with status 401.
    envelope(9, 'SERVICE_AUTH_REJECTED'),
  ],
  'data-null': [wrongData('success without data', { kind: 'data-null' })],
  data: [
    wrongData('success with text for data', { kind: 'data', data: 'none' }),
    wrongData('success with a list for data', { kind: 'data', data: [] }),
  ],
  // What an honest answer can be turned into is a subject of its own: long/altered-answers.test.ts.
  altered: [],
  reset: [{ name: 'half an answer', fault: { kind: 'reset' }, code: 'SERVICE_UNREACHABLE' }],
  refuse: [{ name: 'a closed door', fault: { kind: 'refuse' }, code: 'SERVICE_UNREACHABLE' }],
  hang: [{ name: 'silence', fault: { kind: 'hang' }, code: 'SERVICE_TIMEOUT' }],
  drip: [
    {
      name: 'a byte at a time',
      // So slow that even the most patient exporter gives up.
      fault: { kind: 'drip', intervalMs: 1000 },
      code: 'SERVICE_TIMEOUT',
    },
  ],
};

/** Every fault, wherever it strikes. */
export const FAULTS: readonly FaultCase[] = Object.values(KINDS).flat();

/** The outcome that the page counts where this endpoint is struck. */
function codeAt(endpoint: Endpoint, { code, codeAtLogin = code }: FaultCase): ServiceErrorCode {
  return endpoint === 'login' || endpoint === 'refresh' ? codeAtLogin : code;
}

/** Whether the service refused, which is what makes the pauses between log-ins long. */
function isRefusal(code: ServiceErrorCode): boolean {
  return code === 'SERVICE_AUTH_REJECTED' || code === 'SERVICE_API_REFUSED';
}

function status(
  code: number,
  outcome: ServiceErrorCode,
  more: { readonly headers?: Readonly<Record<string, string>>; readonly body?: string } = {},
): FaultCase {
  const fault = { kind: 'status', status: code, ...more } as const;
  return { name: `status ${code}`, fault, code: outcome };
}

function asked(howLong: string, retryAfter: string, pause: Partial<FaultCase> = {}): FaultCase {
  const headers = { 'retry-after': retryAfter };
  const faulty = status(429, 'SERVICE_RATE_LIMITED', { headers });
  return { ...faulty, ...pause, name: `status 429 ${howLong}` };
}

function wrongData(name: string, fault: Fault): FaultCase {
  return { name, fault, code: INVALID, codeAtLogin: 'SERVICE_AUTH_REJECTED' };
}

function envelope(code: number | string, outcome: ServiceErrorCode): FaultCase {
  const fault = { kind: 'envelope', code, message: 'no' } as const;
  return { name: `code ${code}`, fault, code: outcome };
}

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
  readonly isUp: boolean;
  /** Faults, by name, that the endpoint takes for an honest answer: that there is nothing. */
  readonly honestAnswers?: readonly string[];
}

const LIVE = { metric: 'solar_pv_power_watts', collector: 'readings', isUp: false } as const;
const READ_OFTEN = { 'cache.readings-ttl': '1m' };
/** Stations and devices live equally long. */
const LISTED_OFTEN = { 'cache.devices-ttl': '1m' };

/** Everything that an exporter at work asks; what only a command asks, or only a first look, is below. */
export const ENDPOINT_PLANS: readonly EndpointPlan[] = [
  {
    ...LIVE,
    endpoint: 'login',
    flags: READ_OFTEN,
    // A session that works needs no login: take it away.
    strike: (simulator) => {
      simulator.revokeTokens();
      simulator.revokeRefreshTokens();
    },
  },
  {
    ...LIVE,
    endpoint: 'refresh',
    flags: READ_OFTEN,
    strike: (simulator) => simulator.revokeTokens(),
  },
  { endpoint: 'stations', flags: LISTED_OFTEN, collector: 'stations', isUp: true },
  {
    endpoint: 'devices',
    flags: LISTED_OFTEN,
    collector: 'devices',
    metric: 'solar_device_info',
    isUp: true,
  },
  // The energy counters ask it as well: not while it is struck, so that one collector is lost.
  { ...LIVE, endpoint: 'readings', flags: { ...READ_OFTEN, 'cache.summary-ttl': '1h' } },
  {
    ...LIVE,
    endpoint: 'latest-state',
    family: 'hpvinv02',
    flags: READ_OFTEN,
    honestAnswers: ['success without data'],
  },
  {
    ...LIVE,
    endpoint: 'energy-flow',
    family: 'uwb1',
    flags: READ_OFTEN,
    honestAnswers: ['success without data'],
  },
  {
    endpoint: 'summary',
    flags: { 'cache.summary-ttl': '1m' },
    collector: 'summary',
    metric: 'solar_month_pv_generated_kwh',
    isUp: true,
  },
  {
    endpoint: 'summary-days',
    flags: { 'cache.summary-ttl': '1m' },
    collector: 'summary-days',
    metric: 'solar_energy_today_kwh',
    isUp: true,
  },
  {
    endpoint: 'summary-years',
    // A quarter as often as the other summaries.
    flags: { 'cache.summary-ttl': '15s' },
    collector: 'summary-years',
    metric: 'solar_energy_year_kwh',
    isUp: true,
  },
  {
    endpoint: 'alarms',
    flags: { 'cache.alarms-ttl': '1m' },
    collector: 'alarms',
    metric: 'solar_device_alarm_firing',
    isUp: true,
  },
  {
    endpoint: 'settings-get',
    flags: { 'cache.settings-ttl': '1m' },
    collector: 'settings',
    metric: 'solar_device_setting_info',
    isUp: true,
    honestAnswers: ['success without data', 'success with a list for data'],
  },
];

/** What the matrix has no column for, and why. */
export const NOT_REACHED: Readonly<Partial<Record<Endpoint, string>>> = {
  'device-details': 'asked of a device that has left the list alone: doors/inventory.test.ts',
  attributes: 'asked while a device is learnt: long/faults.test.ts',
  'settings-set': 'asked by the command `settings` alone, never by a scrape',
  'settings-read': 'asked by the command `settings` alone, never by a scrape',
  'settings-read-details': 'asked by the command `settings` alone, never by a scrape',
};

/** Flags that say how long an exporter waits for a silent service, which is real time. */
type Patience = Readonly<Record<string, string>>;

const PATIENCES: readonly Patience[] = ['1s', '4s', '16s'].map((timeout) => ({
  'request.timeout': timeout,
}));

/**
 * Meets a service of which one endpoint is silent. On a busy machine the honest endpoints may be late as
 * well: then it is met again with more patience, and only the most patient meeting fails.
 */
async function withPatience<T>(meet: (patience: Patience) => Promise<T>): Promise<T> {
  let failure: unknown;
  for (const patience of PATIENCES)
    try {
      return await meet(patience);
    } catch (error) {
      failure = error;
    }
  throw failure;
}

/** Meets a fault that is counted with this code; only where it is silence, patience grows. */
export function meetPatiently<T>(
  code: ServiceErrorCode,
  meet: (flags: Patience) => Promise<T>,
): Promise<T> {
  return code === 'SERVICE_TIMEOUT' ? withPatience(meet) : meet({});
}

/** How long a fault lasts, and when the page is asked for meanwhile. */
interface FaultWindow {
  readonly lengthMs: number;
  /** Counted from the beginning of the fault. */
  readonly scrapesAtMs: readonly number[];
}

/** Often while the back-off is short, and then twice as often as it lets anything be asked. */
const WINDOW: FaultWindow = {
  lengthMs: 10 * MINUTE_MS,
  scrapesAtMs: [
    ...steps(0, 3 * MINUTE_MS, 15 * SECOND_MS),
    ...steps(3 * MINUTE_MS, 10 * MINUTE_MS, 30 * SECOND_MS),
  ],
};

/** A scrape that asks waits in earnest; the last one comes too soon to ask. */
const SLOW_WINDOW: FaultWindow = {
  lengthMs: 5 * MINUTE_MS,
  scrapesAtMs: [...steps(0, 5 * MINUTE_MS, MINUTE_MS), 4 * MINUTE_MS + 10 * SECOND_MS],
};

/** A fault begins when what was fetched at the start is due again. */
const STRUCK_AFTER_MS = MINUTE_MS;
const BREAKER_MS = [MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS];
/** A device whose place refuses what it used to answer is learnt anew, so long after it was last learnt. */
const LEARNT_FOR_MS = 10 * MINUTE_MS;

/** What goes down with an endpoint: every collector, the one concerned, or none. */
type Loss = 'all' | 'one' | 'none';

/** How long a fault is met for. */
function windowOf({ code }: FaultCase): FaultWindow {
  return code === 'SERVICE_TIMEOUT' ? SLOW_WINDOW : WINDOW;
}

/** What is lost so long after a fault began. */
function lossAt(plan: EndpointPlan, faulty: FaultCase, passedMs: number): Loss {
  const { endpoint } = plan;
  const code = codeAt(endpoint, faulty);
  if (isHonest(plan, faulty)) return 'none';
  if (endpoint === 'login') return 'all';
  // Whoever may log in gets over a refused refresh at once.
  if (endpoint === 'refresh') return isRetryable(code) ? 'all' : 'none';
  return passedMs >= readElsewhereAtMs(plan, faulty) ? 'none' : 'one';
}

/** Whether the endpoint has nothing against such an answer. */
function isHonest({ honestAnswers = [] }: EndpointPlan, { name }: FaultCase): boolean {
  return honestAnswers.includes(name);
}

/** How many requests the pauses allow while the fault lasts, at most. */
function allowedRequests(plan: EndpointPlan, faulty: FaultCase): number {
  const { endpoint } = plan;
  const code = codeAt(endpoint, faulty);
  const { lengthMs } = windowOf(faulty);
  if (isHonest(plan, faulty)) return lengthMs / MINUTE_MS;
  const breaker = attempts(faulty, breakerPauseMs).length;
  if (endpoint === 'login' && isRefusal(code)) return breaker;
  // The two forms of its body, once.
  if (endpoint === 'refresh' && !isRetryable(code)) return 2;
  const { askedPauseMs, askedUntilAtMs = 0 } = faulty;
  const beganAtMs = Date.parse(FAULTS_NOW) + STRUCK_AFTER_MS;
  const backedOff = attempts(faulty, (failures, atMs) => {
    const untilDateMs = askedUntilAtMs - (beganAtMs + atMs);
    return untilDateMs > 0 ? untilDateMs : (askedPauseMs ?? ownPauseMs(failures));
  }).length;
  // A refused token is replaced and the question repeated, as often as the breaker lets that happen.
  return code === 'SERVICE_AUTH_REJECTED' ? backedOff + breaker : backedOff;
}

/** The longest that it takes to recover. */
function longestRecoveryMs(plan: EndpointPlan, faulty: FaultCase): number {
  const { endpoint } = plan;
  const { lengthMs } = windowOf(faulty);
  if (lossAt(plan, faulty, 0) === 'none') return isHonest(plan, faulty) ? MINUTE_MS : 0;
  // Read from elsewhere meanwhile, and the better place is looked for again.
  const elsewhereAtMs = readElsewhereAtMs(plan, faulty);
  if (elsewhereAtMs < lengthMs) return elsewhereAtMs + LEARNT_FOR_MS - lengthMs;
  if (endpoint !== 'login' || !isRefusal(codeAt(endpoint, faulty))) return MINUTE_MS;
  const refusedAtMs = attempts(faulty, breakerPauseMs);
  return (refusedAtMs.at(-1) ?? 0) + breakerPauseMs(refusedAtMs.length) - lengthMs;
}

/** When a device is read from elsewhere whose own place refuses, or answers what nobody can read. */
function readElsewhereAtMs({ endpoint, family }: EndpointPlan, faulty: FaultCase): number {
  const code = codeAt(endpoint, faulty);
  const isForTheMoment = isRetryable(code) || code === 'SERVICE_AUTH_REJECTED';
  if (family === undefined || isForTheMoment) return Infinity;
  const isOldLesson = (atMs: number): boolean => atMs + STRUCK_AFTER_MS >= LEARNT_FOR_MS;
  return attempts(faulty, ownPauseMs).find(isOldLesson) ?? Infinity;
}

/** When the scrapes find the pause after the last failure over. */
function attempts(
  faulty: FaultCase,
  pauseMs: (failures: number, atMs: number) => number,
): readonly number[] {
  const attemptsAtMs: number[] = [];
  let nextAtMs = 0;
  for (const atMs of windowOf(faulty).scrapesAtMs) {
    if (atMs < nextAtMs) continue;
    attemptsAtMs.push(atMs);
    nextAtMs = atMs + pauseMs(attemptsAtMs.length, atMs);
  }
  return attemptsAtMs;
}

function ownPauseMs(failures: number): number {
  return backOffMs(failures, () => 0.5);
}

function breakerPauseMs(refusals: number): number {
  return BREAKER_MS[refusals - 1] ?? HOUR_MS;
}

function steps(fromMs: number, toMs: number, stepMs: number): readonly number[] {
  return Array.from({ length: (toMs - fromMs) / stepMs }, (_, index) => fromMs + index * stepMs);
}

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
const RECOVERY_STEP_MS = 15 * SECOND_MS;
const WITHDRAWN_AFTER_MS = 4 * MINUTE_MS;
/** Prometheus will not wait much longer than a tenth of a second. */
const HURRY = { 'x-prometheus-scrape-timeout-seconds': '0.6' };

/** Lets an exporter at work meet a fault, keeps scraping, ends it, and waits for the recovery. */
export function meetFault(plan: EndpointPlan, faulty: FaultCase): Promise<void> {
  const code = codeAt(plan.endpoint, faulty);
  return meetPatiently(code, (patience) => meetOnce(plan, faulty, patience));
}

async function meetOnce(plan: EndpointPlan, faulty: FaultCase, patience: Patience): Promise<void> {
  let stage = 'at the start';
  try {
    const met = await start(plan, faulty, patience);
    stage = 'in a hurry';
    if (codeAt(plan.endpoint, faulty) === 'SERVICE_TIMEOUT') await expectHurriedPage(met);
    const { clock, simulator, scrape, askedBefore } = met;
    const { scrapesAtMs, lengthMs } = windowOf(faulty);
    const beganAtMs = clock.nowMs();
    for (const passedMs of scrapesAtMs) {
      clock.advance(beganAtMs + passedMs - clock.nowMs());
      stage = `${passedMs / SECOND_MS} s after the fault began`;
      expectPage(await scrape(), met, passedMs);
    }
    clock.advance(beganAtMs + lengthMs - clock.nowMs());
    stage = 'at the end of the fault';
    const requests = simulator.requests(plan.endpoint) - askedBefore;
    expect(requests).toBeLessThanOrEqual(allowedRequests(plan, faulty));
    simulator.setFault(plan.endpoint, undefined);
    await expectRecovery(met);
  } catch (error) {
    const where = `${plan.endpoint}, ${faulty.name}, ${stage}`;
    throw new Error(`${where}: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}

type Met = Awaited<ReturnType<typeof start>>;

/** An exporter that was well until now. */
async function start(plan: EndpointPlan, faulty: FaultCase, patience: Patience) {
  const both = await startBoth({
    now: FAULTS_NOW,
    simulator: { sampleIntervalMs: 30_000, ...(plan.family && { family: plan.family }) },
    flags: { ...LIVES, ...plan.flags, ...patience },
  });
  const { simulator, clock, scrape, deviceId } = both;
  simulator.setAlarms(deviceId, [{ key: 'lineLoss', level: 2 }]);
  const healthy = await scrape();
  expect(healthy.value('solar_up')).toBe(1);
  expect(lost(healthy)).toEqual([]);
  clock.advance(STRUCK_AFTER_MS);
  simulator.setFault(plan.endpoint, faulty.fault);
  plan.strike?.(simulator);
  return { ...both, plan, faulty, healthy, askedBefore: simulator.requests(plan.endpoint) };
}

/** The answer is here although the service says nothing, and is the one from before. */
async function expectHurriedPage({ scrape, plan, healthy }: Met): Promise<void> {
  const hurried = await scrape(HURRY);
  expect(hurried.status).toBe(200);
  expect(hurried.requests(plan.endpoint, 'SERVICE_TIMEOUT')).toBe(0);
  if (plan.metric !== undefined)
    expect(hurried.value(plan.metric)).toBe(healthy.value(plan.metric));
}

/** Waits for the recovery, but no longer than it may take. */
async function expectRecovery({ clock, scrape, plan, faulty, healthy }: Met) {
  const { metric } = plan;
  const endedAtMs = clock.nowMs();
  const latestAtMs = endedAtMs + longestRecoveryMs(plan, faulty);
  let page = await scrape();
  const isWell = (): boolean =>
    lost(page).length === 0 &&
    (metric === undefined || page.all(metric).length === healthy.all(metric).length);
  while (!isWell() && clock.nowMs() < latestAtMs) {
    clock.advance(Math.min(RECOVERY_STEP_MS, latestAtMs - clock.nowMs()));
    page = await scrape();
  }
  expect(lost(page)).toEqual([]);
  if (metric !== undefined) expect(page.all(metric)).toHaveLength(healthy.all(metric).length);
  expect(page.value('solar_up')).toBe(1);
  expect(page.value('solar_reauthentication_required')).toBe(0);
  expect(page.all('solar_collector_success')).toEqual(healthy.all('solar_collector_success'));
}

/** What a page says so long after the fault began. */
function expectPage(page: ScrapedPage, { healthy, plan, faulty }: Met, passedMs: number): void {
  const { endpoint, collector, metric } = plan;
  const loss = lossAt(plan, faulty, passedMs);
  expect(page.status).toBe(200);
  expect(page.text).not.toMatch(/ NaN$/m);
  const isUp = loss === 'none' || (loss === 'one' && plan.isUp);
  expect(page.all('solar_up').map(({ value }) => value)).toEqual([Number(isUp)]);
  if (loss === 'all') expect(lost(page)).toContain(collector);
  else expect(lost(page)).toEqual(loss === 'one' ? [collector] : []);
  if (isHonest(plan, faulty)) {
    expect(outcomesAt(endpoint, page)).toEqual([]);
    if (metric !== undefined) expect(page.all(metric)).toEqual([]);
    return;
  }
  expect(page.requests(endpoint, codeAt(endpoint, faulty))).toBeGreaterThanOrEqual(1);
  if (loss !== 'none' && passedMs >= WITHDRAWN_AFTER_MS)
    expect(page.all('solar_device_reporting')).toHaveLength(Number(isUp));
  if (loss === 'none' || metric === undefined) return;
  if (passedMs === 0) expect(page.value(metric)).toBe(healthy.value(metric));
  if (passedMs >= WITHDRAWN_AFTER_MS) expect(page.all(metric)).toEqual([]);
}

/** The collectors whose last round failed. */
function lost(page: ScrapedPage): readonly string[] {
  return page
    .all('solar_collector_success')
    .filter(({ value }) => value === 0)
    .map(({ labels }) => labels['collector'] ?? '');
}

function outcomesAt(endpoint: string, page: ScrapedPage): readonly string[] {
  return page
    .all('solar_api_requests_total')
    .filter(({ labels }) => labels['operation'] === endpoint && labels['outcome'] !== 'ok')
    .map(({ labels }) => labels['outcome'] ?? '');
}

interface Reach {
  readonly station: boolean;
  readonly readings: boolean;
  readonly summary: boolean;
}

/** How far an exporter gets whose first question to an endpoint fails. */
const REACHED: Readonly<Partial<Record<Endpoint, Reach>>> = {
  login: { station: false, readings: false, summary: false },
  stations: { station: false, readings: false, summary: false },
  devices: { station: true, readings: false, summary: true },
  readings: { station: true, readings: false, summary: true },
  summary: { station: true, readings: true, summary: false },
};

/** The endpoints without which an exporter cannot begin. */
export const FIRST_ASKED = Object.keys(REACHED) as readonly Endpoint[];

/** Lets an exporter meet a fault at its first scrape, ends it, and expects the recovery when it is due. */
export function startWithFault(endpoint: Endpoint, faulty: FaultCase): Promise<void> {
  const code = codeAt(endpoint, faulty);
  return meetPatiently(code, async (flags) => {
    const { station, readings, summary } = REACHED[endpoint] ?? {};
    const { simulator, scrape, scrapeAfter, stationId } = await startBoth({
      now: FAULTS_NOW,
      flags,
    });
    simulator.setFault(endpoint, faulty.fault);
    const broken = await scrape();
    expect(broken.status).toBe(200);
    expect(broken.requests(endpoint, code)).toBeGreaterThanOrEqual(1);
    expect(broken.requests(endpoint, 'ok')).toBe(0);
    const labels = station ? { station_id: stationId } : {};
    expect(broken.all('solar_up')).toEqual([{ name: 'solar_up', labels, value: Number(readings) }]);
    expect(broken.all('solar_pv_power_watts')).toHaveLength(Number(readings));
    expect(broken.all('solar_month_pv_generated_kwh')).toHaveLength(Number(summary));

    simulator.setFault(endpoint, undefined);
    const repaired = await scrapeAfter(firstRecoveryMs(endpoint, faulty));
    expect(repaired.value('solar_up', { station_id: stationId })).toBe(1);
    expect(repaired.value('solar_pv_power_watts')).toBeGreaterThan(0);
    expect(repaired.value('solar_month_pv_generated_kwh')).toBeGreaterThan(0);
    expect(repaired.value('solar_reauthentication_required')).toBe(0);
  });
}

/** The longest that recovery takes once a fault at the very start is gone. */
function firstRecoveryMs(endpoint: Endpoint, faulty: FaultCase): number {
  const { askedPauseMs, askedUntilAtMs } = faulty;
  if (askedPauseMs !== undefined) return askedPauseMs;
  if (askedUntilAtMs !== undefined) return askedUntilAtMs - Date.parse(FAULTS_NOW);
  // The first pause after a refusal, and after a failure.
  return endpoint === 'login' && isRefusal(codeAt(endpoint, faulty)) ? MINUTE_MS : SECOND_MS;
}
