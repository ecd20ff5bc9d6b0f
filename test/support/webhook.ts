import { startInbox } from './http-inbox.ts';

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
  const { url, requests } = await startInbox({});
  return {
    url,
    get alerts() {
      return requests.flatMap(
        ({ body }) => (JSON.parse(body) as { alerts: readonly DeliveredAlert[] }).alerts,
      );
    },
  };
}
