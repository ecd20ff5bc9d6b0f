import { describe, expect, test } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { hasProgram } from '../../support/programs.ts';
import { startPrometheus } from '../../support/prometheus.ts';
import { ALL_QUERIES, substitute } from '../../unit/grafana/dashboard-queries.ts';
import { startTwoAccounts } from '../accounts/two-accounts.ts';
import { midday } from './real-stations.ts';

function queryNamed(wanted: string): string {
  const query = ALL_QUERIES.find(({ name }) => name === wanted);
  if (query === undefined) throw new RangeError(`no query ${wanted}`);
  return substitute(query.expression, { range: '30s', interval: '5s', rateInterval: '5s' });
}

describe.skipIf(!hasProgram('prometheus'))('two accounts that know the same ids', () => {
  test('have sessions of their own on the dashboard, and count as two houses', async () => {
    const { clock, timeZone } = midday();
    // The same seed makes the same ids.
    const same = { seed: 1, timeZone };
    const { url, scrape, roof, annex } = await startTwoAccounts({
      clock,
      roof: same,
      annex: { ...same, devicesPerStation: 2 },
    });
    expect(annex.deviceId).toBe(roof.deviceId);
    await scrape();
    const prometheus = await startPrometheus({ exporterUrls: [url] });
    const instance = new URL(url).host;
    // All of it again, when a scrape came too late for its second.
    await eventually(async () => {
      const power = await prometheus.query('solar_pv_power_watts');
      expect(power).toHaveLength(3);
      const total = power.reduce((sum, { value }) => sum + value, 0);
      expect(await prometheus.query(queryNamed('Sun A'))).toEqual([{ metric: {}, value: total }]);
      expect(await prometheus.query(queryNamed('Is all well? A'))).toMatchObject([{ value: 3 }]);

      for (const name of ['Sessions A', 'Sessions B', 'Stations up A']) {
        const answer = await prometheus.query(queryNamed(name));
        expect(new Set(answer.map(({ metric }) => metric['account'])), name).toEqual(
          new Set(['roof', 'annex']),
        );
      }
      const stations = await prometheus.query(queryNamed('Stations up A'));
      expect(new Set(stations.map(({ metric }) => metric['exporter']))).toEqual(
        new Set([`${instance}, roof`, `${instance}, annex`]),
      );
      const devices = await prometheus.query(queryNamed('Sun, by device A'));
      expect(new Set(devices.map(({ metric }) => metric['name']))).toEqual(
        new Set([
          'roof, Station 1, Inverter 1',
          'annex, Station 1, Inverter 1',
          'annex, Station 1, Inverter 2',
        ]),
      );

      // One of them alone, as the variable chooses it.
      const ofRoof = queryNamed('Sun A').replaceAll('account=~".*"', 'account=~"roof"');
      const [roofWatts] = power.filter(({ metric }) => metric['account'] === 'roof');
      expect(await prometheus.query(ofRoof)).toEqual([{ metric: {}, value: roofWatts?.value }]);

      // A join that finds two partners for one series is an error, and the panel would show nothing.
      for (const { name } of ALL_QUERIES)
        await expect(prometheus.query(queryNamed(name)), name).resolves.toBeInstanceOf(Array);
    });
  });
});
