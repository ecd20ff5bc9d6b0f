import { onlineDevice, queriedDevice } from './device-lookup.ts';
import { isAcceptable, settingObject } from './portal-setting.ts';
import { acknowledged, CODES, illegalArgument, Refusal, success, type Reply } from './reply.ts';
import {
  jsonBody,
  optionalStrings,
  stringField,
  type JsonObject,
  type ServiceRequest,
} from './service-request.ts';
import type { World } from './world.ts';

const WRITTEN_FIELDS: ReadonlySet<string> = new Set(['id', 'deviceId', 'key', 'value']);

/** Serves the settings the portal remembers of a device (field notes 1.5, 2.8). */
export function readCachedSettings(request: ServiceRequest, world: World): Reply {
  const { deviceId } = queriedDevice(request, world);
  const keys = optionalStrings(jsonBody(request), 'keys');
  return success(settingObjects(deviceId, keys, world));
}

/** Writes one setting to a device (field notes 1.5); it must be there to take it. */
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
