import { describe, expect, test } from 'vitest';
import { readText } from '../support/repository.ts';
import { eventually } from '../support/eventually.ts';
import { hasProgram } from '../support/programs.ts';
import { type RunningPrometheus, startConfigured } from '../support/prometheus.ts';
import { startSimulate } from '../support/running-process.ts';
import { SERVICE_PATHS } from '../support/service-paths.ts';
import { type FleetExporter, startExporters } from '../support/fleet.ts';
import { instancesOf, union, untilFound, UP } from '../support/stations-up.ts';

const STATIONS = 2_000;
/** It takes about a minute and a half of processor time, which a busy machine has to give first. */
const HANG_MS = 900_000;
const EXAMPLE = readText('prometheus/scrape.shards.example.yml');

/** The example as server number `server` has it, for exporters at 127.0.0.10 and so on. */
function exampleFor(server: number, port: number): string {
  return EXAMPLE.replaceAll(
    /solar-exporter-(\d|\$1):9877/g,
    (_, number: string) => `127.0.0.1${number}:${port}`,
  )
    .replaceAll("regex: '0'", `regex: '${server}'`)
    .replaceAll('scrape_interval: 30s', 'scrape_interval: 10s')
    .replaceAll('refresh_interval: 5m', 'refresh_interval: 5s');
}

/** The station of each device, as the servers have stored it. */
async function stationsOfDevices(
  servers: readonly RunningPrometheus[],
): Promise<ReadonlyMap<string, string>> {
  const devices = await Promise.all(servers.map((server) => server.query('solar_device_info')));
  return new Map(
    devices
      .flat()
      .map(({ metric: { device_id = '', station_id = '' } }) => [device_id, station_id]),
  );
}

describe.skipIf(!hasProgram('prometheus'))('two real Prometheus servers with the example', () => {
  test(
    'share 2,000 stations of three exporters, and one that is killed takes its own alone',
    { timeout: HANG_MS },
    async () => {
      const { env } = await startSimulate([`--simulator.stations=${STATIONS}`]);
      const { exporters, port } = await startExporters(3, env);
      const servers = await Promise.all(
        [0, 1].map((server) => startConfigured(exampleFor(server, port))),
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

      const stationOf = await stationsOfDevices(servers);
      const readBy = ({ proxy }: FleetExporter): ReadonlySet<string> =>
        new Set([...proxy.readings.keys()].map((deviceId) => stationOf.get(deviceId) ?? deviceId));
      const timesOf = ({ proxy }: FleetExporter): ReadonlySet<number> =>
        new Set(proxy.readings.values());

      // Each station was read once, by one exporter, and together they have all.
      const reads = exporters.map(readBy);
      expect(union(reads)).toEqual(union(shares));
      expect(reads.reduce((sum, { size }) => sum + size, 0)).toBe(STATIONS);
      for (const { size } of reads) expect(size).toBeGreaterThan(STATIONS / 5);
      for (const exporter of exporters) {
        expect(timesOf(exporter)).toEqual(new Set([1]));
        // Each lists all stations, 50 at a time.
        expect(exporter.proxy.requests(SERVICE_PATHS.login)).toBe(1);
        expect(exporter.proxy.requests(SERVICE_PATHS.stations)).toBe(STATIONS / 50);
      }

      // The one whose /sd is asked as well.
      const [killed, ...others] = exporters as [FleetExporter, ...FleetExporter[]];
      const lost = readBy(killed);
      const kept = union(others.map(readBy));
      const killedAtMs = Date.now();
      await killed.kill();
      await untilFound(`${UP} == 0`, lost.size, servers);
      expect(union(await instancesOf(`${UP} == 0`, servers))).toEqual(lost);
      expect(union(await instancesOf(`${UP} == 1`, servers))).toEqual(kept);

      await killed.start();
      await untilFound(`${UP} == 1`, STATIONS, servers);
      await eventually(() => {
        expect(timesOf(killed)).toEqual(new Set([2]));
      });
      expect(readBy(killed)).toEqual(lost);

      // The others answered all the time, and asked the service for nothing.
      const seconds = Math.ceil((Date.now() - killedAtMs) / 1000) + 1;
      const always = await instancesOf(`min_over_time(${UP}[${seconds}s]) == 1`, servers);
      expect(union(always)).toEqual(kept);
      for (const exporter of others) expect(timesOf(exporter)).toEqual(new Set([1]));
    },
  );
});
