import { describe, expect, test } from 'vitest';
import { readText } from '../../stack/repository.ts';
import { eventually } from '../../support/eventually.ts';
import { hasProgram } from '../../support/programs.ts';
import { startSimulate } from '../../support/running-process.ts';
import { flush, startVictoriaMetrics } from '../../support/victoria-metrics.ts';
import { startExporters } from './exporters.ts';
import { union } from './stations-up.ts';
import { startAgent } from './vmagent.ts';

const STATIONS = 200;
const EXAMPLE = readText('examples/vmagent/scrape.yml');

/** The stations whose value a database holds. */
async function storedStations(databaseUrl: string): Promise<ReadonlySet<string>> {
  await flush(databaseUrl);
  const query = new URLSearchParams({ 'match[]': 'solar_up{station_id!=""}' });
  const response = await fetch(`${databaseUrl}/api/v1/export?${query.toString()}`);
  const lines = (await response.text()).trim().split('\n');
  return new Set(
    lines.map((line) => {
      const { metric } = JSON.parse(line) as { metric: { station_id: string } };
      return metric.station_id;
    }),
  );
}

describe.skipIf(!hasProgram('vmagent') || !hasProgram('victoria-metrics'))(
  'two real vmagents with the example',
  () => {
    test('share 200 stations of three exporters, and read each once', async () => {
      const { env } = await startSimulate([`--simulator.stations=${STATIONS}`]);
      const { exporters, port } = await startExporters(3, env);
      const databaseUrl = await startVictoriaMetrics();
      const configuration = EXAMPLE.replaceAll(
        /solar-exporter-(\d|\$1):9877/g,
        (_, number: string) => `127.0.0.1${number}:${port}`,
      ).replaceAll('scrape_interval: 30s', 'scrape_interval: 5s');
      const agents = await Promise.all(
        [0, 1].map((memberNumber) =>
          startAgent({ configuration, databaseUrl, memberNumber, membersCount: 2 }),
        ),
      );

      const shares = await eventually(async () => {
        const targets = await Promise.all(agents.map((agent) => agent.targets()));
        const up = targets.map((all) => all.filter(({ health }) => health === 'up'));
        expect(up.flat()).toHaveLength(STATIONS + exporters.length);
        return up.map((all) => new Set(all.map(({ labels: { instance = '' } }) => instance)));
      });
      expect(union(shares).size).toBe(STATIONS + exporters.length);
      for (const { size } of shares) expect(size).toBeGreaterThan(STATIONS / 4);

      const instances = union(shares);
      for (const { address } of exporters) expect(instances).toContain(address);
      const reads = exporters.map(({ proxy }) => proxy.readings);
      expect(union(reads.map((read) => new Set(read.keys()))).size).toBe(STATIONS);
      for (const read of reads) {
        expect(new Set(read.values())).toEqual(new Set([1]));
        expect(read.size).toBeGreaterThan(STATIONS / 8);
      }
      await eventually(async () => {
        expect((await storedStations(databaseUrl)).size).toBe(STATIONS);
      });
    });
  },
);
