import { describe, expect, test } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { hasProgram } from '../../support/programs.ts';
import { startPrometheus } from '../../support/prometheus.ts';
import { ALL_QUERIES, substitute } from '../../grafana/dashboard-queries.ts';
import { startTwoAccounts } from '../accounts/two-accounts.ts';
import { midday } from './real-stations.ts';

function queryNamed(wanted: string): string {
  const query = ALL_QUERIES.find(({ name }) => name === wanted);
  if (query === undefined) throw new RangeError(`no query ${wanted}`);
  return substitute(query.expression, { range: '30s', step: '1s', rateInterval: '5s' });
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
      expect(await prometheus.query(queryNamed('PV A'))).toEqual([
        { metric: { coverage: 'all devices' }, value: total },
      ]);
      expect(await prometheus.query(queryNamed('Devices A'))).toMatchObject([
        { metric: { all: '3' }, value: 3 },
      ]);

      for (const name of ['Session A', 'Token expires A', 'Log-in blocked until B']) {
        const answer = await prometheus.query(queryNamed(name));
        expect(new Set(answer.map(({ metric }) => metric['exporter'])), name).toEqual(
          new Set([`${instance}, roof`, `${instance}, annex`]),
        );
      }

      // A join that finds two partners for one series is an error, and the panel would show nothing.
      for (const { name } of ALL_QUERIES)
        await expect(prometheus.query(queryNamed(name)), name).resolves.toBeInstanceOf(Array);
    });
  });
});
