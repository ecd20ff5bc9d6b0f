import { type EnergyCounters, type EnergyTotals, sumEnergy } from '../physics/energy.ts';
import { totalWeight, type FleetStation } from '../physics/fleet.ts';
import { INSTALLED_YEAR } from '../physics/station-plant.ts';
import { type Call, illegalArgument } from './call.ts';
import type { World } from './world.ts';

const DAY_MS = 86_400_000;
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
type Bucket = readonly [time: string, totals: EnergyTotals | undefined];

/**
 * Divides the time that a body names into buckets, and measures each for a plant of weight 1. Years,
 * months and days are the clock's, in the station's zone; the running one holds what the physical month
 * or day has brought so far, which at speed 1 is the same one.
 */
type Bucketing = (time: unknown, station: FleetStation, world: World) => readonly Bucket[];

/** The months of a year, `2026`. */
export const monthsOfYear: Bucketing = (time, station, world) => {
  if (typeof time !== 'string' || !/^\d{4}$/.test(time)) throw illegalArgument('time');
  return Array.from({ length: 12 }, (_, month) => {
    const name = `${time}-${String(month + 1).padStart(2, '0')}`;
    const [fromMs, toMs] = [Date.UTC(Number(time), month), Date.UTC(Number(time), month + 1)];
    return [name, energyIn(fromMs, toMs, 'thisMonth', station, world)];
  });
};

/** The days of a month, `2026-08`. */
export const daysOfMonth: Bucketing = (time, station, world) => {
  if (typeof time !== 'string' || !/^\d{4}-(0[1-9]|1[0-2])$/.test(time))
    throw illegalArgument('time');
  const [year = 0, month = 0] = time.split('-').map(Number);
  const days = new Date(Date.UTC(year, month, 0)).getUTCDate();
  return Array.from({ length: days }, (_, index) => {
    const name = `${time}-${String(index + 1).padStart(2, '0')}`;
    const fromMs = Date.UTC(year, month - 1, index + 1);
    return [name, energyIn(fromMs, fromMs + DAY_MS, 'today', station, world)];
  });
};

/** The years since the installation, whatever the body names; together they are what the counters show. */
export const yearsOfLifetime: Bucketing = (_time, station, world) => {
  const plant = world.plant(station);
  const last = thisYear(world);
  const newYearMs = (year: number): number => world.calendar.instantAt(Date.UTC(year, 0));
  return Array.from({ length: Math.max(0, last - INSTALLED_YEAR + 1) }, (_, index) => {
    const year = INSTALLED_YEAR + index;
    const toMs = year === last ? world.physicalMs(world.clock.nowMs()) : newYearMs(year + 1);
    return [String(year), plant.energyBetween(newYearMs(year), toMs)];
  });
};

/** Measures the span between two local midnights, written as if the zone were UTC; a counter shows the running one. */
function energyIn(
  fromLocalMs: number,
  toLocalMs: number,
  counter: keyof EnergyCounters,
  station: FleetStation,
  world: World,
): EnergyTotals | undefined {
  const plant = world.plant(station);
  const nowMs = world.clock.nowMs();
  const fromMs = world.calendar.instantAt(fromLocalMs);
  const toMs = world.calendar.instantAt(toLocalMs);
  if (fromMs > nowMs) return undefined;
  if (toMs > nowMs) return plant.countersAt(world.physicalMs(nowMs))[counter];
  return plant.energyBetween(fromMs, toMs);
}

/**
 * Serves a station's energies in the portal's nested form (service.md#summaries): a bucket per
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
      const timePoints = buckets.map(([span, totals]) => {
        const wattHours = isMeasured ? totals?.[total] : undefined;
        const value = wattHours === undefined ? 0 : kilowattHours(wattHours, station);
        const timeDisplay = span.slice(span.lastIndexOf('-') + 1);
        return { time: span, timeDisplay, value, isRealValue: wattHours !== undefined };
      });
      const hasRealTimePoints = timePoints.some(({ isRealValue }) => isRealValue);
      return { property: { key, name, unit: 'kWh' }, hasRealTimePoints, timePoints };
    });
    const hasRealTimePoints = properties.some((property) => property.hasRealTimePoints);
    const category = { id: '1', key: CATEGORY, name: 'Electricity quantity' };
    return { category, hasRealTimePoints, properties };
  };
}

/** Serves a station's months of one year in the flat form (service.md#summaries). */
export function summarizeYear(call: Call): unknown {
  const { world } = call;
  const { time } = call.body;
  const station = summarizedStation(call);
  const value = (wattHours = 0): number => kilowattHours(wattHours, station);
  const months = monthsOfYear(time, station, world).filter(([, totals]) => totals !== undefined);
  const properties = months.map(([key, totals]) => ({ key, value: value(totals?.pvWattHours) }));
  const [, running] = months.at(-1) ?? [];
  if (Number(time) === thisYear(world))
    properties.push(
      { key: 'pvTotal', value: value(running?.pvWattHours) },
      { key: 'gridImport', value: value(running?.gridImportWattHours) },
      { key: 'totalConsumption', value: value(running?.loadWattHours) },
    );
  return { category: { key: CATEGORY }, properties };
}

/** The energy of the running year, of a plant of weight 1. */
export function yearSoFar(station: FleetStation, world: World): EnergyTotals {
  const months = monthsOfYear(String(thisYear(world)), station, world);
  return sumEnergy(months.flatMap(([, totals]) => totals ?? []));
}

function summarizedStation(call: Call): FleetStation {
  const station = call.station();
  if (call.query('summaryCategoryKey') !== CATEGORY) throw illegalArgument('summaryCategoryKey');
  return station;
}

function thisYear({ calendar, clock }: World): number {
  return Number(calendar.year(clock.nowMs()));
}

/** Writes the whole station's energy in kWh. */
function kilowattHours(wattHours: number, { devices }: FleetStation): number {
  return Math.round((wattHours * totalWeight(devices)) / 10) / 100;
}
