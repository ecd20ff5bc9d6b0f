import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  BATTERY,
  batteryTerminals,
  maxChargePowerWatts,
  maxDischargePowerWatts,
  socAfter,
} from '../../../src/simulator/physics/battery.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

describe('the battery', () => {
  test('keeps the losses of charging and pays the losses of discharging', () => {
    expect(socAfter(0.5, -1024, HOUR_MS)).toBeCloseTo(0.5 + 0.1 * 0.96, 12);
    expect(socAfter(0.5, 1024, HOUR_MS)).toBeCloseTo(0.5 - 0.1 / 0.96, 12);
    expect(socAfter(0.5, 0, HOUR_MS)).toBe(0.5);
  });

  test('takes nothing when full and gives nothing when empty', () => {
    expect(maxChargePowerWatts(1, MINUTE_MS)).toBe(0);
    expect(maxDischargePowerWatts(0.1, MINUTE_MS)).toBe(0);
  });

  test('keeps its current limits in between', () => {
    const charging = batteryTerminals(0.5, -maxChargePowerWatts(0.5, MINUTE_MS));
    const discharging = batteryTerminals(0.5, maxDischargePowerWatts(0.5, MINUTE_MS));
    expect(charging.amperes).toBeCloseTo(-BATTERY.maxChargingAmperes, 9);
    expect(discharging.amperes).toBeCloseTo(BATTERY.maxDischargeAmperes, 9);
  });

  test('lands exactly on its limits when a step would go beyond them', () => {
    const nearlyFull = 0.9999;
    expect(
      socAfter(nearlyFull, -maxChargePowerWatts(nearlyFull, MINUTE_MS), MINUTE_MS),
    ).toBeCloseTo(1, 12);
    const nearlyEmpty = 0.1001;
    expect(
      socAfter(nearlyEmpty, maxDischargePowerWatts(nearlyEmpty, MINUTE_MS), MINUTE_MS),
    ).toBeCloseTo(0.1, 12);
  });

  test('has a current and a voltage whose product is its power', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0.1, max: 1, noNaN: true }),
        fc.double({ min: -3000, max: 4800, noNaN: true }),
        (socRatio, powerWatts) => {
          const { amperes, volts } = batteryTerminals(socRatio, powerWatts);
          expect(Math.abs(amperes * volts - powerWatts)).toBeLessThan(1e-9);
          expect(volts).toBeGreaterThan(46);
          expect(volts).toBeLessThan(56);
        },
      ),
    );
  });

  test('sags under load and rises while charging', () => {
    const restVolts = batteryTerminals(0.5, 0).volts;
    expect(batteryTerminals(0.5, 2000).volts).toBeLessThan(restVolts);
    expect(batteryTerminals(0.5, -2000).volts).toBeGreaterThan(restVolts);
  });
});
