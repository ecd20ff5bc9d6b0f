import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { derivePower, isReporting } from '../../src/model/derive.ts';
import type { Readings } from '../../src/model/readings.ts';
import { CLASSIC } from '../support/device-report.ts';

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
        const { batteryPowerWatts = NaN } = derivePower({
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

describe('derivePower of a device that does not speak the dialect of the interface', () => {
  const dialect = { ...CLASSIC, family: 'uwb1' };
  /** The sun feeds the house and charges the battery; the rest comes from the grid. */
  const whole: Readings = {
    dialect,
    pvPowerWatts: 1000,
    loadPowerWatts: 700,
    batteryPowerWatts: -500,
    gridFeedInPowerWatts: 0,
  };

  test.each<{ when: string; readings: Readings; expected: object }>([
    {
      when: 'everything is measured',
      readings: whole,
      expected: {
        loadPowerWatts: 700,
        batteryPowerWatts: -500,
        gridPowerWatts: 0,
        gridImportPowerWatts: 200,
      },
    },
    {
      when: 'the import is measured, which then counts',
      readings: { ...whole, gridImportPowerWatts: 190 },
      expected: {
        loadPowerWatts: 700,
        batteryPowerWatts: -500,
        gridPowerWatts: 0,
        gridImportPowerWatts: 190,
      },
    },
    {
      when: 'a measured import is zero, which then counts',
      readings: { ...whole, gridImportPowerWatts: 0 },
      expected: {
        loadPowerWatts: 700,
        batteryPowerWatts: -500,
        gridPowerWatts: 0,
        gridImportPowerWatts: 0,
      },
    },
    {
      when: 'the feed-in is unknown, which still allows the balance',
      readings: { ...whole, gridFeedInPowerWatts: undefined },
      expected: {
        loadPowerWatts: 700,
        batteryPowerWatts: -500,
        gridImportPowerWatts: 200,
      },
    },
    {
      when: 'something is fed in',
      readings: { ...whole, pvPowerWatts: 1500, gridFeedInPowerWatts: 300 },
      expected: {
        loadPowerWatts: 700,
        batteryPowerWatts: -500,
        gridPowerWatts: 0,
        gridImportPowerWatts: 0,
      },
    },
    {
      when: 'the sun is unknown',
      readings: { ...whole, pvPowerWatts: undefined },
      expected: { loadPowerWatts: 700, batteryPowerWatts: -500 },
    },
    {
      when: 'the sun is unknown and the import is measured',
      readings: { ...whole, pvPowerWatts: undefined, gridImportPowerWatts: 190 },
      expected: { loadPowerWatts: 700, batteryPowerWatts: -500, gridImportPowerWatts: 190 },
    },
    {
      when: 'the load is unknown',
      readings: { ...whole, loadPowerWatts: undefined },
      expected: { batteryPowerWatts: -500 },
    },
    {
      when: 'the AC output stands for the load',
      readings: { ...whole, loadPowerWatts: undefined, acOutputPowerWatts: 700 },
      expected: {
        loadPowerWatts: 700,
        batteryPowerWatts: -500,
        gridPowerWatts: 0,
        gridImportPowerWatts: 200,
      },
    },
    {
      when: 'the load is measured beside the AC output',
      readings: { ...whole, acOutputPowerWatts: 650 },
      expected: {
        loadPowerWatts: 700,
        batteryPowerWatts: -500,
        gridPowerWatts: 0,
        gridImportPowerWatts: 200,
      },
    },
    {
      when: 'the battery is unknown',
      readings: { ...whole, batteryPowerWatts: undefined },
      expected: { loadPowerWatts: 700 },
    },
    {
      when: 'only its voltage is known of the battery',
      readings: { ...whole, batteryPowerWatts: undefined, batteryVoltageVolts: 50 },
      expected: { loadPowerWatts: 700 },
    },
    {
      when: 'one current is unknown of the battery',
      readings: {
        ...whole,
        batteryPowerWatts: undefined,
        batteryVoltageVolts: 50,
        batteryChargingCurrentAmperes: 10,
      },
      expected: { loadPowerWatts: 700 },
    },
    {
      when: 'the battery is measured at its terminals',
      readings: {
        ...whole,
        batteryPowerWatts: undefined,
        batteryVoltageVolts: 50,
        batteryChargingCurrentAmperes: 10,
        batteryDischargeCurrentAmperes: 0,
      },
      expected: {
        loadPowerWatts: 700,
        batteryPowerWatts: -500,
        gridPowerWatts: 0,
        gridImportPowerWatts: 200,
      },
    },
    {
      when: 'the measured power of the battery wins over its terminals',
      readings: {
        ...whole,
        batteryVoltageVolts: 50,
        batteryChargingCurrentAmperes: 11,
        batteryDischargeCurrentAmperes: 0,
      },
      expected: {
        loadPowerWatts: 700,
        batteryPowerWatts: -500,
        gridPowerWatts: 0,
        gridImportPowerWatts: 200,
      },
    },
    { when: 'nothing is known', readings: { dialect }, expected: {} },
  ])('$when', ({ readings, expected }) => {
    expect(derivePower(readings)).toEqual(expected);
  });

  test.each([{ family: 'unknown' }, { family: 'hpvinv02' }])(
    'of the family $family invents no zero',
    ({ family }) => {
      const readings = { dialect: { ...CLASSIC, family }, batteryVoltageVolts: 52 };
      expect(derivePower(readings)).toEqual({});
    },
  );

  test('of the classic family is derived as the interface says, as is one without a dialect', () => {
    const readings = { acOutputPowerWatts: 300 };
    expect(derivePower({ ...readings, dialect: CLASSIC })).toEqual({
      loadPowerWatts: 300,
      batteryPowerWatts: 0,
      gridPowerWatts: 300,
      gridImportPowerWatts: 300,
    });
    expect(derivePower(readings)).toEqual(derivePower({ ...readings, dialect: CLASSIC }));
  });

  test('of the classic family has what it measures itself', () => {
    const readings = { ...whole, dialect: CLASSIC, gridImportPowerWatts: 190 };
    expect(derivePower(readings)).toMatchObject({
      loadPowerWatts: 700,
      batteryPowerWatts: -500,
      gridImportPowerWatts: 190,
    });
  });
});

describe('isReporting', () => {
  test.each<{ readings: Readings; expected: boolean }>([
    { readings: {}, expected: false },
    { readings: { pvPowerWatts: undefined, measuredAtMs: undefined }, expected: false },
    { readings: { pvPowerWatts: 0 }, expected: true },
    { readings: { batterySocRatio: 0.5 }, expected: true },
    { readings: { pvPowerWatts: 0, measuredAtMs: 1, dialect: CLASSIC }, expected: true },
    { readings: { workingMode: 'line' }, expected: true },
    { readings: { pvStrings: new Map([['1', { powerWatts: 0 }]]) }, expected: true },
    { readings: { temperaturesCelsius: new Map([['pv', 39]]) }, expected: true },
    { readings: { measuredAtMs: 1 }, expected: false },
    { readings: { dialect: CLASSIC }, expected: false },
    { readings: { measuredAtMs: 1, dialect: CLASSIC }, expected: false },
  ])('of $readings is $expected', ({ readings, expected }) => {
    expect(isReporting(readings)).toBe(expected);
  });
});
