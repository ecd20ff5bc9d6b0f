import type { AlarmRecord } from './alarm-log.ts';
import { knownDevice, knownStation } from './device-lookup.ts';
import { datalogger } from './inventory/device-record.ts';
import { success, type Reply } from './reply.ts';
import { instantField, isUnset, type JsonObject, pageOf, pagingFields } from './service-request.ts';
import { displayName } from './telemetry.ts';
import type { World } from './world.ts';

const LEVELS: Readonly<Record<number, string>> = { 1: 'Notice', 2: 'Warning', 3: 'High' };

/**
 * Lists alarms, firing and past, newest first (field notes 1.6, 2.7). `total` is the number of
 * pages, as the portal means it here.
 */
export function listAlarms(body: JsonObject, world: World): Reply {
  const paging = pagingFields(body);
  const records = filteredAlarms(body, world);
  return success({
    ...paging,
    total: Math.ceil(records.length / paging.count),
    list: pageOf(records, paging).map((record) => alarmRecord(record, world)),
  });
}

/** Serves the newest of the same alarms, or null. */
export function latestAlarm(body: JsonObject, world: World): Reply {
  pagingFields(body);
  const [newest] = filteredAlarms(body, world);
  return success(newest === undefined ? null : alarmRecord(newest, world));
}

type Matches = (record: AlarmRecord, wanted: unknown) => boolean;

/** The filters that name a thing as text or number. */
const FILTERS: Readonly<Record<string, Matches>> = {
  deviceSerialNumber: ({ device }, wanted) => device.serialNumber === wanted,
  certificateDtuID: ({ device }, wanted) => datalogger(device).dtuDtuid === wanted,
  dtuId: ({ device }, wanted) => datalogger(device).dtuId === wanted,
  level: ({ level }, wanted) => level === Number(wanted),
  // Nobody here ever ignores an alarm.
  isProcessed: (_record, wanted) => !['true', '1'].includes(String(wanted)),
};

function filteredAlarms(body: JsonObject, world: World): readonly AlarmRecord[] {
  const { stationId, deviceId } = body;
  const station = isUnset(stationId) ? undefined : knownStation(stationId, world);
  const device = isUnset(deviceId) ? undefined : knownDevice(body, world);
  const fromMs = isUnset(body['fromTime']) ? -Infinity : instantField(body, 'fromTime');
  const toMs = isUnset(body['toTime']) ? Infinity : instantField(body, 'toTime');
  const wanted = Object.entries(FILTERS).filter(([name]) => !isUnset(body[name]));
  const records = world.alarms.records.filter(
    (record) =>
      world.fleet.device(record.device.deviceId) !== undefined &&
      (station === undefined || record.device.station.stationId === station.stationId) &&
      (device === undefined || record.device.deviceId === device.deviceId) &&
      record.firedAtMs >= fromMs &&
      record.firedAtMs <= toMs &&
      wanted.every(([name, matches]) => matches(record, body[name])),
  );
  return body['orderByCreatedTimeDesc'] === false ? records.toReversed() : records;
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
    dtuId: datalogger(device).dtuId,
    certificateDtuID: datalogger(device).dtuDtuid,
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
