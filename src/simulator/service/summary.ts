import { energySince, sumEnergy, type EnergyTotals } from '../physics/energy.ts';
import { totalWeight, type FleetStation } from '../physics/fleet.ts';
import { INSTALLED_YEAR } from '../physics/station-plant.ts';
import { type Call, illegalArgument } from './call.ts';
import type { World } from './world.ts';

const CATEGORY = 'pvInverterElectricityQuantityClass';

/** The portal's properties, in its order. */
const PROPERTIES = [
  { key: 'pvGeneratedEnergy', name: 'PV generated energy', total: 'pvWattHours' },
  { key: 'chargeElectricityQuantity', name: 'Charged', total: 'batteryChargedWattHours' },
  { key: 'dischargeElectricityQuantity', name: 'Discharged', total: 'batteryDischargedWattHours' },
  { key: 'consumeElectricityQuantity', name: 'Consumed', total: 'loadWattHours' },
  { key: 'buyElectricityQuantity', name: 'Bought', total: 'gridImportWattHours' },
  { key: 'sellElectricityQuantity', name: 'Sold', total: 'gridFeedInWattHours' },
] as const satisfies readonly { key: string; name: string; total: keyof EnergyTotals }[];

/** A span of time in a summary; undefined totals are those of a span that has not begun. */
interface Bucket {
  readonly time: string;
  readonly timeDisplay: string;
  readonly totals: EnergyTotals | undefined;
}

/** Divides the time that a body names into buckets, and measures each for a plant of weight 1. */
type Bucketing = (time: unknown, station: FleetStation, world: World) => readonly Bucket[];

/** The months of a year, `2026`. */
export const monthsOfYear: Bucketing = (time, station, world) => {
  const year = yearOf(time);
  const measured = monthsSoFar(year, station, world);
  return Array.from({ length: 12 }, (_, index) => ({
    time: `${year}-${twoDigits(index + 1)}`,
    timeDisplay: twoDigits(index + 1),
    totals: measured[index],
  }));
};

/** The days of a month, `2026-08`. */
export const daysOfMonth: Bucketing = (time, station, world) => {
  const parts = typeof time === 'string' ? /^(\d{4})-(0[1-9]|1[0-2])$/.exec(time) : null;
  if (parts === null) throw illegalArgument('time');
  const [, year = 0, month = 0] = parts.map(Number);
  const measured = daysSoFar(year, month, station, world);
  const days = new Date(Date.UTC(year, month, 0)).getUTCDate();
  return Array.from({ length: days }, (_, index) => ({
    time: `${year}-${twoDigits(month)}-${twoDigits(index + 1)}`,
    timeDisplay: twoDigits(index + 1),
    totals: measured[index],
  }));
};

/** The years since the installation, whatever the body names; together they are what the counters show. */
export const yearsOfLifetime: Bucketing = (_time, station, world) => {
  const { calendar, clock } = world;
  const plant = world.plant(station);
  const { lifetime } = plant.countersAt(world.physicalMs(clock.nowMs()));
  const years = thisYear(world) - INSTALLED_YEAR + 1;
  return Array.from({ length: Math.max(0, years) }, (_, index) => {
    const year = INSTALLED_YEAR + index;
    const before = plant.energyBefore(calendar.monthOf(year, 1));
    const after =
      index === years - 1 ? lifetime : plant.energyBefore(calendar.monthOf(year + 1, 1));
    return { time: `${year}`, timeDisplay: `${year}`, totals: energySince(before, after) };
  });
};

/**
 * Serves a station's energies in the portal's nested form (field notes 1.4 and 2.9): a bucket per
 * span and property; future spans and quantities that are not measured are zeros with
 * `isRealValue: false`.
 */
export function summarizeEnergy(bucketing: Bucketing) {
  return (call: Call): unknown => {
    const { world } = call;
    const { time } = call.body;
    const station = summarizedStation(call);
    const buckets = bucketing(time, station, world);
    const properties = PROPERTIES.map(({ key, name, total }) => {
      const isMeasured = !world.family.isPvOnlySummary || key === 'pvGeneratedEnergy';
      const timePoints = buckets.map(({ totals, ...names }) => {
        const wattHours = isMeasured ? totals?.[total] : undefined;
        const value = wattHours === undefined ? 0 : kilowattHours(wattHours, station);
        return { ...names, value, isRealValue: wattHours !== undefined };
      });
      const hasRealTimePoints = timePoints.some(({ isRealValue }) => isRealValue);
      return { property: { key, name, unit: 'kWh' }, hasRealTimePoints, timePoints };
    });
    const hasRealTimePoints = properties.some((property) => property.hasRealTimePoints);
    const category = { id: '1', key: CATEGORY, name: 'Electricity quantity' };
    return { category, hasRealTimePoints, properties };
  };
}

/** Serves a station's months of one year in the flat form (interface endpoint 5, section 2.5). */
export function summarizeYear(call: Call): unknown {
  const { world } = call;
  const { time } = call.body;
  const station = summarizedStation(call);
  const year = yearOf(time);
  const months = monthsSoFar(year, station, world);
  const properties = months.map(({ pvWattHours }, index) => ({
    key: `${String(time)}-${twoDigits(index + 1)}`,
    value: kilowattHours(pvWattHours, station),
  }));
  const running = months.at(-1);
  if (running !== undefined && year === thisYear(world))
    properties.push(
      { key: 'pvTotal', value: kilowattHours(running.pvWattHours, station) },
      { key: 'gridImport', value: kilowattHours(running.gridImportWattHours, station) },
      { key: 'totalConsumption', value: kilowattHours(running.loadWattHours, station) },
    );
  return { category: { key: CATEGORY }, properties };
}

/** The energy of the running year, of a plant of weight 1. */
export function yearSoFar(station: FleetStation, world: World): EnergyTotals {
  return sumEnergy(monthsSoFar(thisYear(world), station, world));
}

/**
 * The energy of each month of a year, from the first to the last that has begun. Years, months and
 * days are the clock's, in the station's zone; the running one holds what the physical month or day
 * has brought so far, which at speed 1 is the same one.
 */
function monthsSoFar(year: number, station: FleetStation, world: World): readonly EnergyTotals[] {
  const nowMs = world.clock.nowMs();
  const current = world.calendar.monthAt(nowMs);
  const plant = world.plant(station);
  const pastMonths = year < current.year ? 12 : year === current.year ? current.month - 1 : 0;
  const past = Array.from({ length: pastMonths }, (_, index) =>
    plant.wholeMonth(world.calendar.monthOf(year, index + 1)),
  );
  return year === current.year ? [...past, plant.monthSoFar(world.physicalMs(nowMs))] : past;
}

/** The energy of each day of a month, 1 to 12. */
function daysSoFar(
  year: number,
  month: number,
  station: FleetStation,
  world: World,
): readonly EnergyTotals[] {
  const { calendar } = world;
  const nowMs = world.clock.nowMs();
  const plant = world.plant(station);
  const { endMs } = calendar.monthOf(year, month);
  const days: EnergyTotals[] = [];
  for (let day = 1; ; day += 1) {
    const fromMs = calendar.midnightMs(year, month, day);
    if (fromMs >= endMs || fromMs > nowMs) return days;
    const toMs = calendar.midnightMs(year, month, day + 1);
    const isRunning = toMs > nowMs;
    days.push(
      isRunning
        ? plant.countersAt(world.physicalMs(nowMs)).today
        : plant.energyBetween(fromMs, toMs),
    );
  }
}

function summarizedStation(call: Call): FleetStation {
  const station = call.station();
  if (call.query('summaryCategoryKey') !== CATEGORY) throw illegalArgument('summaryCategoryKey');
  return station;
}

function yearOf(time: unknown): number {
  if (typeof time !== 'string' || !/^\d{4}$/.test(time)) throw illegalArgument('time');
  return Number(time);
}

function thisYear({ calendar, clock }: World): number {
  return calendar.monthAt(clock.nowMs()).year;
}

/** Writes the whole station's energy in kWh. */
function kilowattHours(wattHours: number, { devices }: FleetStation): number {
  return Math.round((wattHours * totalWeight(devices)) / 10) / 100;
}

function twoDigits(number: number): string {
  return String(number).padStart(2, '0');
}
