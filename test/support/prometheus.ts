import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { RunningProcess } from './running-process.ts';

/** One series of an instant query's result. */
export interface QueriedSample {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: number;
}

/** A directory that goes with the test. */
export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'solar-exporter-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** A real Prometheus that scrapes exporters every second. */
export class RunningPrometheus {
  readonly process: RunningProcess;
  readonly url: string;

  constructor(process: RunningProcess, url: string) {
    this.process = process;
    this.url = url;
  }

  /** Runs an instant query, of now unless an instant is given. */
  query(expression: string, atMs?: number): Promise<readonly QueriedSample[]> {
    return instantQuery(this.url, expression, atMs);
  }

  /** Ends it as its operators do; resolves to its exit status. */
  async stop(): Promise<number | null> {
    this.process.kill('SIGTERM');
    return (await this.process.exited).status;
  }
}

/** Runs an instant query at a server that speaks the API of Prometheus. */
export async function instantQuery(
  url: string,
  expression: string,
  atMs?: number,
): Promise<readonly QueriedSample[]> {
  const query = new URLSearchParams({ query: expression });
  if (atMs !== undefined) query.set('time', String(atMs / 1000));
  const { result } = await ask<{
    result: readonly { metric: Record<string, string>; value: [number, string] }[];
  }>(`${url}/api/v1/query?${query.toString()}`);
  return result.map(({ metric, value }) => ({ metric, value: Number(value[1]) }));
}

async function ask<T>(url: string): Promise<T> {
  const response = await fetch(url);
  const { status, data } = (await response.json()) as { status: string; data: T };
  if (status !== 'success') throw new Error(`Prometheus answers ${response.status}`);
  return data;
}

export interface PrometheusSetup {
  /** The exporters to scrape, all of them under the job name `solar`. */
  readonly exporterUrls: readonly string[];
  /** Rule files to evaluate, every second. */
  readonly ruleFiles?: readonly string[];
  readonly alertmanagerUrls?: readonly string[];
}

/** Starts Prometheus on a free port, with its storage in a directory that goes with the test. */
export function startPrometheus(setup: PrometheusSetup): Promise<RunningPrometheus> {
  // JSON is YAML.
  return startConfigured(JSON.stringify(configOf(setup)));
}

/** Starts Prometheus with exactly this configuration, and with what is stored in a directory already. */
export async function startConfigured(
  configuration: string,
  storage?: string,
): Promise<RunningPrometheus> {
  const directory = temporaryDirectory();
  const configFile = join(directory, 'prometheus.yml');
  writeFileSync(configFile, configuration);
  const process = new RunningProcess(
    'prometheus',
    [
      `--config.file=${configFile}`,
      `--storage.tsdb.path=${storage ?? join(directory, 'storage')}`,
      '--storage.tsdb.retention.time=10y',
      '--web.listen-address=127.0.0.1:0',
    ],
    {},
  );
  const address = await process.printed('stderr', /msg="Listening on".* address=(\S+)/);
  await process.printed('stderr', /ready to receive web requests/);
  return new RunningPrometheus(process, `http://${address}`);
}

function configOf({
  exporterUrls,
  ruleFiles = [],
  alertmanagerUrls = [],
}: PrometheusSetup): object {
  const targets = (urls: readonly string[]): object => ({
    static_configs: [{ targets: urls.map((url) => new URL(url).host) }],
  });
  return {
    global: { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '1s' },
    rule_files: ruleFiles,
    alerting: { alertmanagers: [targets(alertmanagerUrls)] },
    scrape_configs: [{ job_name: 'solar', ...targets(exporterUrls) }],
  };
}
