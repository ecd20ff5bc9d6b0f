import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { CLI, simulate, startCli, temporaryFolder } from './processes.ts';
import { atMost, judged, type Result } from './result.ts';

const DAYS = 105;
const CPU_LIMIT = atMost(20);
const MEMORY_LIMIT = atMost(150);

/** The program says at its end what it has used, as the kernel counts it. */
const SAY_USAGE = `data:text/javascript,${encodeURIComponent(
  `process.once('exit', () => process.stderr.write('\\nusage ' + JSON.stringify(process.resourceUsage()) + '\\n'));`,
)}`;

interface Usage {
  /** Microseconds. */
  readonly userCPUTime: number;
  readonly systemCPUTime: number;
  /** KiB. */
  readonly maxRSS: number;
}

/** Reads 105 days of one device at steps of a minute: CPU for each written sample, and peak memory. */
export async function history(): Promise<readonly Result[]> {
  const service = await startCli(simulate(1));
  const directory = temporaryFolder();
  const from = `${new Date(Date.now() - DAYS * 86_400_000).toISOString().slice(0, 19)}Z`;
  const { userCPUTime, systemCPUTime, maxRSS } = await usageOf(
    ['history', `--from=${from}`, `--output=${directory}`, '--request.rate=1000'],
    service.environment,
  );
  await service.stop();
  const samples = await countSamples(directory);
  const perSample = (userCPUTime + systemCPUTime) / samples;
  const cpuSeconds = (userCPUTime + systemCPUTime) / 1e6;
  return [
    judged(
      {
        name: `history: ${DAYS} days of one device, CPU per sample`,
        value: perSample,
        unit: 'µs',
        detail: `${samples} samples, ${cpuSeconds.toFixed(1)} s`,
      },
      CPU_LIMIT,
    ),
    judged(
      {
        name: `history: ${DAYS} days of one device, peak memory`,
        value: maxRSS / 1024,
        unit: 'MiB',
        detail: 'resident, of the whole program',
      },
      MEMORY_LIMIT,
    ),
  ];
}

async function usageOf(args: readonly string[], environment: NodeJS.ProcessEnv): Promise<Usage> {
  const env = { PATH: process.env['PATH'], ...environment };
  const child = spawn(process.execPath, ['--import', SAY_USAGE, CLI, ...args], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const [said] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  const [, usage] = /^usage (.*)$/m.exec(said) ?? [];
  if (child.exitCode !== 0 || usage === undefined)
    throw new Error(`the program ended with status ${child.exitCode ?? 'none'}: ${said}`);
  return JSON.parse(usage) as Usage;
}

async function countSamples(directory: string): Promise<number> {
  let samples = 0;
  for (const file of readdirSync(directory).filter((name) => name.endsWith('.om'))) {
    const lines = createInterface({ input: createReadStream(join(directory, file)) });
    for await (const line of lines) if (!line.startsWith('#')) samples += 1;
  }
  return samples;
}
