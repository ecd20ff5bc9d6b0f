import { describe, expect, test } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { hasProgram } from '../../support/programs.ts';
import { startPrometheus } from '../../support/prometheus.ts';
import { ALL_QUERIES, substitute } from '../../unit/grafana/dashboard-queries.ts';
import { startMidday } from './real-stations.ts';

function queryNamed(wanted: string): string {
  const query = ALL_QUERIES.find(({ name }) => name === wanted);
  if (query === undefined) throw new RangeError(`no query ${wanted}`);
  return substitute(query.expression, { range: '30s', interval: '5s', rateInterval: '5s' });
}

describe.skipIf(!hasProgram('prometheus'))('a house with several devices', () => {
  test('has sums that say who is missing, and count nobody twice', async () => {
    const { simulator, deviceId, startExporter } = await startMidday({
      stations: 2,
      devicesPerStation: 2,
    });
    simulator.setOffline(deviceId, 0);
    // Both know the same devices, as two of them behind one Prometheus may.
    const exporters = [await startExporter(), await startExporter()];
    const prometheus = await startPrometheus({ exporterUrls: exporters.map(({ url }) => url) });
    // All of it again, when a scrape came too late for its second.
    await eventually(async () => {
      expect(await prometheus.query('solar_pv_power_watts')).toHaveLength(6);

      // The two may have asked on either side of a new reading.
      const powerByDevice = new Map<string, number>();
      for (const { metric, value } of await prometheus.query('solar_pv_power_watts')) {
        const id = metric['device_id'] ?? '';
        powerByDevice.set(id, Math.max(value, powerByDevice.get(id) ?? 0));
      }
      const total = [...powerByDevice.values()].reduce((sum, watts) => sum + watts, 0);
      expect(total).toBeGreaterThan(0);
      expect(await prometheus.query(queryNamed('Sun A'))).toEqual([
        { metric: { coverage: ', without 1 of the devices' }, value: total },
      ]);
      // Of the stations none is missing, so there is nothing to say.
      expect(await prometheus.query(queryNamed('Generated today A'))).toMatchObject([
        { metric: {} },
      ]);
      expect(await prometheus.query(queryNamed('Is all well? A'))).toEqual([]);
      expect(await prometheus.query(queryNamed('Is all well? B'))).toEqual([
        { metric: { missing: '1' }, value: 1 },
      ]);
      const silent = await prometheus.query(queryNamed('annotation Silent devices'));
      expect(silent.map(({ metric }) => metric['device_id'])).toEqual([deviceId, deviceId]);
      // Grafana leaves out what is not above 0.
      expect(silent.map(({ value }) => value)).toEqual([1, 1]);

      // Each station calls its devices so.
      const names = await prometheus.query(queryNamed('Sun, by device A'));
      expect(new Set(names.map(({ metric }) => metric['name']))).toEqual(
        new Set(['Station 1, Inverter 2', 'Station 2, Inverter 1', 'Station 2, Inverter 2']),
      );

      // A join that finds two partners for one series is an error, and the panel would show nothing.
      for (const { name } of ALL_QUERIES)
        await expect(prometheus.query(queryNamed(name)), name).resolves.toBeInstanceOf(Array);
    });
  });
});
