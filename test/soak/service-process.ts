import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { SimulatorOptions } from '../../src/simulator/simulator.ts';

const PROGRAM = fileURLToPath(new URL('service.js', import.meta.url));

/** What the process of the service tells its parent. */
export type ServiceMessage =
  | { readonly kind: 'listening'; readonly url: string; readonly options: SimulatorOptions }
  /** What is wrong from now on, or was changed. */
  | { readonly kind: 'round'; readonly name: string }
  /** How many requests have arrived so far. */
  | { readonly kind: 'requests'; readonly count: number };

/** The service in a process of its own. */
export interface ServiceProcess {
  /** Lets an exporter log in to it. */
  readonly environment: Readonly<Record<string, string>>;
  /** What is wrong now, or was changed last. */
  readonly round: string;
  readonly requests: number;
  stop(): void;
}

/** Starts the service; resolves when it listens. */
export function startService(): Promise<ServiceProcess> {
  const child = fork(PROGRAM);
  let round = '';
  let requests = 0;
  return new Promise((resolve, reject) => {
    child.once('exit', () => {
      reject(new Error('the service has ended before it listened'));
    });
    child.on('message', (message: ServiceMessage) => {
      if (message.kind === 'round') round = message.name;
      else if (message.kind === 'requests') requests = message.count;
      else
        resolve({
          environment: environmentFor(message.url, message.options),
          get round() {
            return round;
          },
          get requests() {
            return requests;
          },
          stop: () => child.disconnect(),
        });
    });
  });
}

function environmentFor(
  url: string,
  { account, password, appId, appSecret }: SimulatorOptions,
): Readonly<Record<string, string>> {
  return {
    SOLAR_BASE_URL: url,
    SOLAR_ACCOUNT: account,
    SOLAR_PASSWORD: password,
    SOLAR_APP_ID: appId,
    SOLAR_APP_SECRET: appSecret,
  };
}
