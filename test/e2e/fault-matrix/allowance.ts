import { backOffMs, isRetryable } from '../../../src/client/exchange/retry.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../doors/house.ts';
import { codeAt, FAULTS_NOW, isRefusal, type KindCase } from './fault-cases.ts';
import type { EndpointPlan } from './endpoints.ts';

/** How long a fault lasts, and when the page is asked for meanwhile. */
export interface FaultWindow {
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
export const STRUCK_AFTER_MS = MINUTE_MS;
const BREAKER_MS = [MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS];
/** A device whose place refuses what it used to answer is learnt anew, so long after it was last learnt. */
const LEARNT_FOR_MS = 10 * MINUTE_MS;

/** What goes down with an endpoint: every collector, the one concerned, or none. */
export type Loss = 'all' | 'one' | 'none';

/** How long a fault is met for. */
export function windowOf({ code }: KindCase): FaultWindow {
  return code === 'SERVICE_TIMEOUT' ? SLOW_WINDOW : WINDOW;
}

/** What is lost so long after a fault began. */
export function lossAt(plan: EndpointPlan, faulty: KindCase, passedMs: number): Loss {
  const { endpoint } = plan;
  const code = codeAt(endpoint, faulty);
  if (isHonest(plan, faulty)) return 'none';
  if (endpoint === 'login') return 'all';
  // Whoever may log in gets over a refused refresh at once.
  if (endpoint === 'refresh') return isRetryable(code) ? 'all' : 'none';
  return passedMs >= readElsewhereAtMs(plan, faulty) ? 'none' : 'one';
}

/** Whether the endpoint has nothing against such an answer. */
export function isHonest({ honestAnswers = [] }: EndpointPlan, { name }: KindCase): boolean {
  return honestAnswers.includes(name);
}

/** How many requests the pauses allow while the fault lasts, at most. */
export function allowedRequests(plan: EndpointPlan, faulty: KindCase): number {
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
export function longestRecoveryMs(plan: EndpointPlan, faulty: KindCase): number {
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
function readElsewhereAtMs({ endpoint, family }: EndpointPlan, faulty: KindCase): number {
  const code = codeAt(endpoint, faulty);
  const isForTheMoment = isRetryable(code) || code === 'SERVICE_AUTH_REJECTED';
  if (family === undefined || isForTheMoment) return Infinity;
  const isOldLesson = (atMs: number): boolean => atMs + STRUCK_AFTER_MS >= LEARNT_FOR_MS;
  return attempts(faulty, ownPauseMs).find(isOldLesson) ?? Infinity;
}

/** When the scrapes find the pause after the last failure over. */
function attempts(
  faulty: KindCase,
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
