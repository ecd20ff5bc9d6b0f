import type { EnergyTotals } from '../../physics/energy.ts';
import { totalWeight, type FleetStation } from '../../physics/fleet.ts';
import { knownStation } from '../device-lookup.ts';
import { success, type Reply } from '../reply.ts';
import { jsonBody, type ServiceRequest } from '../service-request.ts';
import type { World } from '../world.ts';
import { matched, twoDigits } from './buckets.ts';
import { ENERGY_CATEGORY, expectCategory } from './categories.ts';
import { isRunning, monthsSoFar } from './energy-of-spans.ts';

/** Serves a station's months of one year in the flat form (interface endpoint 5, section 2.5). */
export function summarizeYear(request: ServiceRequest, world: World): Reply {
  const body = jsonBody(request);
  const station = knownStation(request.query.get('stationId'), world);
  expectCategory(request, ENERGY_CATEGORY);
  const [time = ''] = matched(body['time'], /^\d{4}$/);
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
  return success({ category: { key: ENERGY_CATEGORY }, properties });
}

/** The whole station's energy in kWh. */
function rounded(wattHours: number, { devices }: FleetStation): number {
  return Math.round((wattHours * totalWeight(devices)) / 10) / 100;
}
