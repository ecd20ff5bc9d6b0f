import type { FleetDevice } from '../../physics/fleet.ts';
import { knownStation } from '../device-lookup.ts';
import { illegalArgument } from '../reply.ts';
import { isUnset, type JsonObject } from '../service-request.ts';
import type { World } from '../world.ts';
import { OWNED } from './account.ts';
import { datalogger, deviceState } from './device-record.ts';

type Matches = (device: FleetDevice, wanted: string, world: World) => boolean;

/** The filters of the device list (field notes 1.2) that name a device or its surroundings. */
const FILTERS: Readonly<Record<string, Matches>> = {
  name: ({ name }, wanted) => name.includes(wanted),
  serialNumber: ({ serialNumber }, wanted) => serialNumber.includes(wanted),
  deviceSortKey: (_device, wanted) => wanted === 'pvInverter',
  gatherProtocolNumber: (_device, wanted, { family }) => wanted === family.gatherProtocolNumber,
  dtuId: (device, wanted) => datalogger(device).dtuId === wanted,
  dtuDtuid: (device, wanted) => datalogger(device).dtuDtuid === wanted,
  ownerUserId: (_device, wanted) => wanted === OWNED.ownerUserId,
  state: (device, wanted, world) => String(deviceState(device, world).state) === wanted,
  isOnline: (device, wanted, world) => String(world.isOnline(device)) === wanted,
};

/** Finds the devices that a list is asked for; what is empty or null filters nothing (field notes 8.2). */
export function filteredDevices(body: JsonObject, world: World): readonly FleetDevice[] {
  const { stationId } = body;
  const devices =
    stationId === undefined || stationId === ''
      ? world.fleet.stations.flatMap((station) => station.devices)
      : knownStation(stationId, world).devices;
  return Object.entries(FILTERS).reduce<readonly FleetDevice[]>((left, [name, matches]) => {
    const wanted = filterValue(body, name);
    return wanted === undefined ? left : left.filter((device) => matches(device, wanted, world));
  }, devices);
}

function filterValue(body: JsonObject, name: string): string | undefined {
  const value = body[name];
  if (isUnset(value)) return undefined;
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw illegalArgument(name);
}
