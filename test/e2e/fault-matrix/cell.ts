import { expect } from 'vitest';
import { MINUTE_MS, type ScrapedPage, SECOND_MS, startBoth } from '../../doors/house.ts';
import { codeAt, FAULTS_NOW, type KindCase } from './fault-cases.ts';
import {
  allowedRequests,
  isHonest,
  longestRecoveryMs,
  lossAt,
  STRUCK_AFTER_MS,
  windowOf,
} from './allowance.ts';
import type { EndpointPlan } from './endpoints.ts';
import { meetPatiently, type Patience } from './patience.ts';

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

/** What one fault at one endpoint was seen to do. */
export interface Observed {
  readonly endpoint: string;
  readonly fault: string;
  /** Every outcome but `ok` that was counted for the endpoint. */
  readonly outcomes: readonly string[];
  /** Those that arrived there while the fault lasted. */
  readonly requests: number;
  /** From the end of the fault to the first page on which everything is well; 0 where it always was. */
  readonly recoveryMs: number;
}

/** Lets an exporter at work meet a fault, keeps scraping, ends it, and waits for the recovery. */
export function meetFault(plan: EndpointPlan, faulty: KindCase): Promise<Observed> {
  const code = codeAt(plan.endpoint, faulty);
  return meetPatiently(code, (patience) => meetOnce(plan, faulty, patience));
}

async function meetOnce(
  plan: EndpointPlan,
  faulty: KindCase,
  patience: Patience,
): Promise<Observed> {
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
    const { recoveryMs, page } = await recovery(met);
    const outcomes = outcomesAt(plan.endpoint, page);
    return { endpoint: plan.endpoint, fault: faulty.name, outcomes, requests, recoveryMs };
  } catch (error) {
    const where = `${plan.endpoint}, ${faulty.name}, ${stage}`;
    throw new Error(`${where}: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}

type Met = Awaited<ReturnType<typeof start>>;

/** An exporter that was well until now. */
async function start(plan: EndpointPlan, faulty: KindCase, patience: Patience) {
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

async function recovery({ clock, scrape, plan, faulty, healthy }: Met) {
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
  return { recoveryMs: clock.nowMs() - endedAtMs, page };
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
