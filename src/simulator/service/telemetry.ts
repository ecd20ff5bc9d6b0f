import { displayName } from '../families/fields.ts';
import { enumValues, PORTAL_SETTINGS, settingObject } from '../families/settings.ts';
import type { InverterState } from '../physics/inverter.ts';
import { firingAlarms } from './alarms.ts';
import { type Call, illegalArgument, Refusal } from './call.ts';
import type { World } from './world.ts';

/** Finds the newest sample of the device a query names, which an absent device still shows. */
function newestSample(call: Call) {
  const { world } = call;
  const device = call.device();
  if (!['', '1', '2'].includes(call.query('dataSource'))) throw illegalArgument('dataSource');
  const atMs = world.contact.lastSampleAtMs(device);
  const time = new Date(atMs).toISOString();
  return { device, time, state: world.inverterState(device, atMs) };
}

/** Serves a device's newest sample and what fires on it (service.md#latest-state). */
export function readLatestState(call: Call): object {
  const { world } = call;
  const { device, time, state } = newestSample(call);
  return {
    time,
    fields: byKey(fieldObjects(world.family.latest, state, world)),
    firingAlarms: firingAlarms(world, device).map(({ key, name = displayName(key), level }) => ({
      key,
      name,
      level,
    })),
  };
}

/** Serves the picture of where a device's energy flows (service.md#energy-flow). */
export function readEnergyFlow(call: Call): unknown {
  const { world } = call;
  const { time, state } = newestSample(call);
  const { fields, flow, hasStateInFlow } = world.family;
  if (flow === undefined)
    throw new Refusal(70_132, 'no energy flow', 'Energy flow rule not exists');
  const node = (keys: readonly string[] = [], title: string, group: string, isInward: boolean) => {
    const [value = null, ...extraValues] = fieldObjects(keys, state, world);
    return {
      // The node repeats the attribute's key; it is not the name of the node.
      key: value?.key ?? null,
      localeTitle: title,
      iconResid: `icon_${group}`,
      isEnabled: true,
      isLight: value !== null,
      // 1 towards the inverter, 2 away from it.
      flowDirection: isInward ? 1 : 2,
      gatherDeviceAttributeGroupKey: group,
      value,
      extraValues,
    };
  };
  const [pv, grid, battery, load] = flow;
  const isImporting = state.gridFeedInPowerWatts <= 0;
  const isDischarging = state.batteryPowerWatts >= 0;
  return {
    deviceAttributeState: {
      time,
      fields: byKey(fieldObjects(hasStateInFlow ? Object.keys(fields) : [], state, world)),
    },
    pvPanelFlow: node(pv, 'PV Panel', 'pv_panel_status', true),
    gridFlow: node(grid, 'Grid', 'grid_status', isImporting),
    batteryFlow: node(battery, 'Battery', 'battery_status', isDischarging),
    loadFlow: node(load, 'Load', 'load_status', false),
  };
}

/** Lists what a device can measure (category 1), be set to (3), or both (empty), with units (service.md#attributes). */
export function listAttributes(call: Call): unknown {
  const { family } = call.world;
  call.device();
  const category = call.query('category');
  if (!['', '1', '3'].includes(category)) throw illegalArgument('category');
  const measured = Object.entries(family.fields).map(([key, { unit, isText, displays = {} }]) => ({
    key,
    name: displayName(key),
    nameDisplay: displayName(key),
    unit,
    valueType: isText ? (Object.keys(displays).length > 0 ? 6 : 1) : 2,
    category: 1,
    operationMode: 1,
    isStateAttribute: true,
    isConfigAttribute: false,
    isHidden: false,
    enumValues: enumValues(Object.entries(displays)),
  }));
  const settable = PORTAL_SETTINGS.map((setting) => ({
    // The current value belongs to the device and not to its catalogue.
    ...settingObject(setting, setting.factoryValue),
    value: undefined,
    valueDisplay: undefined,
    category: 3,
    operationMode: 3,
    isStateAttribute: false,
  }));
  return [...(category === '3' ? [] : measured), ...(category === '1' ? [] : settable)];
}

/** Describes a family's fields by their keys, each with its unit and value (service.md#latest-state). */
function fieldObjects(keys: readonly string[], state: InverterState, { family }: World) {
  return keys.flatMap((key) => {
    const field = family.fields[key];
    if (field === undefined) return [];
    const { unit, displays } = field;
    const value = field.measure(state);
    const valueDisplay = displays?.[value] ?? String(value);
    const name = displayName(key);
    return [{ key, unit, value, valueDisplay, name, nameDisplay: name, isHidden: false }];
  });
}

const byKey = (objects: ReturnType<typeof fieldObjects>) =>
  Object.fromEntries(objects.map((object) => [object.key, object]));
