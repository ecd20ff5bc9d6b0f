import { describe, expect, test } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { ALL_QUERIES, queryNamed } from '../support/dashboard.ts';
import { eventually } from '../support/eventually.ts';
import { FakeClock } from '../support/fake-clock.ts';
import type { ScrapedPage } from '../support/page.ts';
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

/** An example of the configuration, with everything as often as a test can wait for. */
const exampleOf = (name: string): string =>
  readText(`prometheus/${name}.example.yml`).replaceAll(
    /\b(scrape_interval|refresh_interval): \S+/g,
    '$1: 1s',
  );

/** Expects that a Prometheus has of these targets what their page says. */
async function expectStored(
  { query }: Pick<Awaited<ReturnType<typeof startPrometheus>>, 'query'>,
  page: ScrapedPage,
  instancesOf: (labels: Readonly<Record<string, string>>) => readonly (string | undefined)[],
): Promise<void> {
  for (const name of COMPARED) {
    const shown = page.all(name).flatMap(({ labels, value }) =>
      instancesOf(labels).map((instance) => ({
        metric: { __name__: name, job: 'solar', instance, ...labels },
        value,
      })),
    );
    expect(new Set(await query(name))).toEqual(new Set(shown));
  }
}

describe.skipIf(!hasProgram('prometheus'))('a real Prometheus', () => {
  test('answers the dashboard by scrape.example.yml, counting no device twice', async () => {
    // The machine's clock, because a real Prometheus goes by it.
    const clock = Object.assign(new FakeClock(), systemClock);
    const options = { stations: 2, devicesPerStation: 2, startAtHour: 12 };
    const { simulator, serviceUrl, deviceId } = await startService(options, clock);
    simulator.setOffline(deviceId, 0);
    // Both know the same devices, as two of them behind one Prometheus may.
    const exporters = [
      await startExporterFor(simulator, serviceUrl, clock, { flags: FLAGS }),
      await startExporterFor(simulator, serviceUrl, clock, { flags: FLAGS }),
    ] as const;
    // The first fetch may take longer than the half second that such a short interval leaves.
    const [page] = await Promise.all([exporters[0].scrape(), exporters[1].scrape()]);
    const hosts = exporters.map(({ url }) => new URL(url).host);
    const prometheus = await startPrometheus(
      exampleOf('scrape').replace("'localhost:9877'", hosts.map((host) => `'${host}'`).join()),
    );
    const ask = (name: string) =>
      prometheus.query(queryNamed(name, { __interval: '5s', __rate_interval: '5s' }));

    // All of it again, when a scrape came too late for its second.
    await eventually(async () => {
      await expectStored(prometheus, page, () => hosts);
      const power = await prometheus.query('max by (device_id) (solar_pv_power_watts)');
      expect(power).toHaveLength(3);
      const total = power.reduce((sum, { value }) => sum + value, 0);
      expect(total).toBeGreaterThan(0);
      expect(await ask('PV: generating')).toEqual([{ metric: {}, value: total }]);
      expect(await ask('PV: devices missing')).toEqual([{ metric: {}, value: 1 }]);
      // Of both exporters.
      const silent = { metric: { problem: 'silent', device_id: deviceId }, value: 1 };
      expect(await ask('Is all well?: {{name}}, {{station}}: {{problem}}')).toMatchObject([
        silent,
        silent,
      ]);
      expect(await ask('Is all well?: all is well')).toEqual([]);
      // A join that finds two partners for one series is an error, and the panel would show nothing.
      for (const { name } of ALL_QUERIES)
        await expect(ask(name), name).resolves.toBeInstanceOf(Array);
    });
    expect(await prometheus.stop()).toBe(0);
  });

  test('makes a target of each station by scrape.fleet.example.yml', async () => {
    const simulator = { stations: 2, devicesPerStation: 2 };
    const { simulator: service, url, scrape } = await startBoth({ simulator, flags: FLAGS });
    const page = await scrape();
    const { host } = new URL(url);
    const prometheus = await startPrometheus(
      exampleOf('scrape.fleet').replaceAll('localhost:9877', host),
    );
    await eventually(async () => {
      const up = await prometheus.query('up{job="solar"} == 1');
      expect(new Set(up.map(({ metric }) => metric['instance']))).toEqual(
        new Set([...service.stationIds, host]),
      );
      await expectStored(prometheus, page, ({ station_id: id }) => [id]);
      const session = await prometheus.query('solar_session_info');
      expect(session.map(({ metric }) => metric['instance'])).toEqual([host]);
    });
  });

  test('shares stations by scrape.shards.example.yml, each read once', async () => {
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
    const example = exampleOf('scrape.shards').replaceAll(
      /solar-exporter-(\d|\$1):9877/g,
      `127.0.0.1$1:${port}`,
    );
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
