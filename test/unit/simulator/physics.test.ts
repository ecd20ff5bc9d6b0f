import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ZonedCalendar } from '../../../src/base/time-zone.ts';
import { createSimulator } from '../../../src/simulator/simulator.ts';
import { NO_ENERGY } from '../../../src/simulator/physics/energy.ts';
import { createInverter } from '../../../src/simulator/physics/inverter.ts';
import { StationPlant } from '../../../src/simulator/physics/station-plant.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../support/durations.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { RULES } from '../../support/rules.ts';

/** Two months after the plants were installed, so that there is little to walk. */
const MIDNIGHT_MS = Date.parse('2024-03-03T00:00:00+08:00');
const manila = new ZonedCalendar('Asia/Manila');

test('a plant balances its energy and its battery, whatever the seed', () => {
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      const plant = new StationPlant(seed, manila);
      const day = Array.from({ length: 1440 }, (_, minute) =>
        plant.stateAt(MIDNIGHT_MS + minute * MINUTE_MS),
      );
      for (const state of day.filter((_, minute) => minute % 8 === 0)) {
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

test('a plant is the same for a seed, in whatever order it is asked', () => {
  const forward = new StationPlant(9, manila);
  // In a zone of another name, because plants of the same seed and zone share what they have walked.
  const backward = new StationPlant(9, new ZonedCalendar('+08:00'));
  const hours = [-30_000, 3, 40, 41, 300, 2000, 3000, 4000, 5000, 6000];
  const instants = hours.map((hour) => MIDNIGHT_MS + hour * HOUR_MS);
  const seen = instants.map((atMs) => forward.stateAt(atMs));
  expect(instants.toReversed().map((atMs) => backward.stateAt(atMs))).toEqual(seen.toReversed());
  expect(new StationPlant(10, manila).stateAt(instants[1] ?? 0)).not.toEqual(seen[1]);
});

test('a plant counts by day, month and installation, and no lifetime falls', () => {
  const plant = new StationPlant(1, manila);
  const at = (time: string) => plant.countersAt(Date.parse(`2024-${time}+08:00`));
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

test.each([1, 2, 3])('a draining battery brings both alerts in ten minutes, seed %d', (seed) => {
  const clock = new FakeClock('2024-11-22T10:00:00Z');
  const simulator = createSimulator({ drain: true, seed, timeZone: 'Europe/Berlin' }, clock);
  const [deviceId = ''] = simulator.deviceIds(simulator.stationIds[0] ?? '');
  for (const [level, ratio] of [
    ['Low', 0.2],
    ['Critical', 0.1],
  ] as const) {
    const rule = RULES.find(({ alert }) => alert === `SolarBattery${level}`);
    const minutes = Number(/^(\d+)m$/.exec(rule?.for ?? '')?.[1]);
    // A scrape and an evaluation of the rules may come half a minute late; the inverter shows whole points.
    const lowAtMs = clock.nowMs() + (9.5 - minutes) * MINUTE_MS;
    const charge = simulator.truth(deviceId, lowAtMs).batterySocRatio;
    expect(Math.round(charge * 100) / 100).toBeLessThan(ratio);
  }
});
