import { expect, test } from 'vitest';
import { DeviceEndpoints } from '../../../src/client/devices/device-endpoints.ts';
import { createCaller } from '../exchange/caller-harness.ts';

const MINUTE_MS = 60_000;

/** Asks for a series while the service's clock is so far ahead; returns the window, in minutes from our now. */
async function windowOf(aheadMinutes: number, windowMinutes?: number) {
  const { caller, clock, serviceClock, transport } = createCaller(
    () => ({ code: 0, data: { payload: null } }),
    { timeZone: 'UTC' },
  );
  serviceClock.observe(clock.nowMs() + aheadMinutes * MINUTE_MS);
  const windowMs = windowMinutes === undefined ? undefined : windowMinutes * MINUTE_MS;
  await new DeviceEndpoints(caller).history({ deviceId: '1', windowMs }, []);
  const [body] = transport.bodies as { fromTime: string; toTime: string }[];
  const minutesFromNow = (time = '') => (Date.parse(time) - clock.nowMs()) / MINUTE_MS;
  return [minutesFromNow(body?.fromTime), minutesFromNow(body?.toTime)];
}

test.each([
  { when: 'the clocks agree', ahead: 0, window: [-60, 0] },
  { when: 'the service is ahead, by half an hour', ahead: 30, window: [-60, 30] },
  { when: 'the service is behind, by half an hour', ahead: -30, window: [-90, 0] },
  { when: 'our clock is clearly wrong', ahead: 120, window: [60, 120] },
  { when: 'our clock is clearly wrong, the other way', ahead: -120, window: [-180, -120] },
])('a series is asked for the last hour by both clocks when $when', async ({ ahead, window }) => {
  expect(await windowOf(ahead)).toEqual(window);
});

test('a series is asked for a longer window where readings are far apart', async () => {
  expect(await windowOf(0, 75)).toEqual([-75, 0]);
});
