import { describe, expect, test } from 'vitest';
import { Prober } from '../../src/metrics/probe.ts';
import { RefreshTracker } from '../../src/metrics/refresh-tracker.ts';
import { COLLECTOR_METRICS } from '../../src/collectors/index.ts';
import { renderSamples } from '../../src/metrics/render.ts';
import { createCollection, type HarnessOptions } from '../collectors/collection-harness.ts';
import { settled } from '../support/deferred.ts';

const WAIT_MS = 9500;
const TWO = { account: { house: ['71'], barn: ['81'] } };

function createProber(options: HarnessOptions = TWO) {
  const harness = createCollection(options);
  const prober = new Prober({ ...harness, refreshes: new RefreshTracker(harness) });
  return {
    ...harness,
    prober,
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
    const samples = [...collection.samples()].filter(
      ({ labels }) => labels['station_id'] === 'barn',
    );
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

describe('the list of stations', () => {
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
