import { describe, expect, test } from 'vitest';
import { Prober } from '../../src/metrics/probe.ts';
import { RefreshTracker } from '../../src/metrics/refresh-tracker.ts';
import { COLLECTOR_METRICS } from '../../src/collectors/index.ts';
import { renderSamples } from '../../src/metrics/render.ts';
import {
  createCollection,
  HOUR_MS,
  type HarnessOptions,
  MINUTE_MS,
  SECOND_MS,
  samplesOf,
} from '../collectors/collection-harness.ts';
import { settled } from '../support/deferred.ts';

const WAIT_MS = 9500;
const TWO = { account: { house: ['71'], barn: ['81'] } };

function createProber(options: HarnessOptions = TWO) {
  const harness = createCollection(options);
  const parts = {
    ...harness,
    refreshes: new RefreshTracker(harness),
    page: { maxSeries: 1000, drops: harness.drops },
  };
  const prober = new Prober(parts);
  return {
    ...harness,
    prober,
    /** The page for one who waits for nothing: the one that is kept, or one made anew. */
    atOnce: async (stationId: string, asked = prober) => {
      const answered = asked.probe(stationId, 0);
      await settled();
      harness.clock.advance(0);
      return answered;
    },
    newProber: () => new Prober(parts),
    probe: async (stationId: string) =>
      (await prober.probe(stationId, WAIT_MS))?.body.toString('utf8'),
  };
}

describe('a probe', () => {
  test('is the page of one station, and asks about no other', async () => {
    const { probe, api } = createProber();
    const page = await probe('barn');
    expect(page).toContain('solar_up{station_id="barn"} 1\n');
    expect(page).toContain('solar_pv_power_watts{station_id="barn",device_id="81"}');
    expect(page).not.toContain('"house"');
    expect(page).not.toContain('solar_api_requests_total');
    expect(api.questions.filter((question) => question.includes('house'))).toEqual([]);
  });

  test('has the same lines that the page of all stations has', async () => {
    const { probe, collection } = createProber();
    const page = (await probe('barn')) ?? '';
    await collection.refresh();
    const samples = samplesOf(collection).filter(({ labels }) => labels['station_id'] === 'barn');
    const expected = renderSamples(COLLECTOR_METRICS, samples);
    expect(samples.length).toBeGreaterThan(10);
    expect(page.endsWith(expected)).toBe(true);
  });

  test('of a known station does not wait for the station list, which is asked for beside it', async () => {
    const { probe, api, clock } = createProber();
    await probe('barn');
    clock.advance(3_600_000);
    const list = api.hang('stations');
    expect(await probe('barn')).toContain('solar_pv_power_watts');

    list.resolve([{ stationId: 'house' }, { stationId: 'castle' }]);
    await settled();
    expect(await probe('castle')).toContain('station_id="castle"');
  });

  test('of a station that has left is refused once that is confirmed', async () => {
    const { probe, api, clock } = createProber();
    await probe('barn');
    api.stations = [{ stationId: 'house' }];
    api.fail('readings 81', 'SERVICE_API_REFUSED');
    clock.advance(3_600_000);
    expect(await probe('barn')).toBeDefined();
    clock.advance(3_600_000);
    await probe('barn');
    expect(await probe('barn')).toBeUndefined();
  });

  test('asks nothing while everything is fresh', async () => {
    const { probe, api } = createProber();
    await probe('barn');
    const asked = api.questions.length;
    await probe('barn');
    expect(api.questions).toHaveLength(asked);
  });

  test('knows no station that the account does not have', async () => {
    const { probe, api } = createProber();
    expect(await probe('castle')).toBeUndefined();
    expect(api.questions).toEqual(['stations']);
  });

  test('is the page of a station that is down while the service fails it', async () => {
    const { probe, api } = createProber();
    api.fail('devices barn', 'SERVICE_SERVER_ERROR');
    expect(await probe('barn')).toContain('solar_up{station_id="barn"} 0\n');
    expect(await probe('house')).toContain('solar_up{station_id="house"} 1\n');
  });

  test('waits for the service no longer than it is told to', async () => {
    const { prober, api, clock } = createProber();
    await prober.probe('barn', WAIT_MS);
    clock.advance(60_000);
    api.hang('readings 81');
    const answered = prober.probe('barn', 500);
    await settled();
    clock.advance(500);
    expect((await answered)?.body.toString('utf8')).toContain('solar_pv_power_watts');
  });
});

describe('the page of a probe', () => {
  test('is made once, however many ask', async () => {
    const { prober } = createProber();
    const [first, ...others] = await Promise.all(
      [1, 2, 3].map(() => prober.probe('barn', WAIT_MS)),
    );
    for (const other of [...others, await prober.probe('barn', WAIT_MS)]) expect(other).toBe(first);
    expect(await first?.gzipped()).toBe(await others[0]?.gzipped());
  });

  test('is made anew when its station changes, and not when another does', async () => {
    const { prober, clock } = createProber();
    const house = await prober.probe('house', WAIT_MS);
    clock.advance(30 * SECOND_MS);
    const barn = await prober.probe('barn', WAIT_MS);
    clock.advance(30 * SECOND_MS);
    expect(await prober.probe('house', WAIT_MS)).not.toBe(house);
    expect(await prober.probe('barn', WAIT_MS)).toBe(barn);
  });

  test('is not made again while the service does not answer', async () => {
    const { prober, atOnce, api, clock } = createProber();
    await prober.probe('barn', WAIT_MS);
    clock.advance(MINUTE_MS);
    api.hang('readings 81');
    const page = await atOnce('barn');
    expect(await atOnce('barn')).toBe(page);
  });

  test('is always the one that would be made now', async () => {
    const { probe, atOnce, newProber, api, clock } = createProber();
    const expectUpToDate = async (): Promise<void> => {
      for (const stationId of ['house', 'barn']) {
        const page = await atOnce(stationId);
        expect(String(page?.body)).toEqual(String((await atOnce(stationId, newProber()))?.body));
      }
    };
    await probe('house');
    await probe('barn');
    expect(await probe('house')).toContain('device_id="71"');
    await expectUpToDate();

    // The list of the barn says that a device of the house is its own.
    api.devices.set('barn', [{ deviceId: '81' }, { deviceId: '71', stationId: 'barn' }]);
    clock.advance(HOUR_MS);
    await probe('house');
    await expectUpToDate();
    await probe('barn');
    await expectUpToDate();
    expect(await probe('house')).not.toContain('device_id="71"');
    expect(await probe('barn')).toContain('device_id="71"');

    // Values are withdrawn without any answer of the service.
    for (const what of ['readings 71', 'readings 81', 'devices barn', 'devices house'] as const)
      api.hang(what);
    clock.advance(30 * MINUTE_MS);
    await expectUpToDate();
    expect(String((await atOnce('barn'))?.body)).not.toContain('solar_pv_power_watts');
  });

  test('is made anew when the clock was set back', async () => {
    const { prober, atOnce, api, clock } = createProber();
    const page = await prober.probe('barn', WAIT_MS);
    for (const what of ['stations', 'readings 81', 'devices barn'] as const) api.hang(what);
    clock.advance(-HOUR_MS);
    const after = await atOnce('barn');
    expect(after).not.toBe(page);
    expect(String(after?.body)).not.toContain('solar_pv_power_watts');
  });
});

describe('the list of stations', () => {
  test('is the same one until something changes', async () => {
    const { prober, clock } = createProber();
    const listed = await prober.stations(WAIT_MS);
    expect(await prober.stations(WAIT_MS)).toBe(listed);
    clock.advance(HOUR_MS);
    expect(await prober.stations(WAIT_MS)).not.toBe(listed);
  });

  test('is asked of the account once, and then as often as it is due', async () => {
    const { prober, api, clock } = createProber();
    const ids = async () => (await prober.stations(WAIT_MS))?.map(({ stationId }) => stationId);
    expect(await ids()).toEqual(['house', 'barn']);
    expect(await ids()).toEqual(['house', 'barn']);
    expect(api.questions).toEqual(['stations']);
    clock.advance(3_600_000);
    expect(await ids()).toEqual(['house', 'barn']);
    expect(api.questions).toEqual(['stations', 'stations']);
  });

  test('is unknown until the account has answered', async () => {
    const { prober, api } = createProber();
    api.fail('stations', 'SERVICE_TIMEOUT');
    expect(await prober.stations(WAIT_MS)).toBeUndefined();
  });

  test('is the configured one where there is one, without a question', async () => {
    const { prober, api } = createProber({ ...TWO, stationIds: ['barn'] });
    expect(await prober.stations(WAIT_MS)).toEqual([{ stationId: 'barn', timeZone: undefined }]);
    expect(api.questions).toEqual([]);
  });

  test('brings the name and the time zone as soon as they are known', async () => {
    const { prober, probe, api } = createProber({ ...TWO, stationIds: ['barn'] });
    api.devices.set('barn', [
      { deviceId: '81', stationName: 'Barn', stationTimeZone: 'Asia/Tokyo' },
    ]);
    await probe('barn');
    expect(await prober.stations(WAIT_MS)).toEqual([
      { stationId: 'barn', name: 'Barn', timeZone: 'Asia/Tokyo' },
    ]);
  });
});
