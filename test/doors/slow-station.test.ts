import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { startExporterFor, startService, SteeredClock } from './house.ts';

const DEVICES = 10;

test('stations that never answer delay no other, however few requests may be in flight', async () => {
  const clock = new SteeredClock();
  const size = { stations: 4, devicesPerStation: DEVICES };
  const { simulator, serviceUrl } = await startService(size, clock);
  const silent = simulator.stationIds.slice(0, 2);
  const devices = silent.flatMap((stationId) => simulator.deviceIds(stationId));
  simulator.setFault('*', { kind: 'hang', about: [...silent, ...devices] });
  // Whoever waits for a request to end waits for longer than the test.
  const { scrape } = await startExporterFor(simulator, serviceUrl, clock, {
    flags: { 'request.concurrency': '4', 'request.timeout': '1h', 'scrape.timeout': '100ms' },
  });
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
  const clock = new SteeredClock();
  const size = { stations: 3, devicesPerStation: DEVICES };
  const { simulator, serviceUrl, stationId } = await startService(size, clock);
  simulator.setFault('readings', { kind: 'hang', about: simulator.deviceIds(stationId) });
  const { scrape } = await startExporterFor(simulator, serviceUrl, clock, {
    flags: { 'request.concurrency': '4', 'request.timeout': '1h', 'scrape.timeout': '100ms' },
  });
  await eventually(async () => {
    const page = await scrape();
    const reporting = page.all('solar_device_reporting').filter(({ value }) => value === 1);
    expect(reporting).toHaveLength(2 * DEVICES);
    expect(reporting.map(({ labels }) => labels['station_id'])).not.toContain(stationId);
  });
});
