import { describe, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { hasProgram } from '../support/programs.ts';
import { startPrometheus } from '../support/prometheus.ts';
import { scrapePage } from '../doors/house.ts';
import { startServe, startSimulate } from '../support/running-process.ts';

/** Fresh for longer than the test takes, so that the page and the query see the same. */
const LONG_LIVES = ['--cache.readings-ttl=1h', '--cache.summary-ttl=1h', '--cache.max-age=2h'];
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
  test('scrapes the exporter without complaint and stores what the page says', async () => {
    const { env } = await startSimulate(['--simulator.devices=2']);
    const { url } = await startServe(LONG_LIVES, env);
    // The first fetch may take longer than the half second that such a short interval leaves.
    const page = await scrapePage(url);
    expect(page.value('solar_up')).toBe(1);

    const prometheus = await startPrometheus({ exporterUrls: [url] });
    // All of it again, when a scrape came too late for its second.
    await eventually(async () => {
      for (const name of COMPARED) {
        const stored = await prometheus.query(name);
        const origin = { __name__: name, job: 'solar', instance: new URL(url).host };
        const shown = page.all(name);
        expect(stored).toEqual(
          expect.arrayContaining(
            shown.map(({ labels, value }) => ({ metric: { ...origin, ...labels }, value })),
          ),
        );
        expect(stored).toHaveLength(shown.length);
      }
      expect((await prometheus.query('up{job="solar"}')).map(({ value }) => value)).toEqual([1]);
      const [requests] = await prometheus.query(
        'solar_api_request_duration_seconds_count{operation="readings"}',
      );
      // Of two devices, for their live values and for their energy counters.
      expect(requests?.value).toBe(4);
      expect(await prometheus.targets()).toMatchObject([{ health: 'up', lastError: '' }]);
    });
    expect(await prometheus.stop()).toBe(0);
  });
});
