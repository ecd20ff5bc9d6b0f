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
  const { calendar, clock, physicalMs } = world;
  const plant = world.plant(station);
  const nowMs = clock.nowMs();
  return Array.from({ length: 12 }, (_, index) => {
    const month = calendar.monthOf(Number(time), index + 1);
    const isPast = month.endMs <= nowMs;
    const energy = () => (isPast ? plant.wholeMonth(month) : plant.monthSoFar(physicalMs(nowMs)));
    return [`${time}-${twoDigits(index + 1)}`, month.startMs > nowMs ? undefined : energy()];
  });
};

/** The days of a month, `2026-08`. */
export const daysOfMonth: Bucketing = (time, station, world) => {
  const parts = typeof time === 'string' ? /^(\d{4})-(0[1-9]|1[0-2])$/.exec(time) : null;
  if (parts === null) throw illegalArgument('time');
  const [, year = 0, month = 0] = parts.map(Number);
  const { calendar, clock, physicalMs } = world;
  const plant = world.plant(station);
  const nowMs = clock.nowMs();
  const days = new Date(Date.UTC(year, month, 0)).getUTCDate();
  return Array.from({ length: days }, (_, index) => {
    const fromMs = calendar.midnightMs(year, month, index + 1);
    const toMs = calendar.midnightMs(year, month, index + 2);
    const isPast = toMs <= nowMs;
    const energy = () =>
      isPast ? plant.energyBetween(fromMs, toMs) : plant.countersAt(physicalMs(nowMs)).today;
    return [`${String(time)}-${twoDigits(index + 1)}`, fromMs > nowMs ? undefined : energy()];
  });
};

/** The years since the installation, whatever the body names; together they are what the counters show. */
export const yearsOfLifetime: Bucketing = (_time, station, world) => {
  const { calendar, clock, physicalMs } = world;
  const plant = world.plant(station);
  const years = thisYear(world) - INSTALLED_YEAR + 1;
  return Array.from({ length: Math.max(0, years) }, (_, index) => {
    const year = INSTALLED_YEAR + index;
    const after =
      index === years - 1
        ? plant.countersAt(physicalMs(clock.nowMs())).lifetime
        : plant.energyBefore(calendar.monthOf(year + 1, 1));
    return [`${year}`, energySince(plant.energyBefore(calendar.monthOf(year, 1)), after)];
  });
};

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
  return calendar.monthAt(clock.nowMs()).year;
}

/** Writes the whole station's energy in kWh. */
function kilowattHours(wattHours: number, { devices }: FleetStation): number {
  return Math.round((wattHours * totalWeight(devices)) / 10) / 100;
}

function twoDigits(number: number): string {
  return String(number).padStart(2, '0');
}
