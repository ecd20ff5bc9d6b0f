import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from './prometheus.ts';
import { RunningProcess } from './running-process.ts';

/** The labels of an alert, and whether another alert keeps its message back. */
export interface HeldAlert {
  readonly labels: Readonly<Record<string, string>>;
  readonly status: { readonly state: string; readonly inhibitedBy: readonly string[] };
}

/** An alert as Prometheus sends it. */
export interface SentAlert {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  /** Both in RFC 3339; one that has ended is over. */
  readonly startsAt?: string;
  readonly endsAt?: string;
}

/** A real Alertmanager. */
export class RunningAlertmanager {
  readonly url: string;

  constructor(url: string) {
    this.url = url;
  }

  /** Raises alerts of which nothing but their labels counts. */
  raise(alerts: readonly Readonly<Record<string, string>>[]): Promise<void> {
    return this.send(alerts.map((labels) => ({ labels })));
  }

  /** Raises or ends alerts as Prometheus does. */
  async send(alerts: readonly SentAlert[]): Promise<void> {
    const response = await fetch(`${this.url}/api/v2/alerts`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(alerts),
    });
    if (!response.ok) throw new Error(await response.text());
  }

  /** Every alert that it knows of. */
  async alerts(): Promise<readonly HeldAlert[]> {
    const response = await fetch(`${this.url}/api/v2/alerts`);
    return (await response.json()) as readonly HeldAlert[];
  }
}

/** Starts Alertmanager with this configuration on a free port; it stops with the test. */
export async function startAlertmanager(
  configFile: string,
  env: Readonly<Record<string, string>> = {},
): Promise<RunningAlertmanager> {
  const process = new RunningProcess(
    'prometheus-alertmanager',
    [
      `--config.file=${configFile}`,
      `--storage.path=${temporaryDirectory()}`,
      '--web.listen-address=127.0.0.1:0',
      // Without peers, and so without a port for them.
      '--cluster.listen-address=',
    ],
    env,
  );
  const address = await process.printed('stderr', /msg="Listening on" address=(\S+)/);
  return new RunningAlertmanager(`http://${address}`);
}

/** Starts Alertmanager so that it tells a web hook of everything within a second. */
export function startAlertmanagerFor(webhookUrl: string): Promise<RunningAlertmanager> {
  const configFile = join(temporaryDirectory(), 'alertmanager.yml');
  // JSON is YAML.
  writeFileSync(configFile, JSON.stringify(configOf(webhookUrl)));
  return startAlertmanager(configFile);
}

function configOf(webhookUrl: string): object {
  return {
    route: {
      receiver: 'test',
      group_by: ['...'],
      group_wait: '0s',
      group_interval: '1s',
      repeat_interval: '1h',
    },
    receivers: [{ name: 'test', webhook_configs: [{ url: webhookUrl, send_resolved: true }] }],
  };
}
