import type { FleetDevice } from '../physics/fleet.ts';

/** An alarm that a device raises. */
export interface Alarm {
  readonly key: string;
  readonly name?: string;
  /** 1 notice, 2 warning, 3 high. */
  readonly level: number;
}

/** One entry of the alarm list; an event has two. */
export interface AlarmRecord extends Alarm {
  readonly alarmId: string;
  readonly device: FleetDevice;
  readonly firedAtMs: number;
  /** Undefined while it fires. */
  readonly disappearedAtMs: number | undefined;
}

// One event is now and then listed twice.
const RECORDS_PER_EVENT = 2;

/** Records every alarm since the simulator's creation. */
export class AlarmLog {
  #records: readonly AlarmRecord[] = [];
  #listed = 0;

  /** Newest first. */
  get records(): readonly AlarmRecord[] {
    return this.#records;
  }

  /** The alarms that fire on a device, each once. */
  firing({ deviceId }: FleetDevice): readonly AlarmRecord[] {
    const events = this.#records
      .filter((record) => record.device.deviceId === deviceId)
      .filter(({ disappearedAtMs }) => disappearedAtMs === undefined)
      .map((record) => [record.key, record] as const);
    return [...new Map(events).values()];
  }

  /** Makes these and no others fire on a device; those that fire already go on as they are. */
  set(device: FleetDevice, alarms: readonly Alarm[], nowMs: number): void {
    const wanted = new Set(alarms.map(({ key }) => key));
    const known = new Set(this.firing(device).map(({ key }) => key));
    const ended = this.#records.map((record) =>
      record.device.deviceId === device.deviceId && !wanted.has(record.key)
        ? { ...record, disappearedAtMs: record.disappearedAtMs ?? nowMs }
        : record,
    );
    const fired = alarms
      .filter(({ key }) => !known.has(key))
      .flatMap((alarm) =>
        Array.from({ length: RECORDS_PER_EVENT }, () => this.#record(alarm, device, nowMs)),
      );
    this.#records = [...fired, ...ended];
  }

  #record(alarm: Alarm, device: FleetDevice, nowMs: number): AlarmRecord {
    this.#listed += 1;
    return {
      ...alarm,
      alarmId: `8${String(this.#listed).padStart(17, '0')}`,
      device,
      firedAtMs: nowMs,
      disappearedAtMs: undefined,
    };
  }
}
