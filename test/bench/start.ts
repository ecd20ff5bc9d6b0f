import { benchProgram, nowMs, SERVE, simulate, startCli, startNode } from './processes.ts';
import { rawAnswer } from './raw-answer.ts';
import { atMost, judged, median, type Result, type Scope } from './result.ts';

const ROUNDS = 9;
const SHORT_ROUNDS = 3;
const LIMIT = atMost(12);

/** From the start of the program to the first answered scrape of one device, against a bare server. */
export async function start({ isShort }: Scope): Promise<readonly Result[]> {
  const service = await startCli(simulate(1));
  const ours: number[] = [];
  const bare: number[] = [];
  const readyMs: number[] = [];
  for (let round = 0; round < (isShort ? SHORT_ROUNDS : ROUNDS); round += 1) {
    const server = await startNode([benchProgram('bare-server')]);
    await rawAnswer(server.url);
    const bareMs = nowMs() - server.spawnedAtMs;
    await server.stop();
    const exporter = await startCli(SERVE, service.environment);
    const { body } = await rawAnswer(new URL('/metrics', exporter.url));
    const oursMs = nowMs() - exporter.spawnedAtMs;
    await exporter.stop();
    if (!/^solar_device_reporting\{.*\} 1$/m.test(body.toString()))
      throw new Error('the first page has no device');
    if (round === 0) continue; // the files are read from the disk
    bare.push(bareMs);
    ours.push(oursMs);
    readyMs.push(exporter.readyAtMs - exporter.spawnedAtMs);
  }
  await service.stop();
  const inMs = (times: readonly number[]) => `${median(times).toFixed(0)} ms`;
  return [
    judged(
      {
        name: 'start to first answered scrape, 1 device',
        value: median(ours) / median(bare),
        unit: 'x bare node:http',
        detail: `${inMs(ours)}, of which ${inMs(readyMs)} until the port answers; bare ${inMs(bare)}`,
      },
      LIMIT,
    ),
  ];
}
