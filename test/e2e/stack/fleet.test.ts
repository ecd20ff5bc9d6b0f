import { describe, expect, test } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { hasProgram } from '../../support/programs.ts';
import { startBoth } from '../../doors/house.ts';
import { inAHurry, startConfigured } from '../../support/prometheus.ts';
import { startFakeFleet } from './fake-fleet.ts';
import { readText } from '../../stack/repository.ts';

const EXAMPLE = readText('prometheus/scrape.fleet.example.yml');
const ADDRESS = 'localhost:9877';

test('the example has the address in the three places that it says', () => {
  const configured = EXAMPLE.split('\n').filter((line) => !line.trim().startsWith('#'));
  expect(configured.join('\n').split(ADDRESS)).toHaveLength(4);
});

describe.skipIf(!hasProgram('prometheus'))('a real Prometheus with the fleet example', () => {
  test('scrapes each station by itself, and stores nothing twice', async () => {
    const stations = ['101', '102'];
    const { host } = await startFakeFleet(stations);
    const prometheus = await startConfigured(inAHurry(EXAMPLE.replaceAll(ADDRESS, host)));
    const labelsOf = async (expression: string) =>
      new Set((await prometheus.query(expression)).map(({ metric }) => metric));
    const job = 'solar';

    await eventually(async () => {
      expect(await labelsOf('up == 1')).toEqual(
        new Set([...stations, host].map((instance) => ({ __name__: 'up', job, instance }))),
      );
      const power = { __name__: 'solar_pv_power_watts', job };
      expect(await labelsOf('solar_pv_power_watts')).toEqual(
        new Set([
          { ...power, instance: '101', station_id: '101', device_id: '1011' },
          { ...power, instance: '102', station_id: '102', device_id: '1021' },
        ]),
      );
      expect(await labelsOf('solar_session_info')).toEqual(
        new Set([{ __name__: 'solar_session_info', job, instance: host, mode: 'account' }]),
      );
    });

    stations.push('103');
    await eventually(async () => {
      expect(await prometheus.query('up{instance="103"} == 1')).toHaveLength(1);
    });
  });

  test('finds the stations of a real exporter, and each of their values once', async () => {
    const { simulator, url, scrape } = await startBoth({
      simulator: { stations: 2, devicesPerStation: 2 },
    });
    const page = await scrape();
    const { host } = new URL(url);
    const prometheus = await startConfigured(inAHurry(EXAMPLE.replaceAll(ADDRESS, host)));

    const { stationIds } = simulator;
    await eventually(async () => {
      const up = await prometheus.query('up == 1');
      const instances = up.map(({ metric }) => metric['instance']);
      expect(instances.toSorted()).toEqual([...stationIds, host].toSorted());
      for (const name of ['solar_up', 'solar_device_info', 'solar_month_pv_generated_kwh']) {
        const stored = await prometheus.query(name);
        expect(stored).toHaveLength(page.all(name).length);
        for (const { metric } of stored) expect(metric['instance']).toBe(metric['station_id']);
      }
      const session = await prometheus.query('solar_session_info');
      expect(session.map(({ metric }) => metric['instance'])).toEqual([host]);
    });
  });
});
