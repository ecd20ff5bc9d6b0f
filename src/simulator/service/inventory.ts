import { knownStation, queriedDevice } from './device-lookup.ts';
import { CREATED_AT, deviceRecord, kilowatts } from './device-record.ts';
import { totalWeight, type FleetStation } from '../physics/fleet.ts';
import { success, successText, type Reply } from './reply.ts';
import { type JsonObject, pageOf, pagingFields, type ServiceRequest } from './service-request.ts';
import { RATED_WATTS } from '../physics/station-plant.ts';
import type { World } from './world.ts';

/** Lists the account's stations (field notes 1.2, 2.3). */
export function listStations(body: JsonObject, world: World): Reply {
  const paging = pagingFields(body);
  const { stations } = world.fleet;
  const records = pageOf(stations, paging).map((station) => stationRecord(station, world));
  return successText(
    `{"page":${paging.page},"count":${paging.count},"total":${stations.length},"list":[${records.join(',')}]}`,
  );
}

/**
 * Lists the devices of a station (interface endpoint 3), or of the account when none is named
 * (field notes 1.2).
 */
export function listDevices(body: JsonObject, world: World): Reply {
  const paging = pagingFields(body);
  const { omitTotal, totalIsPages } = world.options;
  const devices =
    body['stationId'] === undefined
      ? world.fleet.stations.flatMap((station) => station.devices)
      : knownStation(body['stationId'], world).devices;
  const total = totalIsPages ? Math.ceil(devices.length / paging.count) : devices.length;
  return success({
    ...paging,
    ...(omitTotal ? {} : { total }),
    list: pageOf(devices, paging).map((device) => deviceRecord(device, world)),
  });
}

/** Describes one device as the device list does (field notes 1.2). */
export function describeDevice(request: ServiceRequest, world: World): Reply {
  return success(deviceRecord(queriedDevice(request, world), world));
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
