import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
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

/** One alert of a message, as Alertmanager words it. */
interface DeliveredAlert {
  readonly status: 'firing' | 'resolved';
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

/** Starts a web hook on loopback that goes with the test, and keeps every alert of every message, in order. */
export async function startWebhook(): Promise<{
  readonly url: string;
  readonly alerts: readonly DeliveredAlert[];
}> {
  const alerts: DeliveredAlert[] = [];
  const server = createServer((request, response) => {
    void json(request).then((message) => {
      alerts.push(...(message as { alerts: readonly DeliveredAlert[] }).alerts);
      response.setHeader('content-type', 'application/json').end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, alerts };
}
