import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Fleet, totalWeight } from '../../../src/simulator/physics/fleet.ts';
import { createInverter } from '../../../src/simulator/physics/inverter.ts';
import {
  advancePlant,
  BATTERY,
  plantState,
  type PlantState,
} from '../../../src/simulator/physics/plant.ts';
import { deriveSeed, seededUnit, smoothNoise } from '../../../src/simulator/physics/seeded.ts';
import { StationCalendar } from '../../../src/simulator/physics/station-calendar.ts';
import { StationPlant } from '../../../src/simulator/physics/station-plant.ts';
import {
  clearSkyWattsPerSquareMetre,
  createHousehold,
  createWeather,
  sunOfDay,
} from '../../../src/simulator/physics/sun-and-house.ts';
import { NO_ENERGY } from '../../../src/simulator/physics/energy.ts';
import { HOUR_MS, MINUTE_MS } from '../../support/durations.ts';

const MIDNIGHT_MS = Date.parse('2026-03-03T00:00:00+08:00');
const manila = new StationCalendar('Asia/Manila');

function minutesOf(plant: StationPlant, fromMs: number, count: number): readonly PlantState[] {
  return Array.from({ length: count }, (_, minute) => plant.stateAt(fromMs + minute * MINUTE_MS));
}

describe('chance', () => {
  test('is the same for the same seed and spread over 0 to 1', () => {
    const draws = Array.from({ length: 10_000 }, (_, index) => seededUnit(7, index));
    expect(draws).toEqual(Array.from({ length: 10_000 }, (_, index) => seededUnit(7, index)));
    expect(Math.min(...draws)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...draws)).toBeLessThan(1);
    expect(draws.reduce((sum, draw) => sum + draw) / draws.length).toBeCloseTo(0.5, 1);
    expect(deriveSeed(1, 'ab', 'c')).not.toBe(deriveSeed(1, 'a', 'bc'));
  });

  test('is smooth between its points', () => {
    for (let position = -3; position < 3; position += 0.01)
      expect(Math.abs(smoothNoise(3, position) - smoothNoise(3, position + 0.01))).toBeLessThan(
        0.02,
      );
    expect(smoothNoise(3, 5)).toBe(seededUnit(3, 5));
  });
});

describe('the sun and the house', () => {
  test.each([
    ['Berlin in June', 52.5, 172, 0.87, 16.6],
    ['Berlin in December', 52.5, 355, 0.24, 7.4],
    ['the equator in March', 0, 81, 1, 12],
    ['the south in December', -52.5, 355, 0.97, 16.6],
  ])('%s: the sun rises as high, and as long', (_place, latitude, day, noon, hours) => {
    const sun = sunOfDay(latitude, day);
    const sines = Array.from({ length: 2400 }, (_, step) => sun(step / 100));
    const up = sines.filter((sine) => sine > 0);
    expect(Math.abs(up.length / 100 - hours)).toBeLessThan(1);
    expect(Math.abs(sun(12) - noon)).toBeLessThan(0.11);
    expect(clearSkyWattsPerSquareMetre(sun(0))).toBe(0);
    expect(clearSkyWattsPerSquareMetre(sun(12))).toBeLessThan(1100);
  });

  test('clouds let a quarter to all of the light through, and a house never draws nothing', () => {
    const [weather, household] = [createWeather(4), createHousehold(4)];
    const instants = Array.from({ length: 2000 }, (_, at) => MIDNIGHT_MS + at * 11 * MINUTE_MS);
    const shares = instants.map(weather);
    expect(Math.min(...shares)).toBeGreaterThanOrEqual(0.25);
    expect(Math.min(...shares)).toBeLessThan(0.6);
    expect(Math.max(...shares)).toBeLessThanOrEqual(1);
    const night = instants.map((atMs) => household(atMs, 3));
    const evening = instants.map((atMs) => household(atMs, 19.5));
    expect(Math.min(...night)).toBeGreaterThan(150);
    expect(Math.max(...night)).toBeLessThan(Math.min(...evening));
  });
});

describe('the battery', () => {
  const step = (pvPowerWatts: number, loadPowerWatts: number, socRatio: number) => {
    const inputs = { pvPowerWatts, loadPowerWatts };
    const after = advancePlant({ ...NO_ENERGY, socRatio }, inputs, MINUTE_MS);
    return { ...plantState(inputs, socRatio, MINUTE_MS), socAfter: after.socRatio };
  };

  test.each([
    ['it is full', 5000, 0, 1, 0, 1],
    ['it is empty', 0, 5000, 0.1, 0, 0.1],
    ['a step would fill it', 5000, 0, 0.9999, -64, 1],
    ['a step would empty it', 0, 5000, 0.1001, 58.98, 0.1],
    ['it takes and loses', 1024, 0, 0.5, -1024, 0.5 + 0.0016],
    ['it gives and loses', 0, 1024, 0.5, 1024, 0.5 - 0.0016 / 0.96 ** 2],
  ])('moves what it can when %s', (_when, pv, load, soc, battery, after) => {
    const { batteryPowerWatts, socAfter } = step(pv, load, soc);
    expect(batteryPowerWatts).toBeCloseTo(battery, 1);
    expect(socAfter).toBeCloseTo(after, 4);
  });

  test('keeps its current limits, sags under load and rises while it is charged', () => {
    const [charged, resting, drained] = [step(9000, 0, 0.5), step(0, 0, 0.5), step(0, 9000, 0.5)];
    expect(charged.batteryChargingCurrentAmperes).toBeCloseTo(BATTERY.maxChargingAmperes, 9);
    expect(drained.batteryDischargeCurrentAmperes).toBeCloseTo(BATTERY.maxDischargeAmperes, 9);
    expect(charged.batteryVoltageVolts).toBeGreaterThan(resting.batteryVoltageVolts);
    expect(drained.batteryVoltageVolts).toBeLessThan(resting.batteryVoltageVolts);
  });
});

describe('a plant', () => {
  test('balances its energy and its battery in every minute of a day, whatever the seed', () => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const day = minutesOf(new StationPlant(seed, manila), MIDNIGHT_MS, 1440);
        for (const state of day) {
          const charging = state.batteryChargingCurrentAmperes;
          const discharging = state.batteryDischargeCurrentAmperes;
          const batteryWatts = (discharging - charging) * state.batteryVoltageVolts;
          const inflow = state.pvPowerWatts + state.gridImportPowerWatts + state.batteryPowerWatts;
          expect(inflow).toBeCloseTo(state.loadPowerWatts + state.gridFeedInPowerWatts, 6);
          expect(batteryWatts).toBeCloseTo(state.batteryPowerWatts, 6);
          expect(charging * discharging).toBe(0);
          expect(state.gridImportPowerWatts * state.gridFeedInPowerWatts).toBe(0);
          expect(state.batterySocRatio).toBeGreaterThan(0.1 - 1e-9);
          expect(state.batterySocRatio).toBeLessThan(1 + 1e-9);
        }
        const watts = day.map(({ pvPowerWatts }) => pvPowerWatts);
        const peak = watts.indexOf(Math.max(...watts));
        expect(Math.abs(peak / 60 - 12)).toBeLessThan(4);
        expect(watts[120]).toBe(0);
      }),
      { numRuns: 6 },
    );
  });

  test('is the same for the same seed, in whatever order it is asked, also of months it has forgotten', () => {
    const [forward, backward] = [new StationPlant(9, manila), new StationPlant(9, manila)];
    const hours = [3, 40, 41, 300, 2000, 3000, 4000, 5000, 6000];
    const instants = hours.map((hour) => MIDNIGHT_MS + hour * HOUR_MS);
    const seen = instants.map((atMs) => forward.stateAt(atMs));
    expect(instants.toReversed().map((atMs) => backward.stateAt(atMs))).toEqual(seen.toReversed());
    expect(instants.map((atMs) => forward.stateAt(atMs))).toEqual(seen);
    expect(new StationPlant(10, manila).stateAt(instants[1] ?? 0)).not.toEqual(seen[1]);
  });

  test('sums the energy of a month minute by minute, and of a whole one within a per cent', () => {
    const plant = new StationPlant(1, manila);
    const march = manila.monthOf(2026, 3);
    const states = minutesOf(plant, march.startMs, 1000);
    expect(states[0]?.batterySocRatio).toBe(0.5);
    const pvWattHours = states.reduce((sum, { pvPowerWatts }) => sum + pvPowerWatts / 60, 0);
    const soFar = plant.monthSoFar(march.startMs + 1000 * MINUTE_MS);
    expect(soFar.pvWattHours).toBeCloseTo(pvWattHours, 6);
    const totals = plant.monthSoFar(march.endMs - 1);
    const fed = totals.gridImportWattHours - totals.gridFeedInWattHours;
    const given = totals.batteryDischargedWattHours - totals.batteryChargedWattHours;
    expect(totals.pvWattHours + fed + given).toBeCloseTo(totals.loadWattHours, 4);
    const coarse = plant.wholeMonth(march);
    expect(Math.abs(coarse.pvWattHours / totals.pvWattHours - 1)).toBeLessThan(0.01);
    expect(Math.abs(coarse.loadWattHours / totals.loadWattHours - 1)).toBeLessThan(0.01);
  });

  test('counts from the midnight, the month and the installation, and its lifetime never falls', () => {
    for (const seed of [1, 2, 3]) {
      const plant = new StationPlant(seed, manila);
      const at = (time: string) => plant.countersAt(Date.parse(`2026-${time}+08:00`));
      const [midnight, evening] = [at('03-05T00:00:00'), at('03-05T20:00:00')];
      expect(midnight.today.loadWattHours).toBe(0);
      for (const span of ['thisMonth', 'lifetime'] as const) {
        const grownWattHours = evening[span].loadWattHours - midnight[span].loadWattHours;
        expect(grownWattHours).toBeCloseTo(evening.today.loadWattHours, 6);
      }
      let before = at('03-31T20:00:00').lifetime;
      for (const time of ['03-31T23:58:00', '03-31T23:59:00', '04-01T00:00:00', '04-01T00:01:00']) {
        const { lifetime } = at(time);
        for (const [name, wattHours] of Object.entries(before))
          expect(lifetime[name as keyof typeof lifetime]).toBeGreaterThanOrEqual(wattHours);
        before = lifetime;
      }
      expect(plant.energyBefore(manila.monthOf(2024, 1))).toEqual(NO_ENERGY);
      expect(plant.energyBefore(manila.monthOf(2020, 4))).toEqual(NO_ENERGY);
    }
  });

  test('that is drained falls from a quarter to three per cent, not too fast for the alerts, whatever the seed', () => {
    const eveningMs = MIDNIGHT_MS + 19 * HOUR_MS;
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const plant = new StationPlant(seed, manila, eveningMs + 17_000);
        const undrained = new StationPlant(seed, manila);
        expect(plant.stateAt(eveningMs - 1)).toEqual(undrained.stateAt(eveningMs - 1));
        const socs = minutesOf(plant, eveningMs, 150).map(({ batterySocRatio }) => batterySocRatio);
        expect(socs[0]).toBe(0.25);
        expect(Math.min(...socs)).toBeCloseTo(0.03, 6);
        for (const [minute, soc] of socs.entries()) {
          if (minute > 0 && soc > 0.031) expect(soc).toBeLessThan(socs[minute - 1] ?? 0);
          // An hour is six minutes of the demo.
          expect((socs[minute - 60] ?? soc) - soc).toBeLessThan(0.195);
        }
        expect(plant.stateAt(eveningMs + 17 * HOUR_MS).batterySocRatio).toBeGreaterThan(0.1);
      }),
      { numRuns: 6 },
    );
  });
});

test('an inverter scales flows and currents, not voltage and SOC, and its strings are its PV', () => {
  const plant = new StationPlant(1, manila);
  const physicalMs = MIDNIGHT_MS + 12 * HOUR_MS;
  const state = plant.stateAt(physicalMs);
  const measured = createInverter(5, 2)(state, physicalMs, () => plant.countersAt(physicalMs));
  const { batteryVoltageVolts, batterySocRatio, ...flows } = state;
  expect(measured).toMatchObject({ batteryVoltageVolts, batterySocRatio });
  for (const [name, amount] of Object.entries(flows))
    expect(measured[name as keyof typeof flows]).toBe(2 * amount);
  const [first, second] = measured.pvStrings;
  expect(first.powerWatts + second.powerWatts).toBeCloseTo(measured.pvPowerWatts, 9);
  expect(first.voltageVolts * first.currentAmperes).toBeCloseTo(first.powerWatts, 9);
  const { today } = plant.countersAt(physicalMs);
  expect(measured.energy().today.pvWattHours).toBe(2 * today.pvWattHours);
  const night = createInverter(5, 2)(plant.stateAt(MIDNIGHT_MS), MIDNIGHT_MS, measured.energy);
  expect(night.pvStrings[0]).toEqual({ powerWatts: 0, voltageVolts: 0, currentAmperes: 0 });
});

describe('a fleet', () => {
  test('has odd ids of 18 digits, all different, and the same ones in a larger fleet', () => {
    const ids = (stations: number, devices: number) =>
      new Fleet(1, stations, devices).stations.flatMap((station) => [
        station.stationId,
        ...station.devices.map(({ deviceId }) => deviceId),
      ]);
    const few = ids(3, 4);
    expect(new Set(few).size).toBe(15);
    for (const id of few) expect(id).toMatch(/^[1-9]\d{16}7$/);
    expect(ids(5, 6)).toEqual(expect.arrayContaining(few));
    expect(new Fleet(2, 1, 1).stations[0]?.stationId).not.toBe(few[0]);
  });

  test('shares the plants of a hundred stations, and no device', () => {
    const { stations } = new Fleet(1, 101, 2);
    expect(stations[100]?.plantSeed).toBe(stations[0]?.plantSeed);
    expect(new Set(stations.map(({ plantSeed }) => plantSeed)).size).toBe(100);
    const weights = stations.flatMap(({ devices }) => devices.map(({ weight }) => weight));
    expect(new Set(weights).size).toBe(202);
    expect(Math.min(...weights)).toBeGreaterThanOrEqual(0.6);
    expect(totalWeight(stations[0]?.devices ?? [])).toBe((weights[0] ?? 0) + (weights[1] ?? 0));
  });
});
