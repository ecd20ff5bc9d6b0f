import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { startBoth } from './house.ts';

const DEVICES = 10;

/** Few requests may be in flight, and whoever waits for one to end waits for longer than the test. */
const startStations = (stations: number) =>
  startBoth({
    simulator: { stations, devicesPerStation: DEVICES },
    flags: { 'request.concurrency': '4', 'request.timeout': '1h', 'scrape.timeout': '100ms' },
  });

test('stations that never answer delay no other, however few requests may be in flight', async () => {
  const { simulator, scrape } = await startStations(4);
  const silent = simulator.stationIds.slice(0, 2);
  const devices = silent.flatMap((stationId) => simulator.deviceIds(stationId));
  simulator.setFault('*', { kind: 'hang', about: [...silent, ...devices] });
  await eventually(async () => {
    const page = await scrape();
    for (const stationId of simulator.stationIds)
      expect(
        page
          .all('solar_device_reporting')
          .filter(({ labels, value }) => labels['station_id'] === stationId && value === 1),
      ).toHaveLength(silent.includes(stationId) ? 0 : DEVICES);
  });
});

test('a station whose readings alone hang delays no other', async () => {
  const { simulator, stationId, scrape } = await startStations(3);
  simulator.setFault('readings', { kind: 'hang', about: simulator.deviceIds(stationId) });
  await eventually(async () => {
    const page = await scrape();
    const reporting = page.all('solar_device_reporting').filter(({ value }) => value === 1);
    expect(reporting).toHaveLength(2 * DEVICES);
    expect(reporting.map(({ labels }) => labels['station_id'])).not.toContain(stationId);
  });
});
