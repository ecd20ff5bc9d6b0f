import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { startBoth } from './house.ts';

const DEVICES = 10;

test.each([
  ['that never answer', '*'],
  ['whose readings alone hang', 'readings'],
] as const)(
  'stations %s delay no other, however few requests may be in flight',
  async (_, endpoint) => {
    // Whoever waits for one of the few requests in flight to end waits for longer than the test.
    const { simulator, scrape } = await startBoth({
      simulator: { stations: 4, devicesPerStation: DEVICES },
      flags: { 'request.concurrency': '4', 'request.timeout': '1h', 'scrape.timeout': '100ms' },
    });
    const silent = simulator.stationIds.slice(0, 2);
    const devices = silent.flatMap((stationId) => simulator.deviceIds(stationId));
    simulator.setFault(endpoint, { kind: 'hang', about: [...silent, ...devices] });
    await eventually(async () => {
      const reporting = (await scrape()).all('solar_device_reporting');
      const read = reporting.filter(({ value }) => value === 1);
      for (const stationId of simulator.stationIds)
        expect(read.filter(({ labels }) => labels['station_id'] === stationId)).toHaveLength(
          silent.includes(stationId) ? 0 : DEVICES,
        );
    });
  },
);
