import { totalWeight } from './fleet.ts';
import { knownStation } from './inventory.ts';
import type { EnergyTotals } from './plant.ts';
import { illegalArgument, success, type Reply } from './reply.ts';
import { jsonBody, stringField, type ServiceRequest } from './service-request.ts';
import type { World } from './world.ts';

const SUMMARY_CATEGORY = 'pvInverterElectricityQuantityClass';

interface Property {
  readonly key: string;
  /** In kWh. */
  readonly value: number;
}

/**
 * Serves a station's months of one year (interface endpoint 5, section 2.5, the flat form). Months
 * are those of the clock in the station's zone; the running one holds what the physical month has
 * brought so far, which at speed 1 is the same month.
 */
export function summarizeYear(request: ServiceRequest, world: World): Reply {
  const body = jsonBody(request);
  const station = knownStation(request.query.get('stationId'), world);
  if (request.query.get('summaryCategoryKey') !== SUMMARY_CATEGORY)
    throw illegalArgument('summaryCategoryKey');
  const time = stringField(body, 'time');
  if (!/^\d{4}$/.test(time)) throw illegalArgument('time');

  const year = Number(time);
  const nowMs = world.clock.nowMs();
  const current = world.calendar.monthAt(nowMs);
  const plant = world.plant(station);
  const weight = totalWeight(station.devices);
  const monthProperty = (month: number, totals: EnergyTotals): Property => ({
    key: `${time}-${String(month).padStart(2, '0')}`,
    value: kilowattHours(totals.pvWattHours * weight),
  });

  const properties: Property[] = [];
  const pastMonths = year < current.year ? 12 : year === current.year ? current.month - 1 : 0;
  for (let month = 1; month <= pastMonths; month += 1) {
    properties.push(monthProperty(month, plant.wholeMonth(world.calendar.monthOf(year, month))));
  }
  if (year === current.year) {
    const soFar = plant.monthSoFar(world.physicalMs(nowMs));
    properties.push(
      monthProperty(current.month, soFar),
      { key: 'pvTotal', value: kilowattHours(soFar.pvWattHours * weight) },
      { key: 'gridImport', value: kilowattHours(soFar.gridImportWattHours * weight) },
      { key: 'totalConsumption', value: kilowattHours(soFar.loadWattHours * weight) },
    );
  }
  return success({ category: { key: SUMMARY_CATEGORY }, properties });
}

function kilowattHours(energyWattHours: number): number {
  return Math.round(energyWattHours / 10) / 100;
}
