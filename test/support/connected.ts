import { randomBytes } from 'node:crypto';
import { onTestFinished } from 'vitest';
import { connect, type ConnectionOptions } from '../../src/client/connect.ts';
import { Secret } from '../../src/base/secret.ts';
import { createSimulator, type SimulatorOptions } from '../../src/simulator/simulator.ts';
import { FakeClock } from './fake-clock.ts';
import { SERVICE_PATHS } from './service-paths.ts';
import { SilentLog } from './silent-log.ts';

const CREDENTIALS = {
  account: 'user@example.org',
  password: new Secret('demo-password'),
  appId: 'example-app-id',
  appSecret: new Secret('example-app-secret'),
};

const newNonce = () => randomBytes(16).toString('hex');

/** Connects as the program does, to one address. Sends nothing yet. */
export function connectTo(
  baseUrl: string,
  clock: FakeClock,
  changes: Partial<ConnectionOptions> = {},
) {
  const renewals: string[] = [];
  const connection = connect(
    {
      baseUrl,
      authUrl: baseUrl,
      paths: SERVICE_PATHS,
      ...CREDENTIALS,
      request: { timeoutMs: 20_000, concurrency: 8 },
      ...changes,
    },
    { clock, random: () => 0.5, newNonce },
    {
      requestEnded: () => undefined,
      renewalEnded: (method, outcome) => renewals.push(`${method} ${outcome}`),
      dropped: () => undefined,
    },
    new SilentLog(),
  );
  onTestFinished(() => connection.close());
  return { ...connection, renewals };
}

/** Starts the simulated service on a fake clock until the test ends. */
export async function startService(options: Partial<SimulatorOptions> = {}) {
  const clock = new FakeClock();
  const simulator = createSimulator(
    {
      account: CREDENTIALS.account,
      password: CREDENTIALS.password.reveal(),
      appId: CREDENTIALS.appId,
      appSecret: CREDENTIALS.appSecret.reveal(),
      ...options,
    },
    clock,
  );
  const baseUrl = await simulator.start();
  onTestFinished(() => simulator.stop());
  const [stationId = ''] = simulator.stationIds;
  const [deviceId = ''] = simulator.deviceIds(stationId);
  return { simulator, clock, baseUrl, stationId, deviceId };
}
