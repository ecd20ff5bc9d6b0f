import { describe, expect, test } from 'vitest';
import { type PageSample, startBoth } from './house.ts';

const SERVER_ERROR = { kind: 'reply', status: 500 } as const;

interface TargetGroup {
  readonly targets: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
}

/** An exporter of two stations, asked as Prometheus asks for a fleet; its day is of no matter. */
async function startFleet(env: Readonly<Record<string, string>> = {}) {
  const both = await startBoth({
    simulator: { stations: 2, devicesPerStation: 2 },
    env: { SOLAR_COLLECT_ENERGY: 'false', ...env },
  });
  const probe = (stationId: string) => both.scrape({}, `/probe?target=${stationId}`);
  const discover = async () =>
    JSON.parse((await both.scrape({}, '/sd')).text) as readonly TargetGroup[];
  return { ...both, probe, discover };
}

describe('a fleet', () => {
  test('is discovered at /sd and probed to the same values as at once', async () => {
    const { discover, probe, scrape, simulator } = await startFleet({
      SOLAR_COLLECT_ENERGY: 'true',
    });
    const groups = await discover();
    expect(groups.map(({ targets }) => targets)).toEqual(simulator.stationIds.map((id) => [id]));
    expect(groups[0]?.labels).toMatchObject({ __meta_solar_station_name: 'Station 1' });

    const probed: PageSample[] = [];
    for (const stationId of simulator.stationIds) {
      const page = await probe(stationId);
      expect(new Set(page.samples.map(({ labels }) => labels['station_id']))).toEqual(
        new Set([stationId]),
      );
      probed.push(...page.samples);
    }
    const all = await scrape();
    const ofStations = all.samples.filter(({ labels }) => labels['station_id'] !== undefined);
    const durations = 'solar_collector_duration_seconds';
    const comparable = (samples: readonly PageSample[]) =>
      samples.filter(({ name }) => name !== durations).map((sample) => JSON.stringify(sample));
    expect(comparable(probed).toSorted()).toEqual(comparable(ofStations).toSorted());
  });

  test('has a page of the exporter itself, which asks the service for nothing', async () => {
    const { discover, scrape, simulator } = await startFleet({ SOLAR_COLLECT_PROCESS: 'true' });
    const itself = () => scrape({}, '/metrics/self');
    const first = await itself();
    expect(simulator.requests()).toBe(0);
    expect(first.value('solar_session_info', { mode: 'account' })).toBe(1);
    expect(first.value('process_cpu_seconds_total')).toBeGreaterThan(0);

    await discover();
    await scrape();
    const requests = simulator.requests();
    const later = await itself();
    expect(simulator.requests()).toBe(requests);
    expect(later.value('solar_api_requests_total', { operation: 'login', outcome: 'ok' })).toBe(1);
    // Whether the account is up says no more than its stations do.
    expect(later.all('solar_up')).toEqual([]);
    const isOfStation = ({ labels }: PageSample) => labels['station_id'] !== undefined;
    expect(later.samples.filter(isOfStation)).toEqual([]);
    // With what /probe has of the stations, nothing of the whole page is missing.
    const whole = (await scrape()).samples.filter(
      (sample) => !isOfStation(sample) && !/^(process|nodejs)_/.test(sample.name),
    );
    const names = (samples: readonly PageSample[]) =>
      samples.map(({ name, labels }) => `${name} ${JSON.stringify(labels)}`);
    expect(names(later.samples)).toEqual(expect.arrayContaining(names(whole)));
  });

  test('is asked of the service once, however it is scraped', async () => {
    const { discover, probe, scrape, simulator } = await startFleet();
    for (let round = 0; round < 3; round += 1) {
      await discover();
      for (const stationId of simulator.stationIds) await probe(stationId);
      await scrape();
    }
    const asked = ['readings', 'summary', 'stations', 'devices', 'login'] as const;
    expect(asked.map((endpoint) => simulator.requests(endpoint))).toEqual([4, 2, 1, 2, 1]);
  });

  test('keeps its other stations when one fails', async () => {
    const { probe, simulator, clock } = await startFleet();
    const [first = '', second = ''] = simulator.stationIds;
    await probe(second);
    simulator.setFault('devices', SERVER_ERROR);
    clock.advance(1000);
    expect((await probe(first)).value('solar_up')).toBe(0);
    expect((await probe(second)).value('solar_up')).toBe(1);
  });

  test('says what is wrong with a probe', async () => {
    const { scrape } = await startFleet();
    for (const [query, status, says] of [
      ['', 400, 'target: give one station id, as /probe?target=…; /sd lists what is accepted.'],
      ['?target=', 400, 'target: give one station id'],
      ['?Target=1', 400, 'target: give one station id'],
      ['?target=1&target=2', 400, 'target: give one station id'],
      ['?target=12345', 404, 'no station of this exporter has that id'],
      ['?target=__proto__', 404, 'no station of this exporter'],
      ['?target=%00%ff', 404, 'no station of this exporter'],
    ] as const) {
      const answer = await scrape({}, `/probe${query}`);
      expect(answer.status, query).toBe(status);
      expect(answer.text).toContain(says);
    }
  });

  test('is not said to be empty while the service cannot be asked', async () => {
    const { scrape, simulator } = await startFleet();
    simulator.setFault('*', SERVER_ERROR);
    for (const path of ['/sd', '/probe?target=1'])
      expect((await scrape({}, path)).status).toBe(503);
  });
});
