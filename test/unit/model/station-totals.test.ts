import { describe, expect, test } from 'vitest';
import {
  withoutYesterday,
  countedOfAll,
  type DeviceShare,
  shareOf,
  stationPowers,
} from '../../../src/model/station-totals.ts';
import type { PowerFigure, Readings } from '../../../src/model/readings.ts';

const dialect = { family: 'hpvinv02', source: 'latest', missing: [], unknownKeys: [] } as const;
const LOAD: readonly PowerFigure[] = ['loadPowerWatts'];

/** A device of another family than the specified one, of which nothing counts as 0. */
const of = (readings: Readings, shared: readonly PowerFigure[] = []): DeviceShare | undefined =>
  shareOf({ dialect, ...readings, shared });
const inverter = (pv: number, load: number, battery = 0, measuredAtMs = 0) =>
  of({ pvPowerWatts: pv, loadPowerWatts: load, batteryPowerWatts: battery, measuredAtMs }, LOAD);

test.each<readonly [string, readonly (DeviceShare | undefined)[], object]>([
  [
    'inverters in parallel, whose balance is one',
    [inverter(1500, 3900, 400, 1), inverter(1000, 4000, 500, 2)],
    { figures: { loadPowerWatts: 4000, gridImportPowerWatts: 600 }, partial: [], missing: 0 },
  ],
  [
    'inverters in parallel of which one is silent: there is no balance without it',
    [inverter(1500, 4000), undefined],
    { figures: { loadPowerWatts: 4000, gridImportPowerWatts: undefined }, missing: 1 },
  ],
  [
    'inverters in parallel of which one lacks the load: it is known all the same',
    [inverter(1500, 4000), of({ pvPowerWatts: 1, batteryPowerWatts: 0 }, LOAD)],
    { figures: { loadPowerWatts: 4000 }, missing: 0 },
  ],
])('the totals of a station of %s', (_, devices, totals) => {
  const said = structuredClone(devices);
  const { figures, ...rest } = stationPowers(devices);
  const shown = { gridImportPowerWatts: undefined, ...figures };
  expect({ ...rest, figures: shown }).toMatchObject(totals);
  // They are asked again once another device has more to say.
  expect(devices).toEqual(said);
});

describe('the energy of today', () => {
  const both = [of({ pvPowerWatts: 1 }), of({ pvPowerWatts: 1 })];
  const pv = (...all: readonly number[]) => all.map((pvGeneratedKwh) => ({ pvGeneratedKwh }));

  test.each([
    ['is what all devices counted', both, pv(1, 2), 3],
    ['is unknown where one did not count', both, [...pv(1), undefined], undefined],
    ['is unknown where one is silent', [both[0], undefined], pv(1, 2), undefined],
    ['is unknown of no device', [], [], undefined],
  ] as const)('%s', (_, devices, counted, expected) => {
    expect(countedOfAll(devices, counted).pvGeneratedKwh).toEqual(expected);
  });

  test('of the whole house is that of the device that counted most of it', () => {
    const counted = [{ consumptionKwh: 8 }, { consumptionKwh: 7.5 }];
    const load = (...all: readonly object[]) =>
      countedOfAll([inverter(1, 1), inverter(1, 1)], all).consumptionKwh;
    expect(load(...counted)).toBe(8);
    expect(load({}, { consumptionKwh: 7.5 })).toBe(7.5);
  });

  test.each([
    ['of 0, which is that of yesterday too', { consumptionKwh: 0 }, 1, true],
    ['that is still of yesterday', { pvGeneratedKwh: 20 }, 2.4, false],
    ['that has become what yesterday was', { pvGeneratedKwh: 20 }, 2.5, true],
  ])('a figure %s', (_, today, hours, isPlausibleTime) => {
    const yesterday = { pvGeneratedKwh: 20, consumptionKwh: 0 };
    const said = withoutYesterday({ today, yesterday }, hours * 3_600_000);
    expect(said).toEqual(isPlausibleTime ? today : {});
  });
});
