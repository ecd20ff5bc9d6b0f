import { keysOf } from './families/family-model.ts';
import { success, type Reply } from './reply.ts';
import type { ServiceRequest } from './service-request.ts';
import { byKey, displayName, fieldObjects, newestSample } from './telemetry.ts';
import type { World } from './world.ts';

/** Serves a device's newest sample and what fires on it (field notes 2.5). */
export function readLatestState(request: ServiceRequest, world: World): Reply {
  const { device, atMs, state } = newestSample(request, world);
  const keys = keysOf(world.family, world.family.latest);
  return success({
    time: new Date(atMs).toISOString(),
    fields: byKey(fieldObjects(keys, state, world)),
    firingAlarms: world.alarms
      .firing(device)
      .map(({ key, name = displayName(key), level }) => ({ key, name, level })),
  });
}
