import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

/** One alert of a message, as Alertmanager words it. */
export interface DeliveredAlert {
  readonly status: 'firing' | 'resolved';
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

/** A web hook on loopback that keeps what Alertmanager delivers. */
export interface RunningWebhook {
  readonly url: string;
  /** Every alert of every message so far, in order. */
  readonly alerts: readonly DeliveredAlert[];
}

/** Starts a web hook that goes with the test. */
export async function startWebhook(): Promise<RunningWebhook> {
  const alerts: DeliveredAlert[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const message = JSON.parse(body) as { readonly alerts: readonly DeliveredAlert[] };
      alerts.push(...message.alerts);
      response.end();
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, alerts };
}
