import type { FleetDevice } from '../physics/fleet.ts';
import { RATED_WATTS } from '../physics/station-plant.ts';
import type { World } from './world.ts';

/** When every station and device was installed. */
export const CREATED_AT = '2024-01-01T00:00:00Z';

const STATES = {
  online: { state: 20, stateDict: 'Online' },
  alarmed: { state: 10, stateDict: 'Alarm' },
  offline: { state: 30, stateDict: 'Offline' },
} as const;

/** Describes a device as the device list does (field notes 2.2). */
export function deviceRecord(device: FleetDevice, world: World): Readonly<Record<string, unknown>> {
  const lastSampleAtMs = world.lastSampleAtMs(device);
  const isOnline = world.isOnline(device);
  const isAlarmed = world.alarms.firing(device).length > 0;
  const state = world.inverterState(device, lastSampleAtMs);
  const producingPower = isOnline ? kilowatts(state.pvPowerWatts, 3) : null;
  const today = kilowattHours(state.energy().today.pvWattHours);
  const lifetime = kilowattHours(state.energy().lifetime.pvWattHours);
  return {
    id: device.deviceId,
    name: device.name,
    serialNumber: device.serialNumber,
    isVirtualSerialNumber: false,
    model: world.family.deviceModel,
    deviceSortKey: 'pvInverter',
    deviceSortLocaleText: 'PV inverter',
    gatherProtocolNumber: world.family.gatherProtocolNumber,
    gatherProtocolNameDisplay: null,
    stationId: device.station.stationId,
    stationName: device.station.name,
    stationTimezone: world.options.timeZone,
    ...STATES[isOnline ? (isAlarmed ? 'alarmed' : 'online') : 'offline'],
    isOnline,
    isAlarmed,
    producingPower,
    nonNullableProducingPower: producingPower ?? 0,
    ratedPower: kilowatts(device.weight * RATED_WATTS, 1),
    dailyProducedQuantity: today,
    totalProducedQuantity: lifetime,
    totalProducedQuantityExcludeToday: Number((lifetime - today).toFixed(2)),
    createdAt: CREATED_AT,
    // An offline device was last heard when it left, which may be between two samples.
    lastDataAt: new Date(isOnline ? lastSampleAtMs : world.heardAtMs(device)).toISOString(),
  };
}

/** Writes a power in kW. */
export function kilowatts(powerWatts: number, decimals: number): number {
  return Number((powerWatts / 1000).toFixed(decimals));
}

function kilowattHours(energyWattHours: number): number {
  return Number((energyWattHours / 1000).toFixed(2));
}
