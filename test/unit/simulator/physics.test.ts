import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ZonedCalendar } from '../../../src/base/time-zone.ts';
import { NO_ENERGY } from '../../../src/simulator/physics/energy.ts';
import { Fleet, totalWeight } from '../../../src/simulator/physics/fleet.ts';
import { createInverter } from '../../../src/simulator/physics/inverter.ts';
import {
  advancePlant,
  BATTERY,
  plantState,
  type PlantState,
} from '../../../src/simulator/physics/plant.ts';
import { StationPlant } from '../../../src/simulator/physics/station-plant.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../support/durations.ts';

const MIDNIGHT_MS = Date.parse('2026-03-03T00:00:00+08:00');
const manila = new ZonedCalendar('Asia/Manila');

function minutesOf(plant: StationPlant, fromMs: number, count: number): readonly PlantState[] {
  return Array.from({ length: count }, (_, minute) => plant.stateAt(fromMs + minute * MINUTE_MS));
}

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

  test('keeps its limits, sags under load and rises while it is charged', () => {
    const [charged, resting, drained] = [step(9000, 0, 0.5), step(0, 0, 0.5), step(0, 9000, 0.5)];
    expect(charged.batteryChargingCurrentAmperes).toBeCloseTo(BATTERY.maxChargingAmperes, 9);
    expect(drained.batteryDischargeCurrentAmperes).toBeCloseTo(BATTERY.maxDischargeAmperes, 9);
    expect(charged.batteryVoltageVolts).toBeGreaterThan(resting.batteryVoltageVolts);
    expect(drained.batteryVoltageVolts).toBeLessThan(resting.batteryVoltageVolts);
  });
});

describe('a plant', () => {
  test('balances its energy and its battery, whatever the seed', () => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const plant = new StationPlant(seed, manila);
        const day = minutesOf(plant, MIDNIGHT_MS, 1440);
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
        expect(Math.abs(watts.indexOf(Math.max(...watts)) / 60 - 12)).toBeLessThan(4);
        expect(watts[120]).toBe(0);
        // Its counters are the sum of what it shows, and no midnight changes the charge.
        const { pvWattHours, loadWattHours, ...rest } = plant.energyBetween(
          MIDNIGHT_MS,
          MIDNIGHT_MS + DAY_MS,
        );
        expect(pvWattHours).toBeCloseTo(watts.reduce((sum, each) => sum + each) / 60, 6);
        const fromGrid = rest.gridImportWattHours - rest.gridFeedInWattHours;
        const fromBattery = rest.batteryDischargedWattHours - rest.batteryChargedWattHours;
        expect(pvWattHours + fromGrid + fromBattery).toBeCloseTo(loadWattHours, 6);
        const { batterySocRatio } = plant.stateAt(MIDNIGHT_MS - MINUTE_MS);
        expect(Math.abs((day[0]?.batterySocRatio ?? 0) - batterySocRatio)).toBeLessThan(0.01);
      }),
      { numRuns: 6 },
    );
  });

  test('is the same for a seed, in whatever order it is asked', () => {
    const [forward, backward] = [new StationPlant(9, manila), new StationPlant(9, manila)];
    const hours = [-30_000, 3, 40, 41, 300, 2000, 3000, 4000, 5000, 6000];
    const instants = hours.map((hour) => MIDNIGHT_MS + hour * HOUR_MS);
    const seen = instants.map((atMs) => forward.stateAt(atMs));
    expect(instants.toReversed().map((atMs) => backward.stateAt(atMs))).toEqual(seen.toReversed());
    expect(instants.map((atMs) => forward.stateAt(atMs))).toEqual(seen);
    expect(new StationPlant(10, manila).stateAt(instants[1] ?? 0)).not.toEqual(seen[1]);
  });

  test('counts by day, month and installation, and its lifetime never falls', () => {
    const plant = new StationPlant(1, manila);
    const at = (time: string) => plant.countersAt(Date.parse(`2026-${time}+08:00`));
    const [midnight, evening] = [at('03-05T00:00:00'), at('03-05T20:00:00')];
    expect(midnight.today.loadWattHours).toBe(0);
    for (const span of ['thisMonth', 'lifetime'] as const) {
      const grownWattHours = evening[span].loadWattHours - midnight[span].loadWattHours;
      expect(grownWattHours).toBeCloseTo(evening.today.loadWattHours, 6);
    }
    expect(at('04-01T00:00:00').thisMonth).toEqual(NO_ENERGY);
    let before = at('03-31T23:55:00').lifetime;
    for (const time of ['03-31T23:58:00', '03-31T23:59:00', '04-01T00:00:00', '04-01T00:01:00']) {
      const { lifetime } = at(time);
      for (const [name, wattHours] of Object.entries(before))
        expect(lifetime[name as keyof typeof lifetime]).toBeGreaterThanOrEqual(wattHours);
      before = lifetime;
    }
    const installedAtMs = Date.parse('2024-01-01T00:00:00+08:00');
    expect(plant.countersAt(installedAtMs).lifetime).toEqual(NO_ENERGY);
    expect(plant.energyBetween(installedAtMs - 9 * DAY_MS, installedAtMs)).toEqual(NO_ENERGY);
  });

  test('that is drained falls from a quarter, not too fast for the alerts', () => {
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

test('an inverter scales flows and currents, and its strings are its PV', () => {
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
});

test('a fleet has odd ids of 18 digits, the same ones in a larger fleet', () => {
  const fleet = (stations: number, devices: number) => new Fleet(1, stations, devices).stations;
  const ids = (stations: number, devices: number) =>
    fleet(stations, devices).flatMap((station) => [
      station.stationId,
      ...station.devices.map(({ deviceId }) => deviceId),
    ]);
  const few = ids(3, 4);
  expect(new Set(few).size).toBe(15);
  for (const id of few) expect(id).toMatch(/^[1-9]\d{16}7$/);
  expect(ids(5, 6)).toEqual(expect.arrayContaining(few));
  const weights = fleet(101, 2).flatMap(({ devices }) => devices.map(({ weight }) => weight));
  expect(new Set(weights).size).toBe(202);
  expect(totalWeight(fleet(1, 2)[0]?.devices ?? [])).toBe((weights[0] ?? 0) + (weights[1] ?? 0));
});
