import { SERVE, simulate, startCli } from './processes.ts';
import { rawAnswer } from './raw-answer.ts';
import { atMost, judged, median, type Result, type Scope } from './result.ts';

const LIMITS = { answers: atMost(1, 4), 'has its first page': atMost(2, 8) };

/** How long a start takes with one device: until the exporter answers, and until it shows the first reading. */
export async function start({ isShort }: Scope): Promise<readonly Result[]> {
  const service = await startCli(simulate(1));
  const seconds: Record<keyof typeof LIMITS, number[]> = { answers: [], 'has its first page': [] };
  const rounds = isShort ? 3 : 9;
  for (let round = 0; round < rounds; round += 1) {
    const startedAtMs = performance.now();
    const exporter = await startCli(SERVE, service.environment);
    seconds.answers.push((performance.now() - startedAtMs) / 1000);
    const { body } = await rawAnswer(new URL('/metrics', exporter.url));
    seconds['has its first page'].push((performance.now() - startedAtMs) / 1000);
    await exporter.stop();
    if (!body.includes('\nsolar_pv_power_watts{')) throw new Error('the first page has no reading');
  }
  await service.stop();
  return (Object.keys(LIMITS) as (keyof typeof LIMITS)[]).map((what) =>
    judged(
      {
        name: `start until it ${what}`,
        value: median(seconds[what]),
        unit: 's',
        detail: `${rounds} starts`,
      },
      LIMITS[what],
    ),
  );
}
