import type { FleetDevice, FleetStation } from '../physics/fleet.ts';
import { CODES, illegalArgument, Refusal } from './reply.ts';
import { stringField, type JsonObject, type ServiceRequest } from './service-request.ts';
import type { World } from './world.ts';

/** Finds the station a request names or throws code 20101. */
export function knownStation(stationId: unknown, world: World): FleetStation {
  const station = typeof stationId === 'string' ? world.fleet.station(stationId) : undefined;
  if (station === undefined) throw illegalArgument('stationId');
  return station;
}

/** Finds the device a body names or throws code 20101. */
export function knownDevice(body: JsonObject, world: World): FleetDevice {
  return deviceCalled(stringField(body, 'deviceId'), world);
}

/** Finds the device a query names or throws code 20101. */
export function queriedDevice({ query }: ServiceRequest, world: World): FleetDevice {
  return deviceCalled(query.get('deviceId') ?? '', world);
}

/** Finds the device a query names, for a request that reaches the device; throws code 71000 when it is offline. */
export function onlineDevice(request: ServiceRequest, world: World): FleetDevice {
  const device = queriedDevice(request, world);
  if (!world.isOnline(device)) throw new Refusal(CODES.deviceOffline, 'device offline');
  return device;
}

function deviceCalled(deviceId: string, world: World): FleetDevice {
  const device = world.fleet.device(deviceId);
  if (device === undefined) throw illegalArgument('deviceId');
  return device;
}
