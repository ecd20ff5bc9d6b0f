import { knownDevice, onlineDevice, queriedDevice } from '../device-lookup.ts';
import { isAcceptable, settingObject } from '../../families/portal-setting.ts';
import { acknowledged, CODES, illegalArgument, Refusal, success, type Reply } from '../reply.ts';
import {
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
  return success(settingObjects(deviceId, keys, world));
}

/** Writes one setting to a device (field notes 1.5), which must be online. */
export function writeSetting(request: ServiceRequest, world: World): Reply {
  const { deviceId } = onlineDevice(request, world);
  const body = jsonBody(request);
  // The interface's form, several settings in one flat object, is not understood here.
  for (const name of Object.keys(body)) if (!WRITTEN_FIELDS.has(name)) throw illegalArgument(name);
  for (const name of ['id', 'deviceId'])
    if (![undefined, deviceId].includes(optionalId(body, name))) throw illegalArgument(name);
  const key = stringField(body, 'key');
  const value = stringField(body, 'value');
  const setting = world.family.settings.find((known) => known.key === key);
  if (setting === undefined) throw new Refusal(CODES.noSuchSetting, `no such setting: ${key}`);
  if (!isAcceptable(setting, value)) throw illegalArgument('value');
  world.portalSettings.write(deviceId, key, value);
  return acknowledged();
}

/** Describes a device's settings by their keys; keys the family does not have are left out. */
export function settingObjects(
  deviceId: string,
  keys: readonly string[] | undefined,
  { family, portalSettings }: World,
): Readonly<Record<string, unknown>> {
  const asked = family.settings.filter(({ key }) => keys === undefined || keys.includes(key));
  return Object.fromEntries(
    asked.map((setting) => {
      const value = portalSettings.written(deviceId, setting.key) ?? setting.factoryValue;
      return [setting.key, settingObject(setting, value)];
    }),
  );
}

function optionalId(body: JsonObject, name: string): string | undefined {
  return body[name] === undefined ? undefined : stringField(body, name);
}
