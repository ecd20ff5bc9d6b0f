import { eventually } from './eventually.ts';
import { freePort } from './free-port.ts';
import { temporaryDirectory } from './prometheus.ts';
import { RunningProcess } from './running-process.ts';

/** A real VictoriaMetrics, with its process. */
export interface RunningDatabase {
  readonly url: string;
  readonly process: RunningProcess;
}

/**
 * Starts a real VictoriaMetrics; resolves to its URL. It stops with the test.
 *
 * @param retention - how long it keeps what it takes, which is longer than any test goes back when left out.
 */
export async function startVictoriaMetrics(retention?: string): Promise<string> {
  const flags = retention === undefined ? [] : [`-retentionPeriod=${retention}`];
  return (await startDatabase(await freePort(), temporaryDirectory(), ...flags)).url;
}

/**
 * Starts a real VictoriaMetrics at this port, on what this folder holds; it stops with the test. It does not say which
 * port it took, so it cannot choose one. A flag that is given overrides the one here.
 */
export async function startDatabase(
  port: number,
  storage: string,
  ...flags: readonly string[]
): Promise<RunningDatabase> {
  const process = new RunningProcess(
    'victoria-metrics',
    [
      `-storageDataPath=${storage}`,
      `-httpListenAddr=127.0.0.1:${port}`,
      '-retentionPeriod=10y',
      '-dedup.minScrapeInterval=1ms',
      '-memory.allowedBytes=256MB',
      ...flags,
    ],
    {},
  );
  const url = `http://127.0.0.1:${port}`;
  await process.printed('stderr', /started VictoriaMetrics/);
  await eventually(async () => {
    const { ok } = await fetch(`${url}/health`);
    if (!ok) throw new Error('VictoriaMetrics does not answer yet');
  });
  return { url, process };
}

/** Makes what was pushed visible to queries, which otherwise takes some seconds. */
export async function flush(url: string): Promise<void> {
  const { status } = await fetch(`${url}/internal/force_flush`);
  if (status !== 200) throw new Error(`VictoriaMetrics answers ${status}`);
}
