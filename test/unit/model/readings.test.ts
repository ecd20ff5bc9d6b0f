import { describe, expect, test } from 'vitest';
import {
  type DeviceReport,
  type Measurement,
  nextExpiryAtMs,
  type Quantity,
  type Readings,
  readingsAt,
} from '../../../src/model/readings.ts';
import { CLASSIC, reportOf } from '../../support/device-report.ts';
import { HOUR_MS, MINUTE_MS } from '../../support/durations.ts';

const NOW_MS = Date.parse('2026-08-24T08:00:00Z');
const MAX_AGE_MS = 15 * MINUTE_MS;

/** A value of a device so many milliseconds old; undated without an age. */
function aged(quantity: Quantity, value: number | string, ageMs?: number, part = ''): Measurement {
  return { quantity, part, value, ...(ageMs !== undefined && { measuredAtMs: NOW_MS - ageMs }) };
}

function report(measurements: readonly Measurement[]): DeviceReport {
  return { measurements, dialect: CLASSIC, serviceAheadMs: 0 };
}

describe('readings', () => {
  const everything: Readings = {
    pvPowerWatts: 1430,
    batterySocRatio: 0.93,
    pvStrings: new Map([
      ['1', { stringPowerWatts: 820, stringVoltageVolts: 182.4, stringCurrentAmperes: 4.5 }],
      ['2', { stringPowerWatts: 610 }],
    ]),
    temperaturesCelsius: new Map([
      ['pv', 39],
      ['boost', 44],
    ]),
    workingMode: 'line',
    measuredAtMs: NOW_MS - MINUTE_MS,
    dialect: { ...CLASSIC, family: 'hpvinv02', unknownKeys: ['houseMeter'] },
  };

  test('have everything that is young enough in its place', () => {
    expect(readingsAt(reportOf(everything), NOW_MS, MAX_AGE_MS)).toEqual(everything);
  });

  test('have no place for what is unknown', () => {
    expect(readingsAt(report([]), NOW_MS, MAX_AGE_MS)).toEqual({ dialect: CLASSIC });
  });

  test.each([
    [0, true],
    [MAX_AGE_MS, true],
    [MAX_AGE_MS + 1, false],
    [3 * 24 * HOUR_MS, false],
    [-MAX_AGE_MS, true],
    [-MAX_AGE_MS - 1, false],
    [undefined, true],
  ])('show every kind of value at the age of %s ms: %s', (ageMs, isShown) => {
    const values = [
      aged('pvPowerWatts', 1200, ageMs),
      aged('stringPowerWatts', 820, ageMs, '1'),
      aged('temperatureCelsius', 39, ageMs, 'pv'),
      aged('workingMode', 'line', ageMs),
    ];
    const withdrawn = new Set(values.map(({ quantity }) => quantity));
    const shown = {
      pvPowerWatts: 1200,
      pvStrings: new Map([['1', { stringPowerWatts: 820 }]]),
      temperaturesCelsius: new Map([['pv', 39]]),
      workingMode: 'line',
    };
    const readings = readingsAt(report(values), NOW_MS, MAX_AGE_MS);
    expect(readings).toEqual({ ...(isShown ? shown : { withdrawn }), dialect: CLASSIC });
  });

  test('show each value by its own age', () => {
    const values = [
      aged('pvPowerWatts', 1200, 20 * MINUTE_MS),
      aged('batterySocRatio', 0.93, MINUTE_MS),
      aged('stringPowerWatts', 820, 20 * MINUTE_MS, '1'),
      aged('stringVoltageVolts', 182.4, MINUTE_MS, '1'),
      aged('gridVoltageVolts', 230),
    ];
    expect(readingsAt(report(values), NOW_MS, MAX_AGE_MS)).toEqual({
      batterySocRatio: 0.93,
      gridVoltageVolts: 230,
      pvStrings: new Map([['1', { stringVoltageVolts: 182.4 }]]),
      withdrawn: new Set(['pvPowerWatts', 'stringPowerWatts']),
      dialect: CLASSIC,
    });
  });
});

describe('the next expiry', () => {
  test.each<[what: string, ages: readonly (number | undefined)[], inMs: number]>([
    ['never comes without values', [], Infinity],
    ['never comes for undated values', [undefined], Infinity],
    ['never comes for what is too old already', [HOUR_MS], Infinity],
    ['never comes for what goes at this instant', [MAX_AGE_MS + 1], Infinity],
    ['is after the maximum age', [0], MAX_AGE_MS + 1],
    ['is at once at the maximum age', [MAX_AGE_MS], 1],
    ['is that of the oldest shown', [0, 10 * MINUTE_MS, undefined, HOUR_MS], 5 * MINUTE_MS + 1],
    ['is later for a value from the future', [-MINUTE_MS], 16 * MINUTE_MS + 1],
  ])('%s', (_what, ages, inMs) => {
    const values = ages.map((ageMs) => aged('pvPowerWatts', 1200, ageMs));
    expect(nextExpiryAtMs(report(values), NOW_MS, MAX_AGE_MS)).toBe(NOW_MS + inMs);
  });
});
