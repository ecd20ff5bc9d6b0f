import { CODES, illegalArgument, Refusal } from '../reply.ts';
import type { JsonObject } from '../service-request.ts';

/** The settings of one device: the fields of interface 2.6 and one it does not list. */
type DeviceSettings = Readonly<Record<string, string | number | boolean>>;

const FACTORY_SETTINGS: DeviceSettings = {
  operatingMode: 'Self-Use',
  batteryPriority: 'Solar First',
  gridChargingEnabled: false,
  gridFeedInEnabled: true,
  backupModeEnabled: false,
  maxChargingCurrent: 60,
};

/** The settings of each device. */
export class SettingsStore {
  readonly #changed = new Map<string, DeviceSettings>();

  get(deviceId: string): DeviceSettings {
    return this.#changed.get(deviceId) ?? FACTORY_SETTINGS;
  }

  /** Applies all of the changes or, when one is refused, none. */
  change(deviceId: string, changes: JsonObject): void {
    const settings = { ...this.get(deviceId) };
    for (const [name, value] of Object.entries(changes)) settings[name] = checked(name, value);
    this.#changed.set(deviceId, settings);
  }
}

function checked(name: string, value: unknown): string | number | boolean {
  if (!Object.hasOwn(FACTORY_SETTINGS, name))
    throw new Refusal(CODES.noSuchSetting, `no such setting: ${name}`);
  const isOfSameType = typeof value === typeof FACTORY_SETTINGS[name];
  if (typeof value === 'string' && isOfSameType && value !== '') return value;
  if ((typeof value === 'boolean' || typeof value === 'number') && isOfSameType) return value;
  throw illegalArgument(name);
}

/** The settings that were written to each device in the portal's form. */
export class PortalSettingsStore {
  readonly #written = new Map<string, Map<string, string>>();

  written(deviceId: string, key: string): string | undefined {
    return this.#written.get(deviceId)?.get(key);
  }

  write(deviceId: string, key: string, value: string): void {
    const settings = this.#written.get(deviceId) ?? new Map<string, string>();
    this.#written.set(deviceId, settings.set(key, value));
  }
}

/** How long a device takes to report its settings. */
export const BATCH_READ_MS = 10_000;

/** One reading of settings from a device, which takes some seconds. */
export interface BatchRead {
  readonly batchReadId: string;
  readonly deviceId: string;
  /** Undefined: all. */
  readonly keys: readonly string[] | undefined;
  readonly startedAtMs: number;
}

/** Remembers the newest batch read of each device. */
export class BatchReads {
  readonly #byDevice = new Map<string, BatchRead>();
  #started = 0;

  /** Starts one; throws code 70021 while the device is still busy with another. */
  start(deviceId: string, keys: readonly string[] | undefined, nowMs: number): BatchRead {
    const previous = this.#byDevice.get(deviceId);
    if (previous !== undefined && !isFinished(previous, nowMs))
      throw new Refusal(CODES.tooManyReads, 'read too frequently');
    this.#started += 1;
    const batchReadId = `7${String(this.#started).padStart(17, '0')}`;
    const read = { batchReadId, deviceId, keys, startedAtMs: nowMs };
    this.#byDevice.set(deviceId, read);
    return read;
  }

  find(batchReadId: string): BatchRead | undefined {
    return [...this.#byDevice.values()].find((read) => read.batchReadId === batchReadId);
  }
}

/** Whether a device has reported everything by then. */
export function isFinished({ startedAtMs }: BatchRead, nowMs: number): boolean {
  return nowMs >= startedAtMs + BATCH_READ_MS;
}
