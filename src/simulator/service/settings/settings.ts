import { knownDevice, onlineDevice, queriedDevice } from '../device-lookup.ts';
import { isAcceptable, type PortalSetting, settingObject } from '../../families/portal-setting.ts';
import { acknowledged, CODES, illegalArgument, Refusal, success, type Reply } from '../reply.ts';
import {
  isUnset,
  jsonBody,
  optionalStrings,
  stringField,
  type JsonObject,
  type ServiceRequest,
} from '../service-request.ts';
import type { World } from '../world.ts';

const WRITTEN_FIELDS: ReadonlySet<string> = new Set(['id', 'deviceId', 'key', 'value']);

/** Serves a device's settings as one flat object (interface endpoint 6). */
export function readSettings(body: JsonObject, world: World): Reply {
  return success(world.settings.get(knownDevice(body, world).deviceId));
}

/** Changes the settings that lie beside the device id (interface endpoint 7). */
export function changeSettings(body: JsonObject, world: World): Reply {
  const device = knownDevice(body, world);
  const changes = Object.fromEntries(Object.entries(body).filter(([name]) => name !== 'deviceId'));
  if (Object.keys(changes).length === 0) throw illegalArgument('settings');
  world.settings.change(device.deviceId, changes);
  return acknowledged();
}

/** Serves the settings the portal remembers of a device (field notes 1.5, 2.8). */
export function readCachedSettings(request: ServiceRequest, world: World): Reply {
  const { deviceId } = queriedDevice(request, world);
  const keys = optionalStrings(jsonBody(request), 'keys');
  takeUpFinishedRead(deviceId, world);
  const remembered = world.portalSettings.remembered(deviceId);
  return success(
    Object.fromEntries(
      world.family.settings.flatMap((setting) => {
        const value = remembered.get(setting.key);
        const isAsked = keys === undefined || keys.includes(setting.key);
        return value === undefined || !isAsked
          ? []
          : [[setting.key, settingObject(setting, value)]];
      }),
    ),
  );
}

/** Makes the portal forget the settings of a device. */
export function clearCachedSettings(request: ServiceRequest, world: World): Reply {
  const { deviceId } = queriedDevice(request, world);
  takeUpFinishedRead(deviceId, world);
  world.portalSettings.forget(deviceId);
  return success(null);
}

/** Reads one setting from a device, which must be online, and remembers it (field notes 1.5). */
export function readSetting(request: ServiceRequest, world: World): Reply {
  const { deviceId } = onlineDevice(request, world);
  const setting = knownSetting(stringField(jsonBody(request), 'key'), world);
  takeUpFinishedRead(deviceId, world);
  world.portalSettings.remember(deviceId, [setting.key]);
  return success(settingObject(setting, world.portalSettings.value(deviceId, setting)));
}

/**
 * Writes one setting to a device (field notes 1.5, 8.2), which must be online. Without the `id` the
 * portal says yes and changes nothing. What it says to a value that is no choice or is out of range
 * was never seen; it says 20101 to other arguments that it does not take.
 */
export function writeSetting(request: ServiceRequest, world: World): Reply {
  const { deviceId } = onlineDevice(request, world);
  const body = jsonBody(request);
  // The interface's form, several settings in one flat object, is not understood here.
  for (const name of Object.keys(body)) if (!WRITTEN_FIELDS.has(name)) throw illegalArgument(name);
  for (const name of ['id', 'deviceId'])
    if (!isUnset(body[name]) && body[name] !== deviceId) throw illegalArgument(name);
  const setting = knownSetting(stringField(body, 'key'), world);
  const value = writtenValue(body['value']);
  if (isUnset(body['id'])) return acknowledged();
  if (!isAcceptable(setting, value)) throw illegalArgument('value');
  takeUpFinishedRead(deviceId, world);
  world.portalSettings.write(deviceId, setting.key, value);
  return acknowledged();
}

/** Describes what a device has been set to, by key; keys the family does not have are left out. */
export function settingObjects(
  deviceId: string,
  keys: readonly string[] | undefined,
  { family, portalSettings }: World,
): Readonly<Record<string, unknown>> {
  const asked = family.settings.filter(({ key }) => keys === undefined || keys.includes(key));
  return Object.fromEntries(
    asked.map((setting) => [
      setting.key,
      settingObject(setting, portalSettings.value(deviceId, setting)),
    ]),
  );
}

/** Remembers what a device has reported since somebody looked last. */
export function takeUpFinishedRead(deviceId: string, world: World): void {
  const read = world.batchReads.takeFinished(deviceId, world.clock.nowMs());
  if (read !== undefined) world.portalSettings.remember(deviceId, read.keys);
}

function knownSetting(key: string, { family }: World): PortalSetting {
  const setting = family.settings.find((known) => known.key === key);
  if (setting === undefined) throw new Refusal(CODES.noSuchSetting, `no such setting: ${key}`);
  return setting;
}

/** Takes a value as text, or as the bare number that at least one deployment takes (field notes 8.2). */
function writtenValue(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return String(value);
  throw illegalArgument('value');
}
