import { describe, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { hasProgram } from '../support/programs.ts';
import { freePort, startPrometheus } from '../support/prometheus.ts';
import { readText } from '../support/repository.ts';
import { startBoth, startExporterFor, startService, SteeredClock } from '../doors/house.ts';

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

  test('shares stations with another by scrape.shards.example.yml, each read once', async () => {
    const stations = 12;
    const clock = new SteeredClock();
    const { simulator, serviceUrl } = await startService({ stations }, clock);
    // All at one port, so that a rule can make an address of a number.
    const port = await freePort('127.0.0.10');
    const flags = { ...FLAGS, 'collect.energy': 'false' };
    const [first, ...others] = await Promise.all(
      [0, 1, 2].map((number) =>
        startExporterFor(simulator, serviceUrl, clock, {
          flags: { ...flags, 'web.listen-address': `127.0.0.1${number}:${port}` },
        }),
      ),
    );
    const example = readText('prometheus/scrape.shards.example.yml')
      .replaceAll(/solar-exporter-(\d|\$1):9877/g, `127.0.0.1$1:${port}`)
      .replaceAll(/\b(scrape_interval|refresh_interval): \S+/g, '$1: 1s');
    const servers = await Promise.all(
      ['0', '1'].map((server) =>
        startPrometheus(example.replaceAll("regex: '0'", `regex: '${server}'`)),
      ),
    );
    /** The stations, and the exporters themselves, that the servers find so; sorted. */
    const found = async (value: number) => {
      const shares = await Promise.all(servers.map(({ query }) => query(`up == ${value}`)));
      for (const share of shares) expect(share.length).toBeLessThan(stations + others.length + 1);
      return shares.flatMap((share) => share.map(({ metric }) => metric['instance'])).toSorted();
    };
    const selves = [0, 1, 2].map((number) => `127.0.0.1${number}:${port}`);
    await eventually(async () =>
      expect(await found(1)).toEqual([...selves, ...simulator.stationIds].toSorted()),
    );
    expect(simulator.requests('readings')).toBe(stations);
    await first?.stop();
    await eventually(async () => {
      const [down, up] = [await found(0), await found(1)];
      expect([...down, ...up].toSorted()).toEqual([...selves, ...simulator.stationIds].toSorted());
      expect(down).toContain(selves[0]);
      expect(down.length).toBeGreaterThan(1);
      expect(up.length).toBeGreaterThan(others.length + 1);
    });
    expect(simulator.requests('readings')).toBe(stations);
  });
});
