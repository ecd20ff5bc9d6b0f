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
  return {
    quantity,
    part,
    value,
    ...(ageMs !== undefined && { measuredAtMs: NOW_MS - ageMs }),
  };
}

function report(measurements: readonly Measurement[], serviceAheadMs = 0): DeviceReport {
  return { measurements, dialect: CLASSIC, serviceAheadMs };
}

describe('readings', () => {
  const everything: Readings = {
    pvPowerWatts: 1430,
    batterySocRatio: 0.93,
    pvStrings: new Map([
      ['1', { powerWatts: 820, voltageVolts: 182.4, currentAmperes: 4.5 }],
      ['2', { powerWatts: 610 }],
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

  test('keep a zero', () => {
    const readings = readingsAt(report([aged('pvPowerWatts', 0, 0)]), NOW_MS, MAX_AGE_MS);
    expect(readings.pvPowerWatts).toBe(0);
  });

  test.each([
    { ageMs: 0, isShown: true },
    { ageMs: MAX_AGE_MS, isShown: true },
    { ageMs: MAX_AGE_MS + 1, isShown: false },
    { ageMs: 3 * 24 * HOUR_MS, isShown: false },
    { ageMs: -MAX_AGE_MS, isShown: true },
    { ageMs: -MAX_AGE_MS - 1, isShown: false },
    { ageMs: undefined, isShown: true },
  ])('show every kind of value at the age of $ageMs ms: $isShown', ({ ageMs, isShown }) => {
    const values = [
      aged('pvPowerWatts', 1200, ageMs),
      aged('stringPowerWatts', 820, ageMs, '1'),
      aged('temperatureCelsius', 39, ageMs, 'pv'),
      aged('workingMode', 'line', ageMs),
    ];
    const readings = readingsAt(report(values), NOW_MS, MAX_AGE_MS);
    expect(readings).toEqual(
      isShown
        ? {
            pvPowerWatts: 1200,
            pvStrings: new Map([['1', { powerWatts: 820 }]]),
            temperaturesCelsius: new Map([['pv', 39]]),
            workingMode: 'line',
            dialect: CLASSIC,
          }
        : {
            withdrawn: new Set([
              'pvPowerWatts',
              'stringPowerWatts',
              'temperatureCelsius',
              'workingMode',
            ]),
            dialect: CLASSIC,
          },
    );
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
      pvStrings: new Map([['1', { voltageVolts: 182.4 }]]),
      withdrawn: new Set(['pvPowerWatts', 'stringPowerWatts']),
      dialect: CLASSIC,
    });
  });

  test('keep the time of the newest value when it is too old to show', () => {
    const measuredAtMs = NOW_MS - HOUR_MS;
    const old = reportOf({ batterySocRatio: 0.93, measuredAtMs });
    expect(readingsAt(old, NOW_MS, MAX_AGE_MS)).toEqual({
      measuredAtMs,
      withdrawn: new Set(['batterySocRatio']),
      dialect: CLASSIC,
    });
  });

  test.each([
    { serviceAheadMs: 2 * HOUR_MS, measuredMs: 2 * HOUR_MS - MAX_AGE_MS, isShown: true },
    { serviceAheadMs: 2 * HOUR_MS, measuredMs: 2 * HOUR_MS - MAX_AGE_MS - 1, isShown: false },
    { serviceAheadMs: 2 * HOUR_MS, measuredMs: 0, isShown: false },
    { serviceAheadMs: -2 * HOUR_MS, measuredMs: -2 * HOUR_MS - MAX_AGE_MS, isShown: true },
    { serviceAheadMs: -2 * HOUR_MS, measuredMs: -2 * HOUR_MS - MAX_AGE_MS - 1, isShown: false },
    { serviceAheadMs: -2 * HOUR_MS, measuredMs: -2 * HOUR_MS, isShown: true },
  ])(
    'go by the clock of the service, $serviceAheadMs ms ahead: measured $measuredMs ms from our now, $isShown',
    ({ serviceAheadMs, measuredMs, isShown }) => {
      const values = report([aged('batterySocRatio', 0.93, -measuredMs)], serviceAheadMs);
      const { batterySocRatio } = readingsAt(values, NOW_MS, MAX_AGE_MS);
      expect(batterySocRatio !== undefined).toBe(isShown);
    },
  );
});

describe('the next expiry', () => {
  test.each<{ what: string; ages: readonly (number | undefined)[]; inMs: number }>([
    { what: 'never comes without values', ages: [], inMs: Infinity },
    { what: 'never comes for undated values', ages: [undefined], inMs: Infinity },
    { what: 'never comes for what is too old already', ages: [HOUR_MS], inMs: Infinity },
    { what: 'is after the maximum age', ages: [0], inMs: MAX_AGE_MS + 1 },
    { what: 'is at once at the maximum age', ages: [MAX_AGE_MS], inMs: 1 },
    {
      what: 'is that of the oldest value that is shown',
      ages: [MINUTE_MS, 10 * MINUTE_MS, undefined, HOUR_MS],
      inMs: 5 * MINUTE_MS + 1,
    },
    { what: 'is later for a value from the future', ages: [-MINUTE_MS], inMs: 16 * MINUTE_MS + 1 },
  ])('$what', ({ ages, inMs }) => {
    const values = ages.map((ageMs) => aged('pvPowerWatts', 1200, ageMs));
    expect(nextExpiryAtMs(report(values), NOW_MS, MAX_AGE_MS)).toBe(NOW_MS + inMs);
  });

  test.each([{ serviceAheadMs: 2 * HOUR_MS }, { serviceAheadMs: -2 * HOUR_MS }])(
    'is told by our clock when that of the service is $serviceAheadMs ms ahead',
    ({ serviceAheadMs }) => {
      const values = report(
        [aged('pvPowerWatts', 1200, MINUTE_MS - serviceAheadMs)],
        serviceAheadMs,
      );
      expect(nextExpiryAtMs(values, NOW_MS, MAX_AGE_MS)).toBe(NOW_MS + 14 * MINUTE_MS + 1);
    },
  );

  test('is the first instant at which less is shown', () => {
    const ages = [0, MINUTE_MS, 4 * MINUTE_MS, 15 * MINUTE_MS, HOUR_MS, undefined];
    const values = report(
      ages.map((ageMs, index) => aged('temperatureCelsius', index, ageMs, `${index}`)),
    );
    const shownAt = (nowMs: number) =>
      readingsAt(values, nowMs, MAX_AGE_MS).temperaturesCelsius?.size ?? 0;
    const counts: number[] = [];
    let atMs = NOW_MS;
    for (const left of [4, 3, 2, 1]) {
      atMs = nextExpiryAtMs(values, atMs, MAX_AGE_MS);
      expect(shownAt(atMs - 1)).toBe(left + 1);
      counts.push(shownAt(atMs));
    }
    expect(counts).toEqual([4, 3, 2, 1]);
    expect(nextExpiryAtMs(values, atMs, MAX_AGE_MS)).toBe(Infinity);
  });
});
