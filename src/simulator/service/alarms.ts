import { displayName } from '../families/fields.ts';
import { datalogger, type FleetDevice } from '../physics/fleet.ts';
import { type Call, isUnset, pageOf } from './call.ts';
import type { Alarm, AlarmRecord, World } from './world.ts';

const LEVELS: Readonly<Record<number, string>> = { 1: 'Notice', 2: 'Warning', 3: 'High' };

/** The alarms that fire on a device, each once. */
export function firingAlarms({ alarms }: World, { deviceId }: FleetDevice): readonly AlarmRecord[] {
  const firing = alarms.filter(
    (record) => record.device.deviceId === deviceId && record.disappearedAtMs === undefined,
  );
  return [...new Map(firing.map((record) => [record.key, record])).values()];
}

/** Makes these and no others fire on a device; those that fire already go on as they are. */
export function setAlarms(world: World, device: FleetDevice, alarms: readonly Alarm[]): void {
  const nowMs = world.clock.nowMs();
  const wanted = new Set(alarms.map(({ key }) => key));
  const known = new Set(firingAlarms(world, device).map(({ key }) => key));
  const ended = world.alarms.map((record) =>
    record.device.deviceId === device.deviceId && !wanted.has(record.key)
      ? { ...record, disappearedAtMs: record.disappearedAtMs ?? nowMs }
      : record,
  );
  const fired = alarms
    .filter(({ key }) => !known.has(key))
    // One event is now and then listed twice.
    .flatMap((alarm) => [alarm, alarm])
    .map((alarm, index) => ({
      ...alarm,
      alarmId: `8${String(ended.length + index + 1).padStart(17, '0')}`,
      device,
      firedAtMs: nowMs,
      disappearedAtMs: undefined,
    }));
  world.alarms = [...fired, ...ended];
}

/** Lists alarms, firing and past, newest first (service.md#alarms); `total` is the number of pages here. */
export function listAlarms(call: Call): unknown {
  const { world } = call;
  const paging = call.paging();
  const { stationId, deviceId } = call.body;
  const station = isUnset(stationId) ? undefined : call.station(stationId);
  const device = isUnset(deviceId) ? undefined : call.device(deviceId);
  const records = world.alarms.filter(
    (record) =>
      world.fleet.device(record.device.deviceId) !== undefined &&
      (station === undefined || record.device.station.stationId === station.stationId) &&
      (device === undefined || record.device.deviceId === device.deviceId),
  );
  return {
    ...paging,
    total: Math.ceil(records.length / paging.count),
    list: pageOf(records, paging).map((record) => alarmRecord(record, world)),
  };
}

function alarmRecord(record: AlarmRecord, world: World): unknown {
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
    level,
    levelDict: LEVELS[level] ?? null,
    status: disappearedAt === null ? 0 : 1,
    isProcessed: false,
    key,
    name,
    description: name,
    firedValue: '1',
    disappearedValue: disappearedAt === null ? null : '0',
    createdAt,
    disappearedAt,
    updateAt: disappearedAt ?? createdAt,
  };
}
