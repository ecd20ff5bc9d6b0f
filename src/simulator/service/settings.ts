import { isAcceptable, PORTAL_SETTINGS, settingObject } from '../families/settings.ts';
import { type Call, illegalArgument, isUnset, type JsonObject, Refusal } from './call.ts';
import type { BatchRead, FlatSettings, World } from './world.ts';

/** How long a device takes to report its settings. */
const BATCH_READ_MS = 10_000;

/** The fields of service.md#settings, and one it does not list. */
const FACTORY_SETTINGS: FlatSettings = {
  operatingMode: 'Self-Use',
  batteryPriority: 'Solar First',
  gridChargingEnabled: false,
  gridFeedInEnabled: true,
  backupModeEnabled: false,
  maxChargingCurrent: 60,
};

/** Serves a device's settings as one flat object (service.md#settings). */
export function readSettings(call: Call): FlatSettings {
  const { deviceId } = call.device(call.text('deviceId'));
  return call.world.settings.flat.get(deviceId) ?? FACTORY_SETTINGS;
}

/** Changes the settings that lie beside the device id (service.md#settings): all of them, or none. */
export function changeSettings(call: Call): undefined {
  const { deviceId, ...changes } = call.body;
  const settings = readSettings(call);
  const checked = Object.entries(changes).map(([name, value]) => [name, flatValue(name, value)]);
  if (checked.length === 0) throw illegalArgument('settings');
  const changed = Object.fromEntries(checked) as FlatSettings;
  call.world.settings.flat.set(String(deviceId), { ...settings, ...changed });
}

function flatValue(name: string, value: unknown): unknown {
  if (!Object.hasOwn(FACTORY_SETTINGS, name)) throw new Refusal(70_134, `no such setting: ${name}`);
  const isOfSameType = typeof value === typeof FACTORY_SETTINGS[name];
  if (!isOfSameType || value === '') throw illegalArgument(name);
  return value;
}

/** Serves the settings the portal remembers of a device: none until the device was asked (service.md#settings). */
export function readCachedSettings(call: Call): JsonObject {
  const { world } = call;
  const { deviceId } = call.device();
  const finished = world.settings.reads.filter(
    (read) => read.deviceId === deviceId && isFinished(read, world),
  );
  const keys = call.keys();
  const isRemembered = (key: string): boolean =>
    world.options.settingsCached || finished.some((read) => isAmong(key, read.keys));
  return settingObjects(deviceId, world, (key) => isAmong(key, keys) && isRemembered(key));
}

/** Starts to read the settings of a device that is online and not busy with another read (service.md#settings). */
export function startBatchRead(call: Call): JsonObject {
  const { deviceId } = call.onlineDevice();
  const { clock, settings } = call.world;
  const isBusy = (read: BatchRead): boolean =>
    read.deviceId === deviceId && !isFinished(read, call.world);
  const keys = call.keys();
  if (settings.reads.some(isBusy)) throw new Refusal(70_021, 'read too frequently');
  const id = `7${String(settings.reads.length + 1).padStart(17, '0')}`;
  const read = { id, deviceId, keys, startedAtMs: clock.nowMs() };
  settings.reads.push(read);
  return batchRecord(read, call.world);
}

/** Says how far a batch read has come, and once it has finished what the device is set to. */
export function details(call: Call): JsonObject {
  const { world } = call;
  const read = world.settings.reads.find(({ id }) => id === call.query('batchReadId'));
  if (read === undefined) throw illegalArgument('batchReadId');
  const isReported = (key: string): boolean => isFinished(read, world) && isAmong(key, read.keys);
  const configAttributeStates = settingObjects(read.deviceId, world, isReported);
  return { ...batchRecord(read, world), configAttributeStates };
}

/**
 * Writes one setting to a device (service.md#settings), which must be online. Without the `id` the
 * portal says yes and changes nothing. What it says to a value that is no choice or is out of range
 * was never seen; it says 20101 to other arguments that it does not take.
 */
export function writeSetting(call: Call): undefined {
  const { deviceId } = call.onlineDevice();
  const { body, world } = call;
  // The specified form, several settings in one flat object, is not understood here.
  for (const name of Object.keys(body))
    if (!['id', 'deviceId', 'key', 'value'].includes(name)) throw illegalArgument(name);
  for (const name of ['id', 'deviceId'])
    if (!isUnset(body[name]) && body[name] !== deviceId) throw illegalArgument(name);
  const key = call.text('key');
  const setting = PORTAL_SETTINGS.find((known) => known.key === key);
  if (setting === undefined) throw new Refusal(70_134, `no such setting: ${key}`);
  // A text, or the bare number that at least one deployment takes (service.md#settings).
  const value = typeof body['value'] === 'number' ? String(body['value']) : body['value'];
  if (typeof value !== 'string') throw illegalArgument('value');
  if (isUnset(body['id'])) return;
  if (!isAcceptable(setting, value)) throw illegalArgument('value');
  world.settings.written.set(`${deviceId} ${key}`, value);
}

/** Whether a key is asked for: all are where no keys are named. */
const isAmong = (key: string, keys: readonly string[] | undefined): boolean =>
  keys === undefined || keys.includes(key);

/** Describes some settings of a device by their keys. */
function settingObjects(
  deviceId: string,
  { settings }: World,
  isShown: (key: string) => boolean,
): JsonObject {
  const shown = PORTAL_SETTINGS.filter(({ key }) => isShown(key));
  return Object.fromEntries(
    shown.map((setting) => {
      const written = settings.written.get(`${deviceId} ${setting.key}`);
      return [setting.key, settingObject(setting, written ?? setting.factoryValue)];
    }),
  );
}

/** Whether the device has reported everything. */
function isFinished({ startedAtMs }: BatchRead, { clock }: World): boolean {
  return clock.nowMs() >= startedAtMs + BATCH_READ_MS;
}

function batchRecord(read: BatchRead, world: World): JsonObject {
  const { id, deviceId, keys, startedAtMs } = read;
  const startAt = new Date(startedAtMs).toISOString();
  const endAt = new Date(startedAtMs + BATCH_READ_MS).toISOString();
  const isFinishedNow = isFinished(read, world);
  return {
    id,
    deviceId,
    requestKeys: keys ?? null,
    startAt,
    endAt: isFinishedNow ? endAt : null,
    isFinished: isFinishedNow,
    createdAt: startAt,
  };
}
