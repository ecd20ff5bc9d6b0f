import { describe, expect, test } from 'vitest';
import { FAMILIES } from '../../../src/client/dialects/field-rule.ts';
import { FAMILY_ROWS, QUIRK_ROWS } from './family-table.ts';
import { measuredIn, readFixture } from './fixture.ts';

describe('an answer in the dialect of its family is read', () => {
  test.each(FAMILY_ROWS)('$file', ({ file, source, family, measured }) => {
    const read = readFixture(file, source);
    expect(read.family).toBe(family);
    expect(measuredIn(read.answer.measurements)).toEqual(measured);
  });

  test('in every family', () => {
    expect(new Set(FAMILY_ROWS.map(({ family }) => family))).toEqual(new Set(FAMILIES));
  });
});

describe('an answer with a quirk is read', () => {
  test.each(QUIRK_ROWS)('$file', ({ file, source, family, measured }) => {
    const read = readFixture(file, source);
    expect(read.family).toBe(family);
    expect(measuredIn(read.answer.measurements)).toEqual(measured);
  });
});

describe('a field that is not read has a reason', () => {
  const NO_VALUE = 'no value';
  test.each([
    {
      file: 'family-hpvinv02-history',
      source: 'history',
      reasons: {
        batteryStatus: 'not exported',
        bmsCurrentSOC: 'placeholder',
        bmsBatteryVoltage: 'placeholder',
        bmsChargingCurrent: 'placeholder',
        bmsDischargingCurrent: 'placeholder',
        outputApparentPower: 'not exported',
        outputLoadPercent: 'not exported',
      },
    },
    { file: 'family-uwb1-history', source: 'history', reasons: { aPhaseMainsPower: 'ambiguous' } },
    {
      file: 'family-msdc-latest',
      source: 'latest',
      reasons: {
        totalActivePowerOfTheElectricMeter: 'sign unconfirmed',
        totalGridPowerPurchase: 'not exported',
        pvMonthlyPowerGeneration: 'not exported',
      },
    },
    {
      file: 'family-sierro-latest',
      source: 'latest',
      reasons: { batteryCapacity: 'not exported' },
    },
    {
      file: 'family-maniy-latest',
      source: 'latest',
      reasons: {
        inputMainsPower: 'sign unconfirmed',
        mainsInputRealTimePower: 'sign unconfirmed',
        gridConnectedPower: 'sign unconfirmed',
        lithiumBatteryChargeDischargeCurrent: 'sign unconfirmed',
      },
    },
    {
      file: 'family-maniy-latest-without-units',
      source: 'latest',
      reasons: { pv1RealTimePower: 'unit unconfirmed', pv2RealTimePower: 'unit unconfirmed' },
    },
    {
      file: 'readings-all-null-keys',
      source: 'history',
      reasons: {
        pvInputPower: NO_VALUE,
        acOutputActivePower: NO_VALUE,
        batteryVoltage: NO_VALUE,
        batterySOC: NO_VALUE,
      },
    },
    {
      file: 'latest-with-numeric-text',
      source: 'latest',
      reasons: { batterySOC: NO_VALUE, pvInputPower: 'ambiguous' },
    },
    {
      file: 'latest-with-mains-in-no-direction',
      source: 'latest',
      reasons: { mainsCurrentFlowDirection: NO_VALUE },
    },
    {
      file: 'latest-with-unknown-keys',
      source: 'latest',
      reasons: { solarYieldNow: 'unknown', houseMeter: 'unknown', generationPower: 'ambiguous' },
    },
  ] as const)('in $file', ({ file, source, reasons }) => {
    const { fields } = readFixture(file, source).answer;
    const unread = fields.filter(({ verdict }) => verdict !== 'read');
    expect(Object.fromEntries(unread.map(({ sample, verdict }) => [sample.key, verdict]))).toEqual(
      reasons,
    );
  });
});
