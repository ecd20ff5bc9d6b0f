import type { AlarmRecord } from './alarm-log.ts';
import { knownDevice, knownStation } from './device-lookup.ts';
import { success, type Reply } from './reply.ts';
import { pageOf, pagingFields, type JsonObject } from './service-request.ts';
import { displayName } from './telemetry.ts';
import type { World } from './world.ts';

const LEVELS: Readonly<Record<number, string>> = { 1: 'Notice', 2: 'Warning', 3: 'High' };

/**
 * Lists alarms, firing and past, newest first (field notes 1.6, 2.7). `total` is the number of
 * pages, as the portal means it here.
 */
export function listAlarms(body: JsonObject, world: World): Reply {
  const paging = pagingFields(body);
  const station =
    body['stationId'] === undefined ? undefined : knownStation(body['stationId'], world);
  const wantedDevice = body['deviceId'] === undefined ? undefined : knownDevice(body, world);
  const records = world.alarms.records.filter(
    ({ device }) =>
      world.fleet.device(device.deviceId) !== undefined &&
      (station === undefined || device.station.stationId === station.stationId) &&
      (wantedDevice === undefined || device.deviceId === wantedDevice.deviceId),
  );
  return success({
    ...paging,
    total: Math.ceil(records.length / paging.count),
    list: pageOf(records, paging).map((record) => alarmRecord(record, world)),
  });
}

function alarmRecord(record: AlarmRecord, world: World): Readonly<Record<string, unknown>> {
  const { alarmId, device, key, name = displayName(key), level, disappearedAtMs } = record;
  const createdAt = new Date(record.firedAtMs).toISOString();
  const disappearedAt =
    disappearedAtMs === undefined ? null : new Date(disappearedAtMs).toISOString();
  return {
    id: alarmId,
    deviceId: device.deviceId,
    deviceName: device.name,
    deviceSerialNumber: device.serialNumber,
    deviceSortKey: 'pvInverter',
    stationId: device.station.stationId,
    stationName: device.station.name,
    gatherProtocolNumber: world.family.gatherProtocolNumber,
    category: 1,
    level,
    levelDict: LEVELS[level] ?? null,
    status: disappearedAt === null ? 0 : 1,
    isProcessed: false,
    processedDict: 'Unprocessed',
    isRead: false,
    key,
    name,
    nameI18n: {},
    description: name,
    descriptionI18n: {},
    firedValue: '1',
    disappearedValue: disappearedAt === null ? null : '0',
    createdAt,
    disappearedAt,
    updateAt: disappearedAt ?? createdAt,
  };
}
