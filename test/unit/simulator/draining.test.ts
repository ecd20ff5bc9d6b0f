import { expect, test } from 'vitest';
import { createSimulator, FAMILIES } from '../../../src/simulator/simulator.ts';
import { RULES } from '../../support/rules.ts';
import { MINUTE_MS } from '../../support/durations.ts';
import { FakeClock } from '../../support/fake-clock.ts';

const clock = new FakeClock('2026-11-22T10:00:00Z');

test.each([
  ...FAMILIES.map((family) => ({ family })),
  ...[1, 2, 3, 4].map((seed) => ({ seed, timeZone: 'Europe/Berlin' })),
])('a draining battery brings both alerts within ten minutes, for %j', (options) => {
  const simulator = createSimulator({ drain: true, ...options }, clock);
  const [deviceId = ''] = simulator.deviceIds(simulator.stationIds[0] ?? '');
  for (const [level, ratio] of [
    ['Low', 0.2],
    ['Critical', 0.1],
  ] as const) {
    const minutes = Number(
      /^(\d+)m$/.exec(RULES.find(({ alert }) => alert === `SolarBattery${level}`)?.for ?? '')?.[1],
    );
    // A scrape and an evaluation of the rules may come half a minute late; the inverter shows whole points.
    const lowAtMs = clock.nowMs() + (9.5 - minutes) * MINUTE_MS;
    const charge = simulator.truth(deviceId, lowAtMs).batterySocRatio;
    expect(Math.round(charge * 100) / 100).toBeLessThan(ratio);
  }
});
