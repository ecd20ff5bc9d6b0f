import { freePort } from './free-port.ts';
import { type RunningProcess, startProgram } from './running-process.ts';
import { startProxy } from './proxy.ts';
import { SERVICE_PATHS } from './service-paths.ts';

/** All that is not about sharding is off, and what is read stays fresh for longer than the test takes. */
const FLAGS = [
  '--collect.energy=false',
  '--collect.alarms=false',
  '--cache.readings-ttl=2h',
  '--cache.summary-ttl=2h',
  '--cache.devices-ttl=2h',
  '--cache.max-age=5h',
  '--request.timeout=2m',
];

/** What one exporter asked. */
interface Counts {
  /** How often the readings of each device were asked for. */
  readonly readings: ReadonlyMap<string, number>;
  /** How often a path was asked for. */
  readonly requests: (path: string) => number;
}

/** An exporter in a process of its own, behind a proxy of its own. */
export interface FleetExporter {
  /** Host and port. */
  readonly address: string;
  readonly proxy: Counts;
  /** Kills it, as a machine that loses its power does. */
  readonly kill: () => Promise<void>;
  /** Starts it, at the same address each time; resolves when it listens. */
  readonly start: () => Promise<void>;
}

/**
 * Starts exporters of one account as 127.0.0.10, 127.0.0.11 and so on, all at one port, so that a rule can
 * make an address of a number.
 */
export async function startExporters(
  count: number,
  { SOLAR_BASE_URL: serviceUrl = '', ...env }: Readonly<Record<string, string>>,
): Promise<{ exporters: readonly FleetExporter[]; port: number }> {
  const port = await freePort('127.0.0.10');
  const exporters = Array.from({ length: count }, async (_, index) => {
    const address = `127.0.0.1${index}:${port}`;
    const { proxy, url } = await startCounting(serviceUrl);
    let running: RunningProcess | undefined;
    const start = async (): Promise<void> => {
      const flags = [`--web.listen-address=${address}`, `--base-url=${url}`, ...FLAGS];
      running = startProgram(['serve', ...flags], env);
      await running.printed('stderr', /"url":"([^"]+)"/);
    };
    const kill = async (): Promise<void> => {
      running?.kill('SIGKILL');
      await running?.exited;
    };
    await start();
    return { address, proxy, start, kill };
  });
  return { exporters: await Promise.all(exporters), port };
}

/** Starts a proxy that counts what passes. */
async function startCounting(serviceUrl: string): Promise<{ proxy: Counts; url: string }> {
  const readings = new Map<string, number>();
  const requests = new Map<string, number>();
  const count = (counts: Map<string, number>, key: string): void => {
    counts.set(key, (counts.get(key) ?? 0) + 1);
  };
  const url = await startProxy(serviceUrl, ({ path, body }, forward) => {
    count(requests, path);
    if (path === SERVICE_PATHS.readings)
      count(readings, (JSON.parse(body) as { deviceId: string }).deviceId);
    return forward();
  });
  return { proxy: { readings, requests: (path) => requests.get(path) ?? 0 }, url };
}
