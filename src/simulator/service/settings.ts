import { isAcceptable, type PortalSetting, settingObject } from '../families/settings.ts';
import { type Call, illegalArgument, isUnset, type JsonObject, Refusal } from './call.ts';
import type { World } from './world.ts';

/** How long a device takes to report its settings. */
const BATCH_READ_MS = 10_000;

/** The fields of interface 2.6, and one it does not list. */
const FACTORY_SETTINGS: FlatSettings = {
  operatingMode: 'Self-Use',
  batteryPriority: 'Solar First',
  gridChargingEnabled: false,
  gridFeedInEnabled: true,
  backupModeEnabled: false,
  maxChargingCurrent: 60,
};

type FlatSettings = Readonly<Record<string, string | number | boolean>>;

/** One reading of settings from a device, which takes some seconds. */
interface BatchRead {
  readonly batchReadId: string;
  readonly deviceId: string;
  /** Undefined: all. */
  readonly keys: readonly string[] | undefined;
  readonly startedAtMs: number;
  isTakenUp: boolean;
}

/** The settings of one device. */
interface DeviceSettings {
  /** In the form of the interface. */
  flat: FlatSettings;
  /** In the portal's form, by key: what was written, */
  readonly written: Map<string, string>;
  /** and what the service remembers: nothing until the device was asked (field notes 8.2). */
  readonly remembered: Map<string, string>;
  batchRead: BatchRead | undefined;
}

/** The settings of each device. */
export class SettingsStore {
  readonly #world: World;
  readonly #byDevice = new Map<string, DeviceSettings>();
  #batchReads = 0;

  constructor(world: World) {
    this.#world = world;
  }

  /** Finds the settings of a device; the service remembers by then what the device has reported. */
  of(deviceId: string): DeviceSettings {
    let settings = this.#byDevice.get(deviceId);
    if (settings === undefined) {
      settings = {
        flat: FACTORY_SETTINGS,
        written: new Map(),
        remembered: new Map(),
        batchRead: undefined,
      };
      this.#byDevice.set(deviceId, settings);
      if (this.#world.options.settingsCached) this.#remember(settings, undefined);
    }
    const { batchRead } = settings;
    if (batchRead !== undefined && !batchRead.isTakenUp && this.isFinished(batchRead)) {
      batchRead.isTakenUp = true;
      this.#remember(settings, batchRead.keys);
    }
    return settings;
  }

  /** Starts to read settings from a device; throws code 70021 while it is busy with another. */
  startBatchRead(deviceId: string, keys: readonly string[] | undefined): BatchRead {
    const settings = this.of(deviceId);
    if (settings.batchRead !== undefined && !this.isFinished(settings.batchRead))
      throw new Refusal(70_021, 'read too frequently');
    this.#batchReads += 1;
    const batchReadId = `7${String(this.#batchReads).padStart(17, '0')}`;
    const startedAtMs = this.#world.clock.nowMs();
    settings.batchRead = { batchReadId, deviceId, keys, startedAtMs, isTakenUp: false };
    return settings.batchRead;
  }

  /** Finds the newest batch read of a device by its id. */
  batchRead(batchReadId: string): BatchRead | undefined {
    return [...this.#byDevice.values()]
      .map(({ batchRead }) => batchRead)
      .find((read) => read?.batchReadId === batchReadId);
  }

  /** Whether a device has reported everything. */
  isFinished({ startedAtMs }: BatchRead): boolean {
    return this.#world.clock.nowMs() >= startedAtMs + BATCH_READ_MS;
  }

  #remember({ written, remembered }: DeviceSettings, keys: readonly string[] | undefined): void {
    for (const { key, factoryValue } of this.#world.family.settings)
      if (keys === undefined || keys.includes(key))
        remembered.set(key, written.get(key) ?? factoryValue);
  }
}

/** Serves a device's settings as one flat object (interface endpoint 6). */
export function readSettings(call: Call): unknown {
  const { deviceId } = call.device(call.text('deviceId'));
  return call.world.settings.of(deviceId).flat;
}

/** Changes the settings that lie beside the device id (interface endpoint 7): all of them, or none. */
export function changeSettings(call: Call): undefined {
  const { deviceId } = call.device(call.text('deviceId'));
  const settings = call.world.settings.of(deviceId);
  const changes = Object.entries(call.body).filter(([name]) => name !== 'deviceId');
  if (changes.length === 0) throw illegalArgument('settings');
  const checked = changes.map(([name, value]) => [name, flatValue(name, value)]);
  settings.flat = { ...settings.flat, ...(Object.fromEntries(checked) as FlatSettings) };
}

function flatValue(name: string, value: unknown): string | number | boolean {
  if (!Object.hasOwn(FACTORY_SETTINGS, name)) throw new Refusal(70_134, `no such setting: ${name}`);
  const isOfSameType = typeof value === typeof FACTORY_SETTINGS[name];
  if (typeof value === 'string' && isOfSameType && value !== '') return value;
  if ((typeof value === 'boolean' || typeof value === 'number') && isOfSameType) return value;
  throw illegalArgument(name);
}

/** Serves the settings the portal remembers of a device (field notes 1.5, 2.8). */
export function readCachedSettings(call: Call): unknown {
  const { deviceId } = call.device();
  const keys = call.keys();
  const { remembered } = call.world.settings.of(deviceId);
  return settingObjects(keys, call.world, ({ key }) => remembered.get(key));
}

/** Starts to read the settings of a device, which must be online (field notes 1.5). */
export function startBatchRead(call: Call): unknown {
  const { deviceId } = call.onlineDevice();
  const read = call.world.settings.startBatchRead(deviceId, call.keys());
  return batchRecord(read, call.world);
}

/** Says how far a batch read has come, and once it has finished what the device is set to. */
export function batchReadDetails(call: Call): unknown {
  const { world } = call;
  const read = world.settings.batchRead(call.query('batchReadId'));
  if (read === undefined) throw illegalArgument('batchReadId');
  const { written } = world.settings.of(read.deviceId);
  const configAttributeStates = world.settings.isFinished(read)
    ? settingObjects(read.keys, world, ({ key, factoryValue }) => written.get(key) ?? factoryValue)
    : {};
  return { ...batchRecord(read, world), configAttributeStates };
}

/**
 * Writes one setting to a device (field notes 1.5, 8.2), which must be online. Without the `id` the
 * portal says yes and changes nothing. What it says to a value that is no choice or is out of range
 * was never seen; it says 20101 to other arguments that it does not take.
 */
export function writeSetting(call: Call): undefined {
  const { deviceId } = call.onlineDevice();
  const { body, world } = call;
  // The interface's form, several settings in one flat object, is not understood here.
  for (const name of Object.keys(body))
    if (!['id', 'deviceId', 'key', 'value'].includes(name)) throw illegalArgument(name);
  for (const name of ['id', 'deviceId'])
    if (!isUnset(body[name]) && body[name] !== deviceId) throw illegalArgument(name);
  const key = call.text('key');
  const setting = world.family.settings.find((known) => known.key === key);
  if (setting === undefined) throw new Refusal(70_134, `no such setting: ${key}`);
  // A text, or the bare number that at least one deployment takes (field notes 8.2).
  const value = typeof body['value'] === 'number' ? String(body['value']) : body['value'];
  if (typeof value !== 'string') throw illegalArgument('value');
  if (isUnset(body['id'])) return;
  if (!isAcceptable(setting, value)) throw illegalArgument('value');
  const { written, remembered } = world.settings.of(deviceId);
  written.set(key, value);
  // What was remembered of the setting follows; nothing else becomes known.
  if (remembered.has(key)) remembered.set(key, value);
}

/** Describes settings by their keys, all or some; those without a value are left out. */
function settingObjects(
  keys: readonly string[] | undefined,
  { family }: World,
  valueOf: (setting: PortalSetting) => string | undefined,
): JsonObject {
  const asked = family.settings.filter(({ key }) => keys === undefined || keys.includes(key));
  return Object.fromEntries(
    asked.flatMap((setting) => {
      const value = valueOf(setting);
      return value === undefined ? [] : [[setting.key, settingObject(setting, value)]];
    }),
  );
}

function batchRecord(read: BatchRead, { settings }: World): JsonObject {
  const { batchReadId, deviceId, keys, startedAtMs } = read;
  const startAt = new Date(startedAtMs).toISOString();
  const isFinished = settings.isFinished(read);
  return {
    id: batchReadId,
    deviceId,
    requestKeys: keys ?? null,
    startAt,
    endAt: isFinished ? new Date(startedAtMs + BATCH_READ_MS).toISOString() : null,
    isFinished,
    createdAt: startAt,
  };
}
