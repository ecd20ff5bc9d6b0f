import { totalWeight, type FleetDevice, type FleetStation } from './fleet.ts';
import { illegalArgument, success, successText, type Reply } from './reply.ts';
import { type JsonObject, pageOf, pagingFields, stringField } from './service-request.ts';
import { RATED_WATTS } from './station-plant.ts';
import type { World } from './world.ts';

const CREATED_AT = '2024-01-01T00:00:00Z';

/** Finds the station a request names or throws code 20101. */
export function knownStation(stationId: unknown, world: World): FleetStation {
  const station = typeof stationId === 'string' ? world.fleet.station(stationId) : undefined;
  if (station === undefined) throw illegalArgument('stationId');
  return station;
}

/** Finds the device a request names or throws code 20101. */
export function knownDevice(body: JsonObject, world: World): FleetDevice {
  const device = world.fleet.device(stringField(body, 'deviceId'));
  if (device === undefined) throw illegalArgument('deviceId');
  return device;
}

/** Lists the account's stations (field notes 1.2, 2.3). */
export function listStations(body: JsonObject, world: World): Reply {
  const paging = pagingFields(body);
  const { stations } = world.fleet;
  const records = pageOf(stations, paging).map((station) => stationRecord(station, world));
  return successText(
    `{"page":${paging.page},"count":${paging.count},"total":${stations.length},"list":[${records.join(',')}]}`,
  );
}

/** Lists the devices of a station (interface endpoint 3). */
export function listDevices(body: JsonObject, world: World): Reply {
  const paging = pagingFields(body);
  const { devices } = knownStation(body['stationId'], world);
  return success({
    ...paging,
    ...(world.options.omitTotal ? {} : { total: devices.length }),
    list: pageOf(devices, paging).map((device) => deviceRecord(device, world)),
  });
}

/** The id is a bare number beyond 2^53, as on the portal, so this text is not made from numbers. */
function stationRecord({ stationId, name, devices }: FleetStation, world: World): string {
  const rest = JSON.stringify({
    name,
    timezone: world.options.timeZone,
    latitude: world.options.latitudeDegrees,
    state: 20,
    isOnline: true,
    installedCapacity: kilowatts(totalWeight(devices) * RATED_WATTS, 1),
    deviceCount: devices.length,
    createdAt: CREATED_AT,
  });
  return `{"id":${stationId},${rest.slice(1)}`;
}

function deviceRecord(device: FleetDevice, world: World): Readonly<Record<string, unknown>> {
  const lastSampleAtMs = world.lastSampleAtMs();
  return {
    id: device.deviceId,
    name: device.name,
    serialNumber: device.serialNumber,
    isVirtualSerialNumber: false,
    model: 'SIM-5K',
    deviceSortKey: 'pvInverter',
    stationId: device.station.stationId,
    stationName: device.station.name,
    stationTimezone: world.options.timeZone,
    state: 20,
    stateDict: 'Online',
    isOnline: true,
    isAlarmed: false,
    producingPower: kilowatts(world.deviceState(device, lastSampleAtMs).pvPowerWatts, 3),
    ratedPower: kilowatts(device.weight * RATED_WATTS, 1),
    createdAt: CREATED_AT,
    lastDataAt: new Date(lastSampleAtMs).toISOString(),
  };
}

function kilowatts(powerWatts: number, decimals: number): number {
  return Number((powerWatts / 1000).toFixed(decimals));
}
