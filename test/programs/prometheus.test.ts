import { describe, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { hasProgram } from '../support/programs.ts';
import { startPrometheus } from '../support/prometheus.ts';
import { readText } from '../support/repository.ts';
import { startBoth } from '../doors/house.ts';

/** Fresh for longer than the test takes, so that the page and the query see the same. */
const FLAGS = { 'cache.readings-ttl': '1h', 'cache.summary-ttl': '1h', 'cache.max-age': '2h' };
const COMPARED = [
  'solar_battery_soc_ratio',
  'solar_pv_power_watts',
  'solar_load_power_watts',
  'solar_battery_power_watts',
  'solar_battery_voltage_volts',
  'solar_month_pv_generated_kwh',
  'solar_device_info',
  'solar_up',
];

describe.skipIf(!hasProgram('prometheus'))('a real Prometheus', () => {
  test.each([
    { example: 'scrape.example.yml', makes: 'one target of all stations' },
    { example: 'scrape.fleet.example.yml', makes: 'a target of each station' },
  ])('stores by $example what the page says, and $makes', async ({ example }) => {
    const simulator = { stations: 2, devicesPerStation: 2 };
    const { simulator: service, url, scrape } = await startBoth({ simulator, flags: FLAGS });
    // The first fetch may take longer than the half second that such a short interval leaves.
    const page = await scrape();
    const { host } = new URL(url);
    const isFleet = example.includes('fleet');
    // Everything as often as a test can wait for.
    const text = readText(`prometheus/${example}`).replaceAll(
      /\b(scrape_interval|evaluation_interval|refresh_interval): \S+/g,
      '$1: 1s',
    );
    const prometheus = await startPrometheus(text.replaceAll('localhost:9877', host));

    // All of it again, when a scrape came too late for its second.
    await eventually(async () => {
      const up = await prometheus.query('up{job="solar"} == 1');
      expect(new Set(up.map(({ metric }) => metric['instance']))).toEqual(
        new Set(isFleet ? [...service.stationIds, host] : [host]),
      );
      for (const name of COMPARED) {
        const stored = await prometheus.query(name);
        const shown = page.all(name).map(({ labels, value }) => ({
          metric: {
            __name__: name,
            job: 'solar',
            instance: isFleet ? labels['station_id'] : host,
            ...labels,
          },
          value,
        }));
        expect(new Set(stored)).toEqual(new Set(shown));
      }
      const session = await prometheus.query('solar_session_info');
      expect(session.map(({ metric }) => metric['instance'])).toEqual([host]);
    });
    expect(await prometheus.stop()).toBe(0);
  });
});
