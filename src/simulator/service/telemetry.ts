import { type FlowNode, keysOf } from '../families/families.ts';
import { enumValues, settingObject } from '../families/settings.ts';
import type { FleetDevice } from '../physics/fleet.ts';
import type { InverterState } from '../physics/inverter.ts';
import { datalogger } from './inventory.ts';
import { CODES, illegalArgument, Refusal } from './reply.ts';
import type { Call } from './call.ts';
import type { World } from './world.ts';

/** A device's newest sample, which an absent device still shows. */
interface NewestSample {
  readonly device: FleetDevice;
  readonly time: string;
  readonly state: InverterState;
}

/** Finds the newest sample of the device a query names; `dataSource` may be empty or left out. */
function newestSample(call: Call): NewestSample {
  const { world } = call;
  const device = call.device();
  if (!['', '1', '2'].includes(call.query('dataSource'))) throw illegalArgument('dataSource');
  const atMs = world.contact.lastSampleAtMs(device);
  const time = new Date(atMs).toISOString();
  return { device, time, state: world.inverterState(device, atMs) };
}

/** Serves a device's newest sample and what fires on it (field notes 2.5). */
export function readLatestState(call: Call): unknown {
  return latestState(newestSample(call), call.world);
}

/** Serves the same with the ids around it, and the fields once more in groups (field notes 1.3). */
export function readRemoteLatestState(call: Call): unknown {
  const sample = newestSample(call);
  const state = latestState(sample, call.world);
  const groupOf = (key: string): unknown => GROUPS.find(([, , , keys]) => keys.test(key));
  const groups = GROUPS.map((group) => {
    const [id, key, name] = group;
    const stateItems = Object.values(state.fields).filter((field) => groupOf(field.key) === group);
    return { id, key, name, category: 1, isHidden: false, stateItems };
  });
  return {
    deviceId: sample.device.deviceId,
    dtuID: datalogger(sample.device).dtuDtuid,
    stationId: sample.device.station.stationId,
    gatherProtocolNumber: call.world.family.gatherProtocolNumber,
    gatherProtocolVersionCode: '1',
    ...state,
    groups: groups.filter(({ stateItems }) => stateItems.length > 0),
  };
}

/** The groups that the portal shows attributes in: id, key, name, and the words in the keys; the first that fits. */
const GROUPS = [
  ['1', 'battery_status', 'Battery', /batter|bms|soc|soh|cell/i],
  ['2', 'pv_panel_status', 'PV Panel', /^pv|generation|solar|sun/i],
  ['3', 'grid_status', 'Grid', /grid|mains|feeder|feedIn|acInput|meter/i],
  ['4', 'load_status', 'Load', /load|output|house/i],
  ['5', 'device_status', 'Device', /(?:)/],
] as const;

function latestState({ device, time, state }: NewestSample, world: World) {
  return {
    time,
    fields: byKey(fieldObjects(keysOf(world.family, world.family.latest), state, world)),
    firingAlarms: world.alarms
      .firing(device)
      .map(({ key, name = displayName(key), level }) => ({ key, name, level })),
  };
}

/** Serves the picture of where a device's energy flows (field notes 2.6). */
export function readEnergyFlow(call: Call): unknown {
  const { world } = call;
  const { time, state } = newestSample(call);
  const rule = world.family.flow;
  if (rule === undefined)
    throw new Refusal(CODES.noFlowRule, 'no energy flow', 'Energy flow rule not exists');
  /** @param flowDirection - 1 towards the inverter, 2 away from it */
  const node = (name: FlowNode, localeTitle: string, group: string, flowDirection: 1 | 2) => {
    const [value = null, ...extraValues] = fieldObjects(rule.nodes[name], state, world);
    return {
      // The node repeats the attribute's key; it is not the name of the node.
      key: value?.key ?? null,
      localeTitle,
      iconResid: `icon_${group}`,
      isEnabled: true,
      isLight: value !== null,
      flowDirection,
      gatherDeviceAttributeGroupKey: group,
      value,
      extraValues,
    };
  };
  const isFeedingIn = state.gridFeedInPowerWatts > 0;
  const isCharging = state.batteryPowerWatts < 0;
  const fields = byKey(fieldObjects(keysOf(world.family, rule.attributes), state, world));
  return {
    deviceAttributeState: { time, fields },
    pvPanelFlow: node('pvPanelFlow', 'PV Panel', 'pv_panel_status', 1),
    gridFlow: node('gridFlow', 'Grid', 'grid_status', isFeedingIn ? 2 : 1),
    batteryFlow: node('batteryFlow', 'Battery', 'battery_status', isCharging ? 2 : 1),
    loadFlow: node('loadFlow', 'Load', 'load_status', 2),
    generatorFlow: null,
    upsFlow: null,
    ctFlow: null,
  };
}

/**
 * Lists what a device can measure (category 1) or be set to (3), with units (field notes 2.10); both
 * when clients leave the category out, or empty (field notes 8.2).
 */
export function listAttributes(call: Call): unknown {
  const { world } = call;
  call.device();
  const category = call.query('category');
  if (!['', '1', '3'].includes(category)) throw illegalArgument('category');
  return [
    ...(category === '3' ? [] : stateAttributes(world)),
    ...(category === '1' ? [] : configAttributes(world)),
  ];
}

function stateAttributes({ family }: World): readonly unknown[] {
  return Object.entries(family.fields).map(([key, { unit, isText, displays = {} }]) => ({
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
}

function configAttributes({ family }: World): readonly unknown[] {
  return family.settings.map((setting) => ({
    // The current value belongs to the device and not to its catalogue.
    ...settingObject(setting, setting.factoryValue),
    value: undefined,
    valueDisplay: undefined,
    category: 3,
    operationMode: 3,
    isStateAttribute: false,
  }));
}

/** One attribute of a device, as it is shown. */
interface FieldObject {
  readonly key: string;
  readonly unit: string;
  readonly value: number | string;
  readonly valueDisplay: string;
  readonly name: string;
  readonly nameDisplay: string;
  readonly isHidden: boolean;
}

/** Describes a family's fields by their keys, each with its unit and value (field notes 2.5). */
function fieldObjects(
  keys: readonly string[],
  state: InverterState,
  { family }: World,
): readonly FieldObject[] {
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

function byKey(objects: readonly FieldObject[]): Readonly<Record<string, FieldObject>> {
  return Object.fromEntries(objects.map((object) => [object.key, object]));
}

/** Makes up the name a person is shown for a key: words where the key has capitals. */
export function displayName(key: string): string {
  const words = key.replaceAll('_', ' ').replaceAll(/(?<=[a-z\d])(?=[A-Z])/g, ' ');
  const rest = words.slice(1).replaceAll(/\b[A-Z](?=[a-z])/g, (letter) => letter.toLowerCase());
  return words.charAt(0).toUpperCase() + rest;
}
