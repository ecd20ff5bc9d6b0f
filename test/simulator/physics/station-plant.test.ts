import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { socAfter } from '../../../src/simulator/physics/battery.ts';
import { scalePlantState, type PlantState } from '../../../src/simulator/physics/plant.ts';
import { StationCalendar } from '../../../src/simulator/physics/station-calendar.ts';
import { StationPlant } from '../../../src/simulator/physics/station-plant.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const MINUTES_PER_DAY = 1440;

const manila = new StationCalendar('Asia/Manila');

function imbalanceWatts(state: PlantState): number {
  const inflow = state.pvPowerWatts + state.gridImportPowerWatts + state.batteryPowerWatts;
  return inflow - state.loadPowerWatts - state.gridFeedInPowerWatts;
}

function dayOf(plant: StationPlant, midnight: string): PlantState[] {
  return Array.from({ length: MINUTES_PER_DAY }, (_, minute) =>
    plant.stateAt(Date.parse(midnight) + minute * MINUTE_MS),
  );
}

describe('a plant', () => {
  test('balances its energy and its battery in every minute of a day, whatever the seed', () => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const day = dayOf(new StationPlant(seed, 14.6, manila), '2026-03-03T00:00:00+08:00');
        for (const [minute, state] of day.entries()) {
          const amperes =
            state.batteryDischargeCurrentAmperes - state.batteryChargingCurrentAmperes;
          expect(Math.abs(imbalanceWatts(state))).toBeLessThan(1e-6);
          expect(
            Math.abs(amperes * state.batteryVoltageVolts - state.batteryPowerWatts),
          ).toBeLessThan(1e-6);
          expect(state.batteryDischargeCurrentAmperes * state.batteryChargingCurrentAmperes).toBe(
            0,
          );
          expect(state.gridImportPowerWatts * state.gridFeedInPowerWatts).toBe(0);
          expect(state.batterySocRatio).toBeGreaterThan(0.1 - 1e-9);
          expect(state.batterySocRatio).toBeLessThan(1 + 1e-9);
          const next = day[minute + 1];
          if (next !== undefined)
            expect(next.batterySocRatio).toBeCloseTo(
              socAfter(state.batterySocRatio, state.batteryPowerWatts, MINUTE_MS),
              12,
            );
        }
      }),
      { numRuns: 8 },
    );
  });

  test('makes nothing at night and most around noon', () => {
    const day = dayOf(new StationPlant(1, 14.6, manila), '2026-03-03T00:00:00+08:00');
    expect(day[2 * 60]?.pvPowerWatts).toBe(0);
    expect(day[22 * 60]?.pvPowerWatts).toBe(0);
    const peak = Math.max(...day.map(({ pvPowerWatts }) => pvPowerWatts));
    const peakHour = day.findIndex(({ pvPowerWatts }) => pvPowerWatts === peak) / 60;
    expect(peak).toBeGreaterThan(2000);
    expect(peakHour).toBeGreaterThan(9);
    expect(peakHour).toBeLessThan(15);
  });

  test('makes far more in June than in December in the north, and the reverse in the south', () => {
    const berlin = new StationCalendar('Europe/Berlin');
    const junePv = (latitude: number, month: number): number =>
      new StationPlant(1, latitude, berlin).wholeMonth(berlin.monthOf(2026, month)).pvWattHours;
    expect(junePv(52.5, 6)).toBeGreaterThan(4 * junePv(52.5, 12));
    expect(junePv(-52.5, 12)).toBeGreaterThan(4 * junePv(-52.5, 6));
  });

  test('is the same for the same seed, in whatever order it is asked', () => {
    const [forward, backward] = [
      new StationPlant(9, 14.6, manila),
      new StationPlant(9, 14.6, manila),
    ];
    const instants = [3, 40, 41, 300].map(
      (hour) => Date.parse('2026-03-01T00:00:00+08:00') + hour * HOUR_MS,
    );
    const seen = instants.map((atMs) => forward.stateAt(atMs));
    expect(instants.toReversed().map((atMs) => backward.stateAt(atMs))).toEqual(seen.toReversed());
    expect(new StationPlant(10, 14.6, manila).stateAt(instants[1] ?? 0)).not.toEqual(seen[1]);
  });

  test('starts each month half charged', () => {
    const plant = new StationPlant(1, 14.6, manila);
    expect(plant.stateAt(Date.parse('2026-04-01T00:00:00+08:00')).batterySocRatio).toBe(0.5);
    expect(plant.stateAt(Date.parse('2026-03-31T23:59:59+08:00')).batterySocRatio).not.toBe(0.5);
  });

  test('answers for earlier months again after it has forgotten them', () => {
    const plant = new StationPlant(1, 14.6, manila);
    const atMs = Date.parse('2026-01-09T10:00:00+08:00');
    const first = plant.stateAt(atMs);
    for (const month of ['02', '03', '04', '05', '06', '07', '08'])
      plant.stateAt(Date.parse(`2026-${month}-02T10:00:00+08:00`));
    expect(plant.stateAt(atMs)).toEqual(first);
  });
});

describe('the energy of a month', () => {
  const plant = new StationPlant(1, 14.6, manila);

  test('is the sum of its minutes', () => {
    const startMs = Date.parse('2026-03-01T00:00:00+08:00');
    const states = Array.from({ length: 1000 }, (_, minute) =>
      plant.stateAt(startMs + minute * MINUTE_MS),
    );
    const sumWattHours = (read: (state: PlantState) => number): number =>
      states.reduce((sum, state) => sum + read(state) / 60, 0);
    const totals = plant.monthSoFar(startMs + 1000 * MINUTE_MS);
    expect(totals.pvWattHours).toBeCloseTo(
      sumWattHours((state) => state.pvPowerWatts),
      6,
    );
    expect(totals.loadWattHours).toBeCloseTo(
      sumWattHours((state) => state.loadPowerWatts),
      6,
    );
    expect(totals.gridImportWattHours).toBeCloseTo(
      sumWattHours((state) => state.gridImportPowerWatts),
      6,
    );
  });

  test('balances what came in with what went out', () => {
    const totals = plant.monthSoFar(Date.parse('2026-03-12T15:00:00+08:00'));
    const inWattHours =
      totals.pvWattHours + totals.gridImportWattHours + totals.batteryDischargedWattHours;
    const outWattHours =
      totals.loadWattHours + totals.gridFeedInWattHours + totals.batteryChargedWattHours;
    expect(Math.abs(inWattHours - outWattHours)).toBeLessThan(1e-6);
    for (const wattHours of Object.values(totals)) expect(wattHours).toBeGreaterThanOrEqual(0);
  });

  test('in ten-minute steps is within a per cent of that in one-minute steps', () => {
    const march = manila.monthOf(2026, 3);
    const coarse = plant.wholeMonth(march);
    const fine = plant.monthSoFar(march.endMs - 1);
    expect(Math.abs(coarse.pvWattHours / fine.pvWattHours - 1)).toBeLessThan(0.01);
    expect(Math.abs(coarse.loadWattHours / fine.loadWattHours - 1)).toBeLessThan(0.01);
    expect(plant.wholeMonth(march)).toBe(coarse);
  });
});

describe('the counters of an inverter', () => {
  const plant = new StationPlant(1, 14.6, manila);
  const at = (time: string) => plant.countersAt(Date.parse(time));

  test('start at the local midnight, the month and the installation', () => {
    const evening = at('2026-03-05T20:00:00+08:00');
    const midnight = at('2026-03-05T00:00:00+08:00');
    expect(midnight.today.loadWattHours).toBe(0);
    expect(evening.today.loadWattHours).toBeGreaterThan(5000);
    expect(evening.thisMonth.loadWattHours).toBeCloseTo(
      midnight.thisMonth.loadWattHours + evening.today.loadWattHours,
      6,
    );
    expect(evening.lifetime.pvWattHours - midnight.lifetime.pvWattHours).toBeCloseTo(
      evening.today.pvWattHours,
      6,
    );
    expect(at('2026-03-05T20:00:30+08:00')).toBe(at('2026-03-05T20:00:00+08:00'));
  });

  test('never let the lifetime fall, at the end of a month in particular', () => {
    const last = at('2026-03-31T23:59:00+08:00');
    const first = at('2026-04-01T00:00:00+08:00');
    for (const [name, wattHours] of Object.entries(first.lifetime))
      expect(wattHours).toBeGreaterThan(last.lifetime[name as keyof typeof last.lifetime]);
    expect(at('2020-04-01T00:00:00+08:00').lifetime.pvWattHours).toBe(0);
  });
});

test('a device scales flows and currents, not voltage and SOC', () => {
  const state = new StationPlant(1, 14.6, manila).stateAt(Date.parse('2026-03-03T12:00:00+08:00'));
  const scaled = scalePlantState(state, 2);
  expect(scaled.pvPowerWatts).toBe(2 * state.pvPowerWatts);
  expect(scaled.batteryChargingCurrentAmperes).toBe(2 * state.batteryChargingCurrentAmperes);
  expect(scaled.batteryVoltageVolts).toBe(state.batteryVoltageVolts);
  expect(scaled.batterySocRatio).toBe(state.batterySocRatio);
  expect(Math.abs(imbalanceWatts(scaled))).toBeLessThan(1e-6);
});
