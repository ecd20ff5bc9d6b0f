import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { deriveMonthlyEnergy, derivePower, isReporting } from '../../src/model/derive.ts';
import type { Readings } from '../../src/model/station.ts';

describe('derivePower', () => {
  test.each<{ when: string; readings: Readings; expected: [number, number, number, number] }>([
    {
      when: 'the sun feeds the house and the battery',
      readings: {
        pvPowerWatts: 3200,
        acOutputPowerWatts: 850,
        gridFeedInPowerWatts: 200,
        batteryChargingCurrentAmperes: 40,
        batteryDischargeCurrentAmperes: 0,
        batteryVoltageVolts: 52,
      },
      expected: [850, -2080, 0, 0],
    },
    {
      when: 'the battery carries the night',
      readings: {
        pvPowerWatts: 0,
        acOutputPowerWatts: 500,
        batteryDischargeCurrentAmperes: 10,
        batteryVoltageVolts: 50,
      },
      expected: [500, 500, 1000, 0],
    },
    {
      when: 'the grid charges the battery',
      readings: {
        acOutputPowerWatts: 500,
        batteryChargingCurrentAmperes: 20,
        batteryVoltageVolts: 50,
      },
      expected: [500, -1000, 0, 1500],
    },
    {
      when: 'both battery currents flow',
      readings: {
        batteryDischargeCurrentAmperes: 12,
        batteryChargingCurrentAmperes: 2,
        batteryVoltageVolts: 48,
      },
      expected: [0, 480, 480, 0],
    },
    {
      when: 'only the load is known',
      readings: { acOutputPowerWatts: 300 },
      expected: [300, 0, 300, 300],
    },
    {
      when: 'only the sun is known',
      readings: { pvPowerWatts: 300 },
      expected: [0, 0, 0, 0],
    },
    {
      when: 'only the feed-in is known',
      readings: { gridFeedInPowerWatts: 40 },
      expected: [0, 0, 40, 40],
    },
    {
      when: 'the battery has a current and no voltage',
      readings: { batteryDischargeCurrentAmperes: 12 },
      expected: [0, 0, 0, 0],
    },
    {
      when: 'the battery has a voltage and no current',
      readings: { batteryVoltageVolts: 52 },
      expected: [0, 0, 0, 0],
    },
    { when: 'nothing is known', readings: {}, expected: [0, 0, 0, 0] },
  ])('$when: load, battery, grid, import are $expected W', ({ readings, expected }) => {
    const power = derivePower(readings);
    expect([
      power.loadPowerWatts,
      power.batteryPowerWatts,
      power.gridPowerWatts,
      power.gridImportPowerWatts,
    ]).toEqual(expected);
  });

  const powerWatts = fc.double({ min: 0, max: 20_000, noNaN: true });
  const amperes = fc.double({ min: 0, max: 200, noNaN: true });
  const anyReadings = fc.record(
    {
      pvPowerWatts: powerWatts,
      acOutputPowerWatts: powerWatts,
      gridFeedInPowerWatts: powerWatts,
      batteryChargingCurrentAmperes: amperes,
      batteryDischargeCurrentAmperes: amperes,
      batteryVoltageVolts: fc.double({ min: 0, max: 500, noNaN: true }),
    },
    { requiredKeys: [] },
  );

  test('every derived power is finite and neither grid power is ever negative', () => {
    fc.assert(
      fc.property(anyReadings, (readings) => {
        const power = derivePower(readings);
        expect(Object.values(power).every(Number.isFinite)).toBe(true);
        expect(power.gridPowerWatts).toBeGreaterThanOrEqual(0);
        expect(power.gridImportPowerWatts).toBeGreaterThanOrEqual(0);
      }),
    );
  });

  test('the battery power is positive only while more is discharged than charged', () => {
    fc.assert(
      fc.property(amperes, amperes, (discharge, charging) => {
        const { batteryPowerWatts } = derivePower({
          batteryDischargeCurrentAmperes: discharge,
          batteryChargingCurrentAmperes: charging,
          batteryVoltageVolts: 50,
        });
        expect(batteryPowerWatts > 0).toBe(discharge > charging);
        expect(batteryPowerWatts < 0).toBe(discharge < charging);
      }),
    );
  });

  test('the grid power is the sum of the interface, and a missing reading is the same as 0', () => {
    fc.assert(
      fc.property(anyReadings, (readings) => {
        const zero = {
          pvPowerWatts: 0,
          acOutputPowerWatts: 0,
          gridFeedInPowerWatts: 0,
          batteryChargingCurrentAmperes: 0,
          batteryDischargeCurrentAmperes: 0,
          batteryVoltageVolts: 0,
        };
        const all = { ...zero, ...readings };
        const batteryWatts =
          (all.batteryDischargeCurrentAmperes - all.batteryChargingCurrentAmperes) *
          all.batteryVoltageVolts;
        const sum =
          all.acOutputPowerWatts - all.pvPowerWatts + batteryWatts + all.gridFeedInPowerWatts;
        expect(derivePower(readings).gridPowerWatts).toBe(Math.max(0, sum));
        expect(derivePower(all)).toEqual(derivePower(readings));
      }),
    );
  });
});

describe('isReporting', () => {
  test.each<{ readings: Readings; expected: boolean }>([
    { readings: {}, expected: false },
    { readings: { pvPowerWatts: undefined, measuredAtMs: undefined }, expected: false },
    { readings: { pvPowerWatts: 0 }, expected: true },
    { readings: { batterySocRatio: 0.5 }, expected: true },
    { readings: { measuredAtMs: 1 }, expected: true },
  ])('of $readings is $expected', ({ readings, expected }) => {
    expect(isReporting(readings)).toBe(expected);
  });
});

describe('deriveMonthlyEnergy', () => {
  const nothing = { pvGeneratedKwh: [], gridImportKwh: [], consumptionKwh: [] };

  test.each([
    { when: 'the first is there', candidates: [120.5, 90, 80], expected: 120.5 },
    { when: 'the first is zero', candidates: [0, 90, 80], expected: 90 },
    { when: 'the first is missing', candidates: [undefined, 90, 80], expected: 90 },
    { when: 'only the last counts', candidates: [undefined, 0, 80], expected: 80 },
    { when: 'all are zero or missing', candidates: [undefined, 0, 0], expected: 0 },
    { when: 'there are none', candidates: [], expected: 0 },
  ])('takes the first non-zero candidate of each quantity: $when', ({ candidates, expected }) => {
    expect(deriveMonthlyEnergy({ ...nothing, pvGeneratedKwh: candidates }).pvGeneratedKwh).toBe(
      expected,
    );
    expect(deriveMonthlyEnergy({ ...nothing, gridImportKwh: candidates }).gridImportKwh).toBe(
      expected,
    );
    expect(deriveMonthlyEnergy({ ...nothing, consumptionKwh: candidates }).consumptionKwh).toBe(
      expected,
    );
  });

  test.each([
    { generated: 140, consumed: 280, percentage: 50 },
    { generated: 1, consumed: 3, percentage: 33.3 },
    { generated: 2, consumed: 3, percentage: 66.7 },
    { generated: 123.4, consumed: 345.6, percentage: 35.7 },
    { generated: 0, consumed: 10, percentage: 0 },
    { generated: 0.004, consumed: 10, percentage: 0 },
    { generated: 30, consumed: 20, percentage: 150 },
    { generated: 30, consumed: 0, percentage: 0 },
    { generated: 30, consumed: -5, percentage: 0 },
  ])(
    '$generated of $consumed kWh are $percentage %, as a ratio',
    ({ generated, consumed, percentage }) => {
      const { solarRatio } = deriveMonthlyEnergy({
        ...nothing,
        pvGeneratedKwh: [generated],
        consumptionKwh: [consumed],
      });
      expect(solarRatio).toBeCloseTo(percentage / 100, 12);
    },
  );

  test('the ratio has at most three decimals, one of the percentage', () => {
    const energyKwh = fc.double({ min: 0.001, max: 5000, noNaN: true });
    fc.assert(
      fc.property(energyKwh, energyKwh, (generated, consumed) => {
        const { solarRatio } = deriveMonthlyEnergy({
          ...nothing,
          pvGeneratedKwh: [generated],
          consumptionKwh: [consumed],
        });
        expect(Number(solarRatio.toFixed(3))).toBe(solarRatio);
        expect(Math.abs(solarRatio - generated / consumed)).toBeLessThanOrEqual(0.000501);
      }),
    );
  });
});
