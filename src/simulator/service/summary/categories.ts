import type { EnergyTotals } from '../../physics/energy.ts';
import { illegalArgument, success, type Reply } from '../reply.ts';
import { jsonBody, type ServiceRequest } from '../service-request.ts';
import type { World } from '../world.ts';
import type { Bucket, Bucketing } from './buckets.ts';
import type { Scope } from './scopes.ts';

/** The category of the energies. */
export const ENERGY_CATEGORY = 'pvInverterElectricityQuantityClass';

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
 * Serves energies in the portal's nested form (field notes 1.4 and 2.9): a bucket per span and
 * property; future spans and quantities that are not measured are zeros with `isRealValue: false`.
 */
export function summarizeEnergy(scope: Scope, bucketing: Bucketing) {
  return (request: ServiceRequest, world: World): Reply => {
    const { time } = jsonBody(request);
    const shares = scope(request, world);
    expectCategory(request, ENERGY_CATEGORY);
    const buckets = bucketing(time, shares, world);
    const properties = PROPERTIES.map(({ key, name, total }) => {
      const isMeasured = !world.family.isPvOnlySummary || key === 'pvGeneratedEnergy';
      return property(
        { key, name, unit: 'kWh' },
        buckets.map((bucket) => energyPoint(bucket, isMeasured ? total : undefined)),
      );
    });
    return summary({ id: '1', key: ENERGY_CATEGORY, name: 'Electricity quantity' }, properties);
  };
}

/** Serves what the sun gave as a flat list (field notes 1.4). */
export function listGeneratedEnergy(scope: Scope, bucketing: Bucketing) {
  return (request: ServiceRequest, world: World): Reply =>
    success(
      bucketing(jsonBody(request)['time'], scope(request, world), world).map((bucket) => {
        const { value, ...point } = energyPoint(bucket, 'pvWattHours');
        return { ...point, generatedEnergy: value };
      }),
    );
}

/** One point of a summary. */
export interface TimePoint {
  readonly time: string;
  readonly timeDisplay: string;
  readonly value: number;
  readonly isRealValue: boolean;
}

/** One property of a summary with its points. */
interface SummaryProperty {
  readonly property: { readonly key: string; readonly name: string; readonly unit: string };
  readonly hasRealTimePoints: boolean;
  readonly timePoints: readonly TimePoint[];
}

/** Puts points under the property that they are of. */
export function property(
  names: SummaryProperty['property'],
  timePoints: readonly TimePoint[],
): SummaryProperty {
  return {
    property: names,
    hasRealTimePoints: timePoints.some(({ isRealValue }) => isRealValue),
    timePoints,
  };
}

/** Wraps up a summary. */
export function summary(
  category: { readonly id: string; readonly key: string; readonly name: string },
  properties: readonly SummaryProperty[],
): Reply {
  const hasRealTimePoints = properties.some((one) => one.hasRealTimePoints);
  return success({ category, hasRealTimePoints, properties });
}

/** Throws code 20101 for any category but the one that an endpoint has. */
export function expectCategory({ query }: ServiceRequest, category: string): void {
  if (query.get('summaryCategoryKey') !== category) throw illegalArgument('summaryCategoryKey');
}

function energyPoint(
  { time, timeDisplay, totals }: Bucket,
  name: keyof EnergyTotals | undefined,
): TimePoint {
  const wattHours = name === undefined ? undefined : totals?.[name];
  return {
    time,
    timeDisplay,
    value: Math.round((wattHours ?? 0) / 10) / 100,
    isRealValue: wattHours !== undefined,
  };
}
