import type { FleetDevice } from '../physics/fleet.ts';
import { datalogger } from './inventory.ts';
import { type Call, isUnset, pageOf } from './call.ts';
import { displayName } from './telemetry.ts';
import type { World } from './world.ts';

/** An alarm that a device raises. */
export interface Alarm {
  readonly key: string;
  readonly name?: string;
  /** 1 notice, 2 warning, 3 high. */
  readonly level: number;
}

/** One entry of the alarm list; an event has two. */
interface AlarmRecord extends Alarm {
  readonly alarmId: string;
  readonly device: FleetDevice;
  readonly firedAtMs: number;
  /** Undefined while it fires. */
  readonly disappearedAtMs: number | undefined;
}

const LEVELS: Readonly<Record<number, string>> = { 1: 'Notice', 2: 'Warning', 3: 'High' };

/** Records every alarm since the simulator's creation. */
export class AlarmLog {
  /** Newest first. */
  records: readonly AlarmRecord[] = [];
  #listed = 0;

  /** The alarms that fire on a device, each once. */
  firing({ deviceId }: FleetDevice): readonly AlarmRecord[] {
    const firing = this.records.filter(
      (record) => record.device.deviceId === deviceId && record.disappearedAtMs === undefined,
    );
    return [...new Map(firing.map((record) => [record.key, record])).values()];
  }

  /** Makes these and no others fire on a device; those that fire already go on as they are. */
  set(device: FleetDevice, alarms: readonly Alarm[], nowMs: number): void {
    const wanted = new Set(alarms.map(({ key }) => key));
    const known = new Set(this.firing(device).map(({ key }) => key));
    const ended = this.records.map((record) =>
      record.device.deviceId === device.deviceId && !wanted.has(record.key)
        ? { ...record, disappearedAtMs: record.disappearedAtMs ?? nowMs }
        : record,
    );
    const fired = alarms
      .filter(({ key }) => !known.has(key))
      // One event is now and then listed twice.
      .flatMap((alarm) => [alarm, alarm])
      .map((alarm) => ({
        ...alarm,
        alarmId: `8${String((this.#listed += 1)).padStart(17, '0')}`,
        device,
        firedAtMs: nowMs,
        disappearedAtMs: undefined,
      }));
    this.records = [...fired, ...ended];
  }
}

/** Lists alarms, firing and past, newest first (service.md#alarms); `total` is the number of pages here. */
export function listAlarms(call: Call): unknown {
  const { world } = call;
  const paging = call.paging();
  const { stationId, deviceId } = call.body;
  const station = isUnset(stationId) ? undefined : call.station(stationId);
  const device = isUnset(deviceId) ? undefined : call.device(deviceId);
  const records = world.alarms.records.filter(
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
