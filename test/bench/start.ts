import { type NamedRequest, type ObservedService, startService } from './observed.ts';
import { benchProgram, CLI, nowMs, startNode } from './processes.ts';
import { rawAnswer } from './raw-answer.ts';
import { atMost, judged, median, type Result } from './result.ts';
import type { Scope } from './scope.ts';

const ROUNDS = 9;
const SHORT_ROUNDS = 3;
const LIMIT = atMost(12);

/** One start, in milliseconds; the parts come one after the other and make the whole. */
interface Start {
  readonly wholeMs: number;
  readonly parts: ReadonlyMap<string, number>;
}

/** From the start of the program to the first answered scrape of one device, and what the time is spent on. */
export async function start({ isShort }: Scope): Promise<readonly Result[]> {
  const rounds = Array.from({ length: isShort ? SHORT_ROUNDS : ROUNDS });
  const service = await startService(1);
  const starts: Start[] = [];
  const bareMs: number[] = [];
  for (const [round] of rounds.entries()) {
    const bare = await startBare();
    const exporter = await startOnce(service);
    if (round === 0) continue; // the files are read from the disk
    bareMs.push(bare);
    starts.push(exporter);
  }
  await service.stop();
  const wholeMs = median(starts.map((it) => it.wholeMs));
  const names = [...(starts[0]?.parts.keys() ?? [])];
  const parts = names.map((name) => {
    const ms = median(starts.map((it) => it.parts.get(name) ?? Number.NaN));
    return `${name} ${ms.toFixed(0)}`;
  });
  return [
    judged(
      {
        name: 'start to first answered scrape, 1 device',
        value: wholeMs / median(bareMs),
        unit: 'x bare node:http',
        detail: `${wholeMs.toFixed(0)} ms, bare ${median(bareMs).toFixed(0)} ms; in ms: ${parts.join(', ')}`,
      },
      LIMIT,
    ),
  ];
}

async function startBare(): Promise<number> {
  const server = await startNode([benchProgram('bare-server')]);
  await rawAnswer(server.url);
  const tookMs = nowMs() - server.spawnedAtMs;
  await server.stop();
  return tookMs;
}

async function startOnce(service: ObservedService): Promise<Start> {
  await service.requests();
  const listen = '--web.listen-address=127.0.0.1:0';
  const { environment } = service;
  const exporter = await startNode([CLI, 'serve', listen], { environment });
  const { body } = await rawAnswer(new URL('/metrics', exporter.url));
  const answeredAtMs = nowMs();
  await exporter.stop();
  if (!/^solar_device_reporting\{.*\} 1$/m.test(body.toString()))
    throw new Error('the first page has no device');
  const parts = new Map<string, number>();
  let endedAtMs = exporter.spawnedAtMs;
  const end = (name: string, atMs: number): void => {
    parts.set(name, atMs - endedAtMs);
    endedAtMs = atMs;
  };
  end('process and modules until the port answers', exporter.readyAtMs);
  for (const [name, atMs] of lastAnswers(await service.requests())) end(name, atMs);
  end('rendering and sending', answeredAtMs);
  return { wholeMs: answeredAtMs - exporter.spawnedAtMs, parts };
}

/** When the last request of each kind was answered, in this order. */
function lastAnswers(requests: readonly NamedRequest[]): ReadonlyMap<string, number> {
  const answers = new Map<string, number>();
  for (const { endpoint, endedAtMs } of requests) {
    answers.delete(endpoint);
    answers.set(endpoint, endedAtMs);
  }
  return answers;
}
