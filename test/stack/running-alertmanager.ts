import { temporaryDirectory } from '../support/prometheus.ts';
import { RunningProcess } from '../support/running-process.ts';

/** The labels of an alert, and whether another alert keeps its message back. */
export interface HeldAlert {
  readonly labels: Readonly<Record<string, string>>;
  readonly status: { readonly state: string; readonly inhibitedBy: readonly string[] };
}

/** A real Alertmanager. */
export class RunningAlertmanager {
  readonly url: string;

  constructor(url: string) {
    this.url = url;
  }

  /** Raises alerts as Prometheus does. */
  async raise(alerts: readonly Readonly<Record<string, string>>[]): Promise<void> {
    const response = await fetch(`${this.url}/api/v2/alerts`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(alerts.map((labels) => ({ labels }))),
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
export async function startAlertmanager(configFile: string): Promise<RunningAlertmanager> {
  const process = new RunningProcess(
    'prometheus-alertmanager',
    [
      `--config.file=${configFile}`,
      `--storage.path=${temporaryDirectory()}`,
      '--web.listen-address=127.0.0.1:0',
      '--cluster.listen-address=',
    ],
    {},
  );
  const address = await process.printed('stderr', /msg="Listening on" address=(\S+)/);
  return new RunningAlertmanager(`http://${address}`);
}
