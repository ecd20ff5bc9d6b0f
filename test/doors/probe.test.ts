import { describe, expect, test } from 'vitest';
import { type PageSample, ScrapedPage, startBoth } from './house.ts';

const SERVER_ERROR = { kind: 'status', status: 500 } as const;

interface TargetGroup {
  readonly targets: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
}

/** An exporter of two stations, asked as Prometheus asks for a fleet. */
async function startFleet(env: Readonly<Record<string, string>> = {}) {
  const both = await startBoth({ simulator: { stations: 2, devicesPerStation: 2 }, env });
  const ask = async (path: string) => {
    const response = await fetch(both.url + path);
    return { status: response.status, text: await response.text() };
  };
  const probe = async (stationId: string) => {
    const { status, text } = await ask(`/probe?target=${encodeURIComponent(stationId)}`);
    return new ScrapedPage(status, text);
  };
  const discover = async () => JSON.parse((await ask('/sd')).text) as readonly TargetGroup[];
  return { ...both, ask, probe, discover };
}

describe('a fleet', () => {
  test('is discovered at /sd and scraped station by station, to the same values as at once', async () => {
    const { discover, probe, scrape, simulator } = await startFleet();
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
    const { ask, discover, scrape, simulator } = await startFleet({
      SOLAR_COLLECT_PROCESS: 'true',
    });
    const itself = async () => {
      const { status, text } = await ask('/metrics/self');
      return new ScrapedPage(status, text);
    };
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
    expect(later.value('solar_collector_success', { collector: 'stations' })).toBe(1);
    // Whether the account is up says no more than its stations do.
    expect(later.all('solar_up')).toEqual([]);
    const ofStations = later.samples.filter(({ labels }) => labels['station_id'] !== undefined);
    expect(ofStations).toEqual([]);
    // With what /probe has of the stations, nothing of the whole page is missing.
    const whole = (await scrape()).samples.filter(
      ({ name, labels }) => labels['station_id'] === undefined && !/^(process|nodejs)_/.test(name),
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
    // What is live of four devices, and what was counted of them.
    expect(simulator.requests('readings')).toBe(2 * 4);
    expect(simulator.requests('summary')).toBe(2);
    expect(simulator.requests('stations')).toBe(1);
    expect(simulator.requests('devices')).toBe(2);
    expect(simulator.requests('login')).toBe(1);
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

  test.each([
    { path: '/probe', status: 400, says: 'target: give one station id' },
    { path: '/probe?target=', status: 400, says: '/sd lists what is accepted' },
    { path: '/probe?target=1&target=2', status: 400, says: 'target: give one station id' },
    { path: '/probe?target=12345', status: 404, says: 'no station of this exporter has that id' },
    { path: '/probe?target=__proto__', status: 404, says: 'no station of this exporter' },
    { path: '/probe?target=%00%ff', status: 404, says: 'no station of this exporter' },
  ])('answers $status to $path', async ({ path, status, says }) => {
    const { ask } = await startFleet();
    const answer = await ask(path);
    expect(answer.status).toBe(status);
    expect(answer.text).toContain(says);
  });

  test('is not said to be empty while the service cannot be asked', async () => {
    const { ask, simulator } = await startFleet();
    simulator.setFault('*', SERVER_ERROR);
    expect((await ask('/sd')).status).toBe(503);
    expect((await ask('/probe?target=1')).status).toBe(503);
  });
});
