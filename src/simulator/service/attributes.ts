import { inGroups } from './attribute-groups.ts';
import { queriedDevice } from './device-lookup.ts';
import { settingObject } from '../families/portal-setting.ts';
import { illegalArgument, success, type Reply } from './reply.ts';
import type { ServiceRequest } from './service-request.ts';
import { displayName } from './telemetry.ts';
import type { World } from './world.ts';

type Attribute = Readonly<Record<string, unknown>> & { readonly key: string };

const CATALOGUES: ReadonlyMap<string, (world: World) => readonly Attribute[]> = new Map([
  ['1', stateAttributes],
  ['3', configAttributes],
  // Clients leave the category out, or empty (field notes 8.2).
  ['', (world: World) => [...stateAttributes(world), ...configAttributes(world)]],
]);

/** Lists what a device can measure (category 1) or be set to (3), with units (field notes 2.10). */
export function listAttributes(request: ServiceRequest, world: World): Reply {
  return success(catalogue(request, world));
}

/** Lists the same in groups (field notes 1.3). */
export function listAttributeGroups(request: ServiceRequest, world: World): Reply {
  return success({
    gatherProtocolVersionId: '1',
    attributesGroups: inGroups(catalogue(request, world)).map(({ group, members }) => ({
      ...group,
      category: Number(request.query.get('category') ?? ''),
      description: '',
      attributes: members,
    })),
  });
}

function catalogue(request: ServiceRequest, world: World): readonly Attribute[] {
  queriedDevice(request, world);
  const attributes = CATALOGUES.get(request.query.get('category') ?? '');
  if (attributes === undefined) throw illegalArgument('category');
  return attributes(world);
}

function stateAttributes({ family }: World): readonly Attribute[] {
  return Object.entries(family.fields).map(([key, { unit, kind, displays = {} }]) => ({
    key,
    name: displayName(key),
    nameDisplay: displayName(key),
    unit,
    valueType: kind === 'text' ? (Object.keys(displays).length > 0 ? 6 : 1) : 2,
    category: 1,
    operationMode: 1,
    isStateAttribute: true,
    isConfigAttribute: false,
    isHidden: false,
    enumValues: Object.entries(displays).map(([value, text], position) => ({
      id: String(position + 1),
      value,
      text,
      localeText: text,
    })),
  }));
}

function configAttributes({ family }: World): readonly Attribute[] {
  return family.settings.map((setting) => ({
    // The current value belongs to the device and not to its catalogue.
    ...settingObject(setting, setting.factoryValue),
    key: setting.key,
    value: undefined,
    valueDisplay: undefined,
    category: 3,
    operationMode: 3,
    isStateAttribute: false,
  }));
}
