import { knownStation } from './device-lookup.ts';
import type { EnergyTotals } from '../physics/energy.ts';
import { totalWeight, type FleetStation } from '../physics/fleet.ts';
import { illegalArgument, success, type Reply } from './reply.ts';
import { jsonBody, stringField, type ServiceRequest } from './service-request.ts';
import type { World } from './world.ts';

const SUMMARY_CATEGORY = 'pvInverterElectricityQuantityClass';

/** The portal's properties, in its order. */
const PROPERTIES = [
  { key: 'pvGeneratedEnergy', name: 'PV generated energy', total: 'pvWattHours' },
  { key: 'chargeElectricityQuantity', name: 'Charged', total: 'batteryChargedWattHours' },
  { key: 'dischargeElectricityQuantity', name: 'Discharged', total: 'batteryDischargedWattHours' },
  { key: 'consumeElectricityQuantity', name: 'Consumed', total: 'loadWattHours' },
  { key: 'buyElectricityQuantity', name: 'Bought', total: 'gridImportWattHours' },
  { key: 'sellElectricityQuantity', name: 'Sold', total: 'gridFeedInWattHours' },
] as const satisfies readonly { key: string; name: string; total: keyof EnergyTotals }[];

/**
 * Serves a station's months of one year in the flat form (interface endpoint 5, section 2.5).
 * Months are those of the clock in the station's zone; the running one holds what the physical
 * month has brought so far, which at speed 1 is the same month.
 */
export function summarizeYear(request: ServiceRequest, world: World): Reply {
  const { station, time } = summaryQuestion(request, world);
  const months = monthsSoFar(Number(time), station, world);
  const kilowattHours = (totals: EnergyTotals, name: keyof EnergyTotals): number =>
    rounded(totals[name], station);

  const properties = months.map((totals, index) => ({
    key: `${time}-${twoDigits(index + 1)}`,
    value: kilowattHours(totals, 'pvWattHours'),
  }));
  const running = months[world.calendar.monthAt(world.clock.nowMs()).month - 1];
  if (running !== undefined && isRunning(Number(time), world))
    properties.push(
      { key: 'pvTotal', value: kilowattHours(running, 'pvWattHours') },
      { key: 'gridImport', value: kilowattHours(running, 'gridImportWattHours') },
      { key: 'totalConsumption', value: kilowattHours(running, 'loadWattHours') },
    );
  return success({ category: { key: SUMMARY_CATEGORY }, properties });
}

/**
 * Serves the same in the portal's nested form (field notes 2.9): twelve months per property;
 * future months and quantities that are not measured are zeros with `isRealValue: false`.
 */
export function summarizeMonths(request: ServiceRequest, world: World): Reply {
  const { station, time } = summaryQuestion(request, world);
  const months = monthsSoFar(Number(time), station, world);
  const properties = PROPERTIES.map(({ key, name, total }) => {
    const isMeasured = !world.family.isPvOnlySummary || key === 'pvGeneratedEnergy';
    const timePoints = Array.from({ length: 12 }, (_, index) => {
      const totals = isMeasured ? months[index] : undefined;
      return {
        time: `${time}-${twoDigits(index + 1)}`,
        timeDisplay: twoDigits(index + 1),
        value: totals === undefined ? 0 : rounded(totals[total], station),
        isRealValue: totals !== undefined,
      };
    });
    return {
      property: { key, name, unit: 'kWh' },
      hasRealTimePoints: timePoints.some(({ isRealValue }) => isRealValue),
      timePoints,
    };
  });
  return success({
    category: { id: '1', key: SUMMARY_CATEGORY, name: 'Electricity quantity' },
    hasRealTimePoints: properties.some(({ hasRealTimePoints }) => hasRealTimePoints),
    properties,
  });
}

function summaryQuestion(
  request: ServiceRequest,
  world: World,
): { readonly station: FleetStation; readonly time: string } {
  const body = jsonBody(request);
  const station = knownStation(request.query.get('stationId'), world);
  if (request.query.get('summaryCategoryKey') !== SUMMARY_CATEGORY)
    throw illegalArgument('summaryCategoryKey');
  const time = stringField(body, 'time');
  if (!/^\d{4}$/.test(time)) throw illegalArgument('time');
  return { station, time };
}

/** The energy of a year's months, of weight 1, from January to the last that has begun. */
function monthsSoFar(year: number, station: FleetStation, world: World): readonly EnergyTotals[] {
  const nowMs = world.clock.nowMs();
  const current = world.calendar.monthAt(nowMs);
  const plant = world.plant(station);
  const pastMonths = year < current.year ? 12 : year === current.year ? current.month - 1 : 0;
  const past = Array.from({ length: pastMonths }, (_, index) =>
    plant.wholeMonth(world.calendar.monthOf(year, index + 1)),
  );
  return isRunning(year, world) ? [...past, plant.monthSoFar(world.physicalMs(nowMs))] : past;
}

function isRunning(year: number, world: World): boolean {
  return year === world.calendar.monthAt(world.clock.nowMs()).year;
}

/** The whole station's energy in kWh. */
function rounded(wattHours: number, { devices }: FleetStation): number {
  return Math.round((wattHours * totalWeight(devices)) / 10) / 100;
}

function twoDigits(month: number): string {
  return String(month).padStart(2, '0');
}
