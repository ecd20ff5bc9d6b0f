import { knownStation, queriedDevice } from '../device-lookup.ts';
import { illegalArgument, success, successText, type Reply } from '../reply.ts';
import { type JsonObject, pageOf, pagingFields, type ServiceRequest } from '../service-request.ts';
import type { World } from '../world.ts';
import { filteredDevices } from './device-filter.ts';
import { datalogger, deviceRecord } from './device-record.ts';
import { stationFields } from './station-record.ts';

/** Lists the account's stations (field notes 1.2, 2.3). */
export function listStations(body: JsonObject, world: World): Reply {
  const paging = pagingFields(body);
  const { name = '' } = body;
  if (typeof name !== 'string') throw illegalArgument('name');
  const stations = world.fleet.stations.filter((station) => station.name.includes(name));
  // The id is a bare number beyond 2^53, as on the portal, so this text is not made from numbers.
  const records = pageOf(stations, paging).map((station) => {
    const fields = JSON.stringify(stationFields(station, world));
    return `{"id":${station.stationId},${fields.slice(1)}`;
  });
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
  const devices = filteredDevices(body, world);
  const total = totalIsPages ? Math.ceil(devices.length / paging.count) : devices.length;
  return success({
    ...paging,
    ...(omitTotal ? {} : { total }),
    list: pageOf(devices, paging).map((device) => deviceRecord(device, world)),
  });
}

/** Serves the record of one station; its id is a string here. */
export function stationDetails({ query }: ServiceRequest, world: World): Reply {
  const station = knownStation(query.get('stationId'), world);
  return success({ id: station.stationId, ...stationFields(station, world) });
}

/** Serves the record of one device, and what only its details have (field notes 1.2, 2.2). */
export function deviceDetails(request: ServiceRequest, world: World): Reply {
  return success({
    ...deviceRecord(queriedDevice(request, world), world),
    gatherProtocolVersionId: '1',
    gatherProtocolVersionCode: 1,
    isTimeSyncEnabled: false,
    isPeakValleyEnabled: false,
  });
}

/** Tells which devices hang on a datalogger, by the number that is printed on it. */
export function dataloggerInfo({ query }: ServiceRequest, world: World): Reply {
  const number = query.get('dtuDtuid') ?? '';
  const devices = world.fleet.stations
    .flatMap((station) => station.devices)
    .filter((device) => datalogger(device).dtuDtuid === number);
  const [first] = devices;
  if (first === undefined) throw illegalArgument('dtuDtuid');
  return success({
    ...datalogger(first),
    isOnline: world.isOnline(first),
    devicesAlreadyAdded: devices.map(({ deviceId, name }) => ({ id: deviceId, name })),
  });
}
