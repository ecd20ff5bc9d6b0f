import { describe, expect, test } from 'vitest';
import { DRAIN_ALERTS, expectedAlerts } from '../../../src/commands/drain.ts';
import { createSimulator, FAMILIES } from '../../../src/simulator/simulator.ts';
import { RULES } from '../../support/rules.ts';
import { FakeClock } from '../../support/fake-clock.ts';

const clock = new FakeClock('2026-11-22T10:00:00Z');

describe('what the demo says of its draining battery', () => {
  test.each([
    ...FAMILIES.map((family) => ({ family })),
    ...[1, 2, 3, 4, 5, 6, 7, 8].map((seed) => ({ seed, timeZone: 'Europe/Berlin' })),
  ])('is that both alerts fire within ten minutes, for %j', (options) => {
    const alerts = expectedAlerts(
      createSimulator({ drain: true, ...options }, clock),
      clock.nowMs(),
    );
    expect(alerts.map(({ name }) => name)).toEqual(['SolarBatteryLow', 'SolarBatteryCritical']);
    for (const { inMinutes } of alerts) {
      expect(inMinutes).toBeGreaterThanOrEqual(5);
      expect(inMinutes).toBeLessThanOrEqual(10);
    }
  });

  test.each(DRAIN_ALERTS)('goes by the rule of $name', ({ name, belowRatio, forMinutes }) => {
    expect(RULES.find(({ alert }) => alert === name)?.for).toBe(`${forMinutes}m`);
    const level = name.replace('SolarBattery', '').toLowerCase();
    const threshold = RULES.find(
      ({ record }) => record === `solar:battery_${level}_threshold:ratio`,
    );
    expect(threshold?.expr).toMatch(new RegExp(`\\+ ${belowRatio.toFixed(2)}\\s*$`));
  });
});
