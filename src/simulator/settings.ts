import { knownDevice } from './device-lookup.ts';
import { acknowledged, illegalArgument, success, type Reply } from './reply.ts';
import type { JsonObject } from './service-request.ts';
import type { World } from './world.ts';

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
