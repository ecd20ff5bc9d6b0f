import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { derivePower, isReporting } from '../../../src/model/derive.ts';
import type { Readings } from '../../../src/model/readings.ts';
import { CLASSIC } from '../../support/device-report.ts';

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
    { when: 'only the sun is known', readings: { pvPowerWatts: 300 }, expected: [0, 0, 0, 0] },
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
  ])(
    '$when: load, battery, grid by the interface, import are $expected W',
    ({ readings, expected }) => {
      const power = derivePower(readings);
      expect([
        power.loadPowerWatts,
        power.batteryPowerWatts,
        power.interfaceGridPowerWatts,
        power.gridImportPowerWatts,
      ]).toEqual(expected);
    },
  );

  /** What a meter sends: decimals, here counted in their last digit. */
  const hundredths = (most: number) => fc.nat({ max: most * 100 }).map((digits) => digits / 100);
  const tenths = (most: number) => fc.nat({ max: most * 10 }).map((digits) => digits / 10);
  const powerWatts = hundredths(20_000);
  const amperes = tenths(200);
  const anyReadings = fc.record(
    {
      pvPowerWatts: powerWatts,
      acOutputPowerWatts: powerWatts,
      gridFeedInPowerWatts: powerWatts,
      batteryChargingCurrentAmperes: amperes,
      batteryDischargeCurrentAmperes: amperes,
      batteryVoltageVolts: tenths(500),
    },
    { requiredKeys: [] },
  );

  test('every derived power is finite, and neither the import nor the rule of the interface is ever negative', () => {
    fc.assert(
      fc.property(anyReadings, (readings) => {
        const { gridPowerWatts = 0, ...power } = derivePower(readings);
        expect([gridPowerWatts, ...Object.values(power)].every(Number.isFinite)).toBe(true);
        expect(power.gridImportPowerWatts).toBeGreaterThanOrEqual(0);
        expect(power.interfaceGridPowerWatts).toBeGreaterThanOrEqual(0);
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
});

const NOTHING_FLOWS = {
  pvPowerWatts: 0,
  acOutputPowerWatts: 0,
  gridFeedInPowerWatts: 0,
  batteryChargingCurrentAmperes: 0,
  batteryDischargeCurrentAmperes: 0,
  batteryVoltageVolts: 0,
};

describe('the grid power', () => {
  const whole: Readings = {
    pvPowerWatts: 2000,
    acOutputPowerWatts: 4017,
    gridFeedInPowerWatts: 0,
    batteryChargingCurrentAmperes: 0,
    batteryDischargeCurrentAmperes: 33.38,
    batteryVoltageVolts: 50,
  };

  test('is what a meter shows, where the rule of the interface counts the battery as import', () => {
    expect(derivePower(whole)).toMatchObject({
      gridPowerWatts: 348,
      gridImportPowerWatts: 348,
      interfaceGridPowerWatts: 3686,
    });
  });

  test('is negative while the house feeds in', () => {
    const sunny = { ...whole, pvPowerWatts: 6000, gridFeedInPowerWatts: 3652 };
    expect(derivePower(sunny).gridPowerWatts).toBe(-3652);
  });

  test.each(Object.keys(NOTHING_FLOWS))('is unknown where %s only counts as 0', (name) => {
    const power = derivePower({ ...whole, [name]: undefined });
    expect(power.gridPowerWatts).toBeUndefined();
    expect(power.gridImportPowerWatts).toBeGreaterThanOrEqual(0);
  });

  test('is unknown while the feed-in was measured too long ago', () => {
    const old: Readings = {
      ...whole,
      gridFeedInPowerWatts: undefined,
      withdrawn: new Set(['gridFeedInPowerWatts']),
    };
    expect(derivePower(old).gridPowerWatts).toBeUndefined();
  });
});

const UNKNOWN = undefined;

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

  /** Load, battery, net of the grid, its import, and that by the rule of the interface, in W. */
  test.each<{ when: string; readings: Readings; expected: readonly (number | undefined)[] }>([
    { when: 'everything is measured', readings: whole, expected: [700, -500, 200, 200, 0] },
    {
      when: 'the import is measured, which then counts',
      readings: { ...whole, gridImportPowerWatts: 190 },
      expected: [700, -500, 190, 190, 0],
    },
    {
      when: 'a measured import is zero, which then counts',
      readings: { ...whole, gridImportPowerWatts: 0 },
      expected: [700, -500, 0, 0, 0],
    },
    {
      when: 'the feed-in is unknown, which still allows the balance',
      readings: { ...whole, gridFeedInPowerWatts: undefined },
      expected: [700, -500, UNKNOWN, 200, UNKNOWN],
    },
    {
      when: 'something is fed in',
      readings: { ...whole, pvPowerWatts: 1500, gridFeedInPowerWatts: 300 },
      expected: [700, -500, -300, 0, 0],
    },
    {
      when: 'import and feed-in are measured, though nothing else is',
      readings: { dialect, gridImportPowerWatts: 0, gridFeedInPowerWatts: 840.25 },
      expected: [UNKNOWN, UNKNOWN, -840.25, 0, UNKNOWN],
    },
    {
      when: 'the sun is unknown',
      readings: { ...whole, pvPowerWatts: undefined },
      expected: [700, -500, UNKNOWN, UNKNOWN, UNKNOWN],
    },
    {
      when: 'the sun is unknown and the import is measured',
      readings: { ...whole, pvPowerWatts: undefined, gridImportPowerWatts: 190 },
      expected: [700, -500, 190, 190, UNKNOWN],
    },
    {
      when: 'the load is unknown',
      readings: { ...whole, loadPowerWatts: undefined },
      expected: [UNKNOWN, -500, UNKNOWN, UNKNOWN, UNKNOWN],
    },
    {
      when: 'the AC output stands for the load',
      readings: { ...whole, loadPowerWatts: undefined, acOutputPowerWatts: 700 },
      expected: [700, -500, 200, 200, 0],
    },
    {
      when: 'the load is measured beside the AC output',
      readings: { ...whole, acOutputPowerWatts: 650 },
      expected: [700, -500, 200, 200, 0],
    },
    {
      when: 'the battery is unknown',
      readings: { ...whole, batteryPowerWatts: undefined },
      expected: [700, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN],
    },
    {
      when: 'only its voltage is known of the battery',
      readings: { ...whole, batteryPowerWatts: undefined, batteryVoltageVolts: 50 },
      expected: [700, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN],
    },
    {
      when: 'one current is unknown of the battery',
      readings: {
        ...whole,
        batteryPowerWatts: undefined,
        batteryVoltageVolts: 50,
        batteryChargingCurrentAmperes: 10,
      },
      expected: [700, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN],
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
      expected: [700, -500, 200, 200, 0],
    },
    {
      when: 'the house is measured beside the AC output, by which the interface goes',
      readings: { ...whole, acOutputPowerWatts: 1650, batteryPowerWatts: 0 },
      expected: [700, 0, 0, 0, 650],
    },
    {
      when: 'the measured power of the battery wins over its terminals',
      readings: {
        ...whole,
        batteryVoltageVolts: 50,
        batteryChargingCurrentAmperes: 11,
        batteryDischargeCurrentAmperes: 0,
      },
      expected: [700, -500, 200, 200, 0],
    },
    {
      when: 'nothing is known',
      readings: { dialect },
      expected: [UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN],
    },
  ])('$when', ({ readings, expected }) => {
    const power = derivePower(readings);
    expect([
      power.loadPowerWatts,
      power.batteryPowerWatts,
      power.gridPowerWatts,
      power.gridImportPowerWatts,
      power.interfaceGridPowerWatts,
    ]).toEqual(expected);
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
      gridImportPowerWatts: 300,
      interfaceGridPowerWatts: 300,
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
