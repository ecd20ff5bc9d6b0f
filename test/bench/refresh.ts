import { setTimeout as sleep } from 'node:timers/promises';
import { nowMs, SERVE, simulate, startObserved } from './processes.ts';
import { rawAnswer } from './raw-answer.ts';
import { atMost, judged, median, type Result, type Scope } from './result.ts';

const FEW = 1000;
const MANY = 10_000;
const LATENCY_MS = 50;
const CONCURRENCY = 64;
const READINGS_TTL_MS = 1000;
const ROUNDS = { [FEW]: 3, [MANY]: 1 };

/** A first refresh asks twice about each device and learns how it speaks, before anything is compiled for speed. */
const CPU_LIMITS = { first: atMost(0.7, 3), steady: atMost(0.7) };
const GROWTH_LIMIT = atMost(1.2);
const IDEAL_LIMIT = atMost(1.2);

/** One refresh, as the exporter and the service saw it. */
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
  const few = await measure(FEW, isShort ? 1 : ROUNDS[FEW]);
  // On a machine that has other things to do, only the CPU time says anything.
  if (isShort) return cpuOf(FEW, few);
  const many = await measure(MANY, ROUNDS[MANY]);
  return [...cpuOf(FEW, few), againstIdeal(few), ...cpuOf(MANY, many), ...growth(few, many)];
}

async function measure(devices: number, rounds: number): Promise<readonly Refreshes[]> {
  const service = await startObserved([
    ...simulate(devices),
    `--simulator.latency=${LATENCY_MS}ms`,
  ]);
  const measured: Refreshes[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const exporter = await startObserved(
      [
        ...SERVE,
        '--scrape.timeout=5m',
        `--cache.readings-ttl=${READINGS_TTL_MS}ms`,
        `--request.concurrency=${CONCURRENCY}`,
      ],
      service.environment,
    );
    const refreshed = async (): Promise<Refresh> => {
      let [tookMs, cpuMs] = [Number.NaN, Number.NaN];
      const { requests } = await service.during(async () => {
        const used = await exporter.during(async () => {
          const startedAtMs = nowMs();
          const { body } = await rawAnswer(new URL('/metrics', exporter.url));
          tookMs = nowMs() - startedAtMs;
          const reporting = body.toString().match(/^solar_device_reporting\{.*\} 1$/gm) ?? [];
          if (reporting.length !== devices)
            throw new Error(`${reporting.length} of ${devices} devices are on the page`);
        });
        cpuMs = used.cpuMs;
      });
      return { tookMs, cpuMs, requests };
    };
    const later = async (): Promise<Refresh> => {
      await sleep(READINGS_TTL_MS + 200);
      return refreshed();
    };
    const first = await refreshed();
    // V8 still compiles then what the first one has shown to be worth it.
    await later();
    const steady = await later();
    if (steady.requests < devices)
      throw new Error(`a refresh of ${devices} devices asked ${steady.requests} times`);
    measured.push({ first, steady });
    await exporter.stop();
  }
  await service.stop();
  return measured;
}

function cpuOf(devices: number, rounds: readonly Refreshes[]): readonly Result[] {
  return (['first', 'steady'] as const).map((which) =>
    judged(
      {
        name: `CPU of a ${which} refresh, ${devices} devices`,
        value: perDevice(rounds, devices, which, 'cpuMs'),
        unit: 'ms a device',
        detail: `${rounds[0]?.[which].requests} requests; all threads, rendering and sending the page included`,
      },
      CPU_LIMITS[which],
    ),
  );
}

function growth(few: readonly Refreshes[], many: readonly Refreshes[]): readonly Result[] {
  const words = { cpuMs: 'CPU', tookMs: 'time' } as const;
  return (['cpuMs', 'tookMs'] as const).map((figure) => {
    const ofFew = perDevice(few, FEW, 'first', figure);
    const ofMany = perDevice(many, MANY, 'first', figure);
    return judged(
      {
        name: `first refresh, ${words[figure]} a device at ${MANY} devices`,
        value: ofMany / ofFew,
        unit: `x that at ${FEW}`,
        detail: `${ofMany.toFixed(2)} ms, at ${FEW} ${ofFew.toFixed(2)} ms`,
      },
      GROWTH_LIMIT,
    );
  });
}

function againstIdeal(rounds: readonly Refreshes[]): Result {
  const tookMs = median(rounds.map(({ first }) => first.tookMs));
  const ideals = rounds.map(({ first }) => idealMs(first.requests));
  return judged(
    {
      name: `first refresh, ${FEW} devices, latency ${LATENCY_MS} ms, concurrency ${CONCURRENCY}`,
      value: tookMs / median(ideals),
      unit: 'x ideal',
      detail: `${tookMs.toFixed(0)} ms, log-in included; ideal ${median(ideals)} ms`,
    },
    IDEAL_LIMIT,
  );
}

/**
 * The time that the service alone takes for so many requests: the log-in, the stations and the first page of
 * devices one after the other, because each needs what came before, and all others side by side.
 */
function idealMs(requests: number): number {
  const inTurn = 3;
  return (inTurn + Math.ceil((requests - inTurn) / CONCURRENCY)) * LATENCY_MS;
}

function perDevice(
  rounds: readonly Refreshes[],
  devices: number,
  which: keyof Refreshes,
  figure: 'cpuMs' | 'tookMs',
): number {
  return median(rounds.map((round) => round[which][figure])) / devices;
}
