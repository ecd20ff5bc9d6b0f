import { inGroups } from './attribute-groups.ts';
import { queriedDevice } from './device-lookup.ts';
import { keysOf, type Field } from '../families/family-model.ts';
import type { InverterState } from '../physics/inverter.ts';
import { datalogger } from './inventory/device-record.ts';
import { illegalArgument, success, type Reply } from './reply.ts';
import type { FleetDevice } from '../physics/fleet.ts';
import type { ServiceRequest } from './service-request.ts';
import type { World } from './world.ts';

/** Serves a device's newest sample and what fires on it (field notes 2.5). */
export function readLatestState(request: ServiceRequest, world: World): Reply {
  return success(latestState(newestSample(request, world), world));
}

/** Serves the same with the ids around it, and the fields once more in groups (field notes 1.3). */
export function readRemoteLatestState(request: ServiceRequest, world: World): Reply {
  const sample = newestSample(request, world);
  const { device, state } = sample;
  const fields = fieldObjects(keysOf(world.family, world.family.latest), state, world);
  return success({
    deviceId: device.deviceId,
    dtuID: datalogger(device).dtuDtuid,
    stationId: device.station.stationId,
    gatherProtocolNumber: world.family.gatherProtocolNumber,
    gatherProtocolVersionCode: '1',
    ...latestState(sample, world),
    groups: inGroups(fields).map(({ group, members }) => ({
      ...group,
      category: 1,
      isHidden: false,
      stateItems: members,
    })),
  });
}

function latestState({ device, atMs, state }: NewestSample, world: World) {
  const keys = keysOf(world.family, world.family.latest);
  return {
    time: new Date(atMs).toISOString(),
    fields: byKey(fieldObjects(keys, state, world)),
    firingAlarms: world.alarms
      .firing(device)
      .map(({ key, name = displayName(key), level }) => ({ key, name, level })),
  };
}

/** A device's newest sample, which an absent device still shows. */
export interface NewestSample {
  readonly device: FleetDevice;
  readonly atMs: number;
  readonly state: InverterState;
}

/** Finds the newest sample of the device a query names; `dataSource` may be empty or left out. */
export function newestSample(request: ServiceRequest, world: World): NewestSample {
  const device = queriedDevice(request, world);
  if (!['', '1', '2'].includes(request.query.get('dataSource') ?? ''))
    throw illegalArgument('dataSource');
  const atMs = world.lastSampleAtMs(device);
  return { device, atMs, state: world.inverterState(device, atMs) };
}

/** Describes a family's fields by their keys, each with its unit and value (field notes 2.5). */
export function fieldObjects(
  keys: readonly string[],
  state: InverterState,
  { family }: World,
): readonly FieldObject[] {
  return keys.flatMap((key) => {
    const field = family.fields[key];
    return field === undefined ? [] : [fieldObject(key, field, state)];
  });
}

/** One attribute of a device, as it is shown. */
export interface FieldObject {
  readonly key: string;
  readonly unit: string;
  readonly value: number | string;
  readonly valueDisplay: string;
  readonly name: string;
  readonly nameDisplay: string;
  readonly isHidden: boolean;
}

/** Arranges attributes by their keys. */
export function byKey(objects: readonly FieldObject[]): Readonly<Record<string, FieldObject>> {
  return Object.fromEntries(objects.map((object) => [object.key, object]));
}

/** Makes up the name a person is shown for a key: words where the key has capitals. */
export function displayName(key: string): string {
  const words = key.replaceAll('_', ' ').replaceAll(/(?<=[a-z\d])(?=[A-Z])/g, ' ');
  return words.charAt(0).toUpperCase() + words.slice(1).replaceAll(/\b[A-Z](?=[a-z])/g, lowered);
}

function lowered(letter: string): string {
  return letter.toLowerCase();
}

function fieldObject(key: string, field: Field, state: InverterState): FieldObject {
  const value = field.measure(state);
  return {
    key,
    unit: field.unit,
    value,
    valueDisplay: field.displays?.[value] ?? String(value),
    name: displayName(key),
    nameDisplay: displayName(key),
    isHidden: false,
  };
}
