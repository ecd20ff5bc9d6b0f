import { setTimeout as sleep } from 'node:timers/promises';
import { sumOf } from '../../src/model/units.ts';
import { SERVE, simulate, startCli } from './processes.ts';
import { rawAnswer } from './raw-answer.ts';
import { atMost, judged, median, type Result, type Scope } from './result.ts';

const FEW = 1000;
const MANY = 10_000;
const LATENCY_MS = 50;
const CONCURRENCY = 64;
const READINGS_TTL_MS = 1000;
const ROUNDS = 3;

/**
 * In days of a device that are parsed: machines differ. A first refresh asks twice about each device, learns how it
 * speaks and decodes its points since midnight, before anything is compiled for speed.
 */
const CPU_LIMITS = { first: atMost(45, 55), steady: atMost(8) };
const GROWTH_LIMIT = atMost(1.2);
const IDEAL_LIMIT = atMost(1.2);

/** One refresh, as the exporter saw it. */
interface Refresh {
  readonly tookMs: number;
  readonly cpuMs: number;
  readonly requests: number;
}

/** The first refresh of an exporter, and one later on when the readings are due. */
interface Refreshes {
  readonly first: Refresh;
  readonly steady: Refresh;
}

/** What a refresh costs: CPU for each device, and time against what waiting alone would take. */
export async function refresh({ isShort }: Scope): Promise<readonly Result[]> {
  const few = await measure(FEW, isShort ? 1 : ROUNDS);
  // On a machine that has other things to do, only the CPU time says anything.
  if (isShort) return cpuOf(FEW, few);
  const many = await measure(MANY, 1);
  return [...cpuOf(FEW, few), againstIdeal(few), ...cpuOf(MANY, many), ...growth(few, many)];
}

async function measure(devices: number, rounds: number): Promise<readonly Refreshes[]> {
  const service = await startCli([...simulate(devices), `--simulator.latency=${LATENCY_MS}ms`]);
  const flags = [`--cache.readings-ttl=${READINGS_TTL_MS}ms`, '--scrape.timeout=5m'];
  const command = [...SERVE, ...flags, `--request.concurrency=${CONCURRENCY}`];
  const measured: Refreshes[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const exporter = await startCli(command, service.environment);
    let sent = 0;
    const refreshed = async (): Promise<Refresh> => {
      const [usedMs, startedAtMs] = [exporter.cpuMs(), performance.now()];
      const page = String((await rawAnswer(new URL('/metrics', exporter.url))).body);
      const tookMs = performance.now() - startedAtMs;
      const cpuMs = exporter.cpuMs() - usedMs;
      const counts = page.matchAll(/^solar_api_requests_total\{.*\} (\d+)$/gm);
      const requests = sumOf(Array.from(counts, ([, count]) => Number(count))) - sent;
      sent += requests;
      const { length } = page.match(/^solar_device_reporting\{.*\} 1$/gm) ?? [];
      if (length !== devices || requests < devices)
        throw new Error(`${length} of ${devices} devices are there, by ${requests} requests`);
      return { tookMs, cpuMs, requests };
    };
    const later = async (): Promise<Refresh> => {
      await sleep(READINGS_TTL_MS + 200);
      return refreshed();
    };
    const first = await refreshed();
    // V8 still compiles then what the first one has shown to be worth it.
    await later();
    measured.push({ first, steady: await later() });
    await exporter.stop();
  }
  await service.stop();
  return measured;
}

/** Returns how long this machine takes to parse the points of a device and a day. */
function parsedDayMs(): number {
  const points = Array.from({ length: 288 }, (_, index) => index * 3.7);
  const keys = Array.from({ length: 7 }, (_, index) => [`quantity${index}`, points]);
  const day = JSON.stringify({ times: points.map(isoTime), fields: Object.fromEntries(keys) });
  const rounds = Array.from({ length: 400 }, () => {
    const startedAtMs = performance.now();
    JSON.parse(day);
    return performance.now() - startedAtMs;
  });
  return median(rounds);
}

const isoTime = (minutes: number): string => new Date(minutes * 60_000).toISOString();

function cpuOf(devices: number, rounds: readonly Refreshes[]): readonly Result[] {
  const dayMs = parsedDayMs();
  return (['first', 'steady'] as const).map((which) => {
    const cpuMs = median(rounds.map((round) => round[which].cpuMs)) / devices;
    const name = `CPU of a ${which} refresh, ${devices} devices`;
    const detail = `${cpuMs.toFixed(2)} ms, ${rounds[0]?.[which].requests} requests; all threads, the page included`;
    const unit = 'parsed days a device';
    return judged({ name, value: cpuMs / dayMs, unit, detail }, CPU_LIMITS[which]);
  });
}

function growth(few: readonly Refreshes[], many: readonly Refreshes[]): readonly Result[] {
  return (['cpuMs', 'tookMs'] as const).map((figure) => {
    const ofFew = median(few.map(({ first }) => first[figure])) / FEW;
    const ofMany = median(many.map(({ first }) => first[figure])) / MANY;
    const name = `first refresh, ${figure} a device at ${MANY} devices`;
    const detail = `${ofMany.toFixed(2)} ms, at ${FEW} ${ofFew.toFixed(2)} ms`;
    return judged({ name, value: ofMany / ofFew, unit: `x that at ${FEW}`, detail }, GROWTH_LIMIT);
  });
}

function againstIdeal(rounds: readonly Refreshes[]): Result {
  const tookMs = median(rounds.map(({ first }) => first.tookMs));
  const ideal = median(rounds.map(({ first }) => idealMs(first.requests)));
  const name = `first refresh, ${FEW} devices, latency ${LATENCY_MS} ms, concurrency ${CONCURRENCY}`;
  const detail = `${tookMs.toFixed(0)} ms, log-in included; ideal ${ideal} ms`;
  return judged({ name, value: tookMs / ideal, unit: 'x ideal', detail }, IDEAL_LIMIT);
}

/**
 * The time that the service alone takes for so many requests: the log-in, the stations and the first page of
 * devices one after the other, because each needs what came before, and all others side by side.
 */
function idealMs(requests: number): number {
  const inTurn = 3;
  return (inTurn + Math.ceil((requests - inTurn) / CONCURRENCY)) * LATENCY_MS;
}
