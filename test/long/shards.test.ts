import { describe, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { hasProgram } from '../support/programs.ts';
import { freePort, type RunningPrometheus, startPrometheus } from '../support/prometheus.ts';
import { startProxy } from '../support/proxy.ts';
import { readText } from '../support/repository.ts';
import { type RunningProcess, startProgram, startSimulate } from '../support/running-process.ts';
import { SERVICE_PATHS } from '../support/service-paths.ts';

const STATIONS = 2_000;
/** It takes about a minute and a half of processor time, which a busy machine has to give first. */
const HANG_MS = 900_000;
const EXAMPLE = readText('prometheus/scrape.shards.example.yml');
/** Of the stations alone: the exporters themselves have an address as their instance. */
const UP = 'up{instance!~".*:.*"}';

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

/** The example as server number `server` has it, for exporters at 127.0.0.10 and so on. */
function exampleFor(server: number, port: number): string {
  return EXAMPLE.replaceAll(
    /solar-exporter-(\d|\$1):9877/g,
    (_, number: string) => `127.0.0.1${number}:${port}`,
  )
    .replaceAll("regex: '0'", `regex: '${server}'`)
    .replaceAll('scrape_interval: 30s', 'scrape_interval: 10s')
    .replaceAll('refresh_interval: 1m', 'refresh_interval: 5s');
}

type Exporter = Awaited<ReturnType<typeof startExporter>>;

/** Starts an exporter in a process of its own, behind a proxy that counts what it asks. */
async function startExporter(
  address: string,
  { SOLAR_BASE_URL: serviceUrl = '', ...env }: Readonly<Record<string, string>>,
) {
  /** By device and by path. */
  const [readings, requests] = [new Map<string, number>(), new Map<string, number>()];
  const count = (counts: Map<string, number>, key: string) =>
    counts.set(key, (counts.get(key) ?? 0) + 1);
  const url = await startProxy(serviceUrl, ({ path, body }, forward) => {
    count(requests, path);
    if (path === SERVICE_PATHS.readings)
      count(readings, (JSON.parse(body) as { deviceId: string }).deviceId);
    return forward();
  });
  let running: RunningProcess | undefined;
  const start = async (): Promise<void> => {
    const own = [`--web.listen-address=${address}`, `--base-url=${url}`];
    running = startProgram(['serve', ...own, ...FLAGS], env);
    await running.printed('stderr', /"url":"([^"]+)"/);
  };
  /** As a machine that loses its power does. */
  const kill = async (): Promise<void> => {
    running?.kill('SIGKILL');
    await running?.exited;
  };
  await start();
  return { address, readings, requests, start, kill };
}

/** The instances that an expression finds, of each server. */
function instancesOf(expression: string, servers: readonly RunningPrometheus[]) {
  return Promise.all(
    servers.map(async (server) => {
      const found = await server.query(expression);
      return new Set(found.map(({ metric: { instance = '' } }) => instance));
    }),
  );
}

/**
 * Waits until the servers together find so many stations. It asks for the number alone, because a list of
 * thousands, asked for again and again, keeps a server from scraping them. Patience is for each quarter: a
 * busy machine needs long for all of them.
 */
async function untilFound(
  expression: string,
  count: number,
  servers: readonly RunningPrometheus[],
) {
  const found = async (): Promise<number> => {
    const counts = servers.map((server) => server.query(`count(${expression})`));
    return (await Promise.all(counts)).flat().reduce((sum, { value }) => sum + value, 0);
  };
  for (const share of [0.25, 0.5, 0.75])
    await eventually(async () => expect(await found()).toBeGreaterThanOrEqual(count * share));
  await eventually(async () => expect(await found()).toBe(count));
}

/** All that is in any of the sets. */
function union(sets: readonly ReadonlySet<string>[]): ReadonlySet<string> {
  return new Set(sets.flatMap((set) => [...set]));
}

describe.skipIf(!hasProgram('prometheus'))('two real Prometheus servers with the example', () => {
  test(
    'share 2,000 stations, and a killed exporter takes its own alone',
    { timeout: HANG_MS },
    async () => {
      const env = await startSimulate(`--simulator.stations=${STATIONS}`);
      // All at one port, so that a rule can make an address of a number.
      const port = await freePort('127.0.0.10');
      const exporters = await Promise.all(
        [0, 1, 2].map((index) => startExporter(`127.0.0.1${index}:${port}`, env)),
      );
      const servers = await Promise.all(
        [0, 1].map((server) => startPrometheus(exampleFor(server, port))),
      );

      await untilFound(`${UP} == 1`, STATIONS, servers);
      // A scrape that had to wait too long brings what is known, and the next one the rest.
      await untilFound('solar_device_reporting == 1', STATIONS, servers);
      // So that whoever reads again what is fresh is found out.
      await untilFound(`count_over_time(${UP}[1h]) >= 2`, STATIONS, servers);

      // No station has both servers, and no server has nearly all.
      const shares = await instancesOf(`${UP} == 1`, servers);
      expect(union(shares).size).toBe(STATIONS);
      for (const { size } of shares) expect(size).toBeGreaterThan(STATIONS / 3);
      const selves = await instancesOf('up{instance=~".*:.*"} == 1', servers);
      expect(selves.flatMap((instances) => [...instances]).toSorted()).toEqual(
        exporters.map(({ address }) => address),
      );

      // The station of each device, as the servers have stored it.
      const devices = await Promise.all(servers.map(({ query }) => query('solar_device_info')));
      const stationOf = new Map(
        devices.flat().map(({ metric }) => [metric['device_id'], metric['station_id']]),
      );
      const readBy = ({ readings }: Exporter): ReadonlySet<string> =>
        new Set([...readings.keys()].map((deviceId) => stationOf.get(deviceId) ?? deviceId));
      const timesOf = ({ readings }: Exporter) => new Set(readings.values());

      // Each station was read once, by one exporter, and together they have all.
      const reads = exporters.map(readBy);
      expect(union(reads)).toEqual(union(shares));
      expect(reads.reduce((sum, { size }) => sum + size, 0)).toBe(STATIONS);
      for (const { size } of reads) expect(size).toBeGreaterThan(STATIONS / 5);
      for (const exporter of exporters) {
        expect(timesOf(exporter)).toEqual(new Set([1]));
        // Each lists all stations, 50 at a time, and one page more: after a full one there could be others.
        expect(exporter.requests.get(SERVICE_PATHS.login)).toBe(1);
        expect(exporter.requests.get(SERVICE_PATHS.stations)).toBe(STATIONS / 50 + 1);
      }

      // The one whose /sd is asked as well.
      const [killed, ...others] = exporters as [Exporter, ...Exporter[]];
      const lost = readBy(killed);
      const kept = union(others.map(readBy));
      const killedAtMs = Date.now();
      await killed.kill();
      await untilFound(`${UP} == 0`, lost.size, servers);
      expect(union(await instancesOf(`${UP} == 0`, servers))).toEqual(lost);
      expect(union(await instancesOf(`${UP} == 1`, servers))).toEqual(kept);

      await killed.start();
      await untilFound(`${UP} == 1`, STATIONS, servers);
      await eventually(() => expect(timesOf(killed)).toEqual(new Set([2])));
      expect(readBy(killed)).toEqual(lost);

      // The others answered all the time, and asked the service for nothing.
      const seconds = Math.ceil((Date.now() - killedAtMs) / 1000) + 1;
      const always = await instancesOf(`min_over_time(${UP}[${seconds}s]) == 1`, servers);
      expect(union(always)).toEqual(kept);
      for (const exporter of others) expect(timesOf(exporter)).toEqual(new Set([1]));
    },
  );
});
