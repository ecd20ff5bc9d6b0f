import { type EnergyTotals, sumEnergy } from '../../physics/energy.ts';
import type { FleetStation } from '../../physics/fleet.ts';
import { INSTALLED_YEAR } from '../../physics/station-plant.ts';
import type { World } from '../world.ts';

/*
 * All of these are of a plant of weight 1, and of the clock's years, months and days in the
 * station's zone, from the first to the last that has begun. The running one holds what the
 * physical month or day has brought so far, which at speed 1 is the same one.
 */

/** The energy of each month of a year. */
export function monthsSoFar(
  year: number,
  station: FleetStation,
  world: World,
): readonly EnergyTotals[] {
  const nowMs = world.clock.nowMs();
  const current = world.calendar.monthAt(nowMs);
  const plant = world.plant(station);
  const pastMonths = year < current.year ? 12 : year === current.year ? current.month - 1 : 0;
  const past = Array.from({ length: pastMonths }, (_, index) =>
    plant.wholeMonth(world.calendar.monthOf(year, index + 1)),
  );
  return isRunning(year, world) ? [...past, plant.monthSoFar(world.physicalMs(nowMs))] : past;
}

/** The energy of the running year. */
export function yearSoFar(station: FleetStation, world: World): EnergyTotals {
  const { year } = world.calendar.monthAt(world.clock.nowMs());
  return sumEnergy(monthsSoFar(year, station, world));
}

/** The energy of each year since the installation. */
export function yearsSoFar(station: FleetStation, world: World): readonly EnergyTotals[] {
  const { year: current } = world.calendar.monthAt(world.clock.nowMs());
  return Array.from({ length: Math.max(0, current - INSTALLED_YEAR + 1) }, (_, index) =>
    sumEnergy(monthsSoFar(INSTALLED_YEAR + index, station, world)),
  );
}

/** The energy of each day of a month, 1 to 12. */
export function daysSoFar(
  year: number,
  month: number,
  station: FleetStation,
  world: World,
): readonly EnergyTotals[] {
  const { calendar } = world;
  const nowMs = world.clock.nowMs();
  const plant = world.plant(station);
  const { startMs, endMs } = calendar.monthOf(year, month);
  if (startMs > nowMs) return [];
  const days: EnergyTotals[] = [];
  for (let day = 1; calendar.midnightMs(year, month, day) < endMs; day += 1) {
    const fromMs = calendar.midnightMs(year, month, day);
    const toMs = calendar.midnightMs(year, month, day + 1);
    if (fromMs > nowMs) break;
    days.push(
      toMs > nowMs
        ? plant.countersAt(world.physicalMs(nowMs)).today
        : plant.energyBetween(fromMs, toMs),
    );
  }
  return days;
}

/** How many days a month has. */
export function daysInMonth(year: number, month: number): number {
  return new Date(Date.UTC(year, month, 0)).getUTCDate();
}

/** Whether a year is the clock's. */
export function isRunning(year: number, world: World): boolean {
  return year === world.calendar.monthAt(world.clock.nowMs()).year;
}
