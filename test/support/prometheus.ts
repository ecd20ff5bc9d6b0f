import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { eventually } from './eventually.ts';
import { RunningProcess } from './running-process.ts';

/** A directory that goes with the test. */
export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'solar-exporter-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** A port that nothing listens on, for a program that cannot choose one or has to come back to its own. */
export async function freePort(host = '127.0.0.1'): Promise<number> {
  const server = createServer().listen(0, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** One series of an instant query's result. */
export interface QueriedSample {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Runs an instant query at a server that speaks the API of Prometheus, of now unless an instant is given. */
export async function instantQuery(
  url: string,
  expression: string,
  atMs?: number,
): Promise<readonly QueriedSample[]> {
  const query = new URLSearchParams({ query: expression });
  if (atMs !== undefined) query.set('time', String(atMs / 1000));
  const response = await fetch(`${url}/api/v1/query?${query.toString()}`);
  const { status, data } = (await response.json()) as {
    status: string;
    data: { result: readonly { metric: Record<string, string>; value: [number, string] }[] };
  };
  if (status !== 'success') throw new Error(`Prometheus answers ${response.status}`);
  return data.result.map(({ metric, value }) => ({ metric, value: Number(value[1]) }));
}

/** Starts a real Prometheus with this configuration, and with what a directory may hold; it stops with the test. */
export async function startPrometheus(configuration: string, storage = temporaryDirectory()) {
  const configFile = join(temporaryDirectory(), 'prometheus.yml');
  writeFileSync(configFile, configuration);
  const program = new RunningProcess('prometheus', [
    `--config.file=${configFile}`,
    `--storage.tsdb.path=${storage}`,
    '--storage.tsdb.retention.time=10y',
    '--web.listen-address=127.0.0.1:0',
  ]);
  const url = `http://${await program.printed('stderr', /msg="Listening on".* address=(\S+)/)}`;
  await program.printed('stderr', /ready to receive web requests/);
  return {
    query: (expression: string, atMs?: number) => instantQuery(url, expression, atMs),
    /** Ends it as its operators do; resolves to its exit status. */
    stop: async () => {
      program.kill('SIGTERM');
      return (await program.exited).status;
    },
  };
}

/** Starts a real Alertmanager with this configuration, which stops with the test; resolves to its URL. */
export async function startAlertmanager(configFile: string): Promise<string> {
  const program = new RunningProcess('prometheus-alertmanager', [
    `--config.file=${configFile}`,
    `--storage.path=${temporaryDirectory()}`,
    '--web.listen-address=127.0.0.1:0',
    // Without peers, and so without a port for them.
    '--cluster.listen-address=',
  ]);
  return `http://${await program.printed('stderr', /msg="Listening on" address=(\S+)/)}`;
}

/** Starts a real VictoriaMetrics that keeps what it takes for so long, and stops with the test; resolves to its URL. */
export async function startVictoriaMetrics(): Promise<string> {
  // It does not say which port it took, so it cannot choose one.
  const port = await freePort();
  const program = new RunningProcess('victoria-metrics', [
    `-storageDataPath=${temporaryDirectory()}`,
    `-httpListenAddr=127.0.0.1:${port}`,
    '-retentionPeriod=10y',
    '-dedup.minScrapeInterval=1ms',
    '-memory.allowedBytes=256MB',
  ]);
  const url = `http://127.0.0.1:${port}`;
  await program.printed('stderr', /started VictoriaMetrics/);
  await eventually(async () => {
    const { ok } = await fetch(`${url}/health`);
    if (!ok) throw new Error('VictoriaMetrics does not answer yet');
  });
  return url;
}
