import { keysOf, type FlowNode } from '../families/family-model.ts';
import { quantity } from '../families/quantities.ts';
import type { InverterState } from '../physics/inverter.ts';
import { knownStation } from './device-lookup.ts';
import { CODES, Refusal, success, type Reply } from './reply.ts';
import type { ServiceRequest } from './service-request.ts';
import { byKey, displayName, type FieldObject, fieldObjects, newestSample } from './telemetry.ts';
import type { World } from './world.ts';

interface NodeRow {
  readonly title: string;
  readonly groupKey: string;
  /** 1 towards the inverter, 2 away from it. */
  readonly direction: (state: InverterState) => 1 | 2;
}

const NODES: Readonly<Record<FlowNode, NodeRow>> = {
  pvPanelFlow: { title: 'PV Panel', groupKey: 'pv_panel_status', direction: () => 1 },
  gridFlow: {
    title: 'Grid',
    groupKey: 'grid_status',
    direction: ({ gridFeedInPowerWatts }) => (gridFeedInPowerWatts > 0 ? 2 : 1),
  },
  batteryFlow: {
    title: 'Battery',
    groupKey: 'battery_status',
    direction: ({ batteryPowerWatts }) => (batteryPowerWatts < 0 ? 2 : 1),
  },
  loadFlow: { title: 'Load', groupKey: 'load_status', direction: () => 2 },
};

/**
 * Serves the picture of where a station's energy flows: what its devices measure, added up. Which
 * keys the portal shows here, and with which signs, is not known; these are made up.
 */
export function readStationFlow({ query }: ServiceRequest, world: World): Reply {
  const station = knownStation(query.get('stationId'), world);
  const [first] = station.devices;
  const isSupportFlow = world.family.flow !== undefined && first !== undefined;
  const state = first && world.inverterState(first, world.lastSampleAtMs(first));
  const sum = (read: (state: InverterState) => number): number =>
    station.devices.reduce(
      (total, device) => total + read(world.inverterState(device, world.lastSampleAtMs(device))),
      0,
    );
  const node = (name: FlowNode, key: string, watts: (state: InverterState) => number): unknown => {
    if (!isSupportFlow || state === undefined) return null;
    const value = Math.round(sum(watts)) / 1000;
    const shown = { key, unit: 'kW', value, valueDisplay: String(value), name: displayName(key) };
    return nodeShown(name, state, [{ ...shown, nameDisplay: shown.name, isHidden: false }]);
  };
  return success({
    isSupportFlow,
    time: new Date(first ? world.lastSampleAtMs(first) : world.clock.nowMs()).toISOString(),
    pvPanelFlow: node('pvPanelFlow', 'generationPower', (of) => of.pvPowerWatts),
    gridFlow: node('gridFlow', 'gridPower', quantity.gridInwardWatts),
    batteryFlow: node('batteryFlow', 'batteryPower', (of) => of.batteryPowerWatts),
    loadFlow: node('loadFlow', 'loadPower', (of) => of.loadPowerWatts),
    ...NO_OTHERS,
  });
}

const NO_OTHERS = { generatorFlow: null, upsFlow: null, ctFlow: null } as const;

/** Serves the picture of where a device's energy flows (field notes 2.6). */
export function readEnergyFlow(request: ServiceRequest, world: World): Reply {
  const { atMs, state } = newestSample(request, world);
  const rule = world.family.flow;
  if (rule === undefined)
    throw new Refusal(CODES.noFlowRule, 'no energy flow', 'Energy flow rule not exists');
  const node = (name: FlowNode): unknown => flowNode(name, rule.nodes[name], state, world);
  const attributes = fieldObjects(keysOf(world.family, rule.attributes), state, world);
  return success({
    deviceAttributeState: { time: new Date(atMs).toISOString(), fields: byKey(attributes) },
    pvPanelFlow: node('pvPanelFlow'),
    gridFlow: node('gridFlow'),
    batteryFlow: node('batteryFlow'),
    loadFlow: node('loadFlow'),
    ...NO_OTHERS,
  });
}

function flowNode(
  name: FlowNode,
  keys: readonly string[],
  state: InverterState,
  world: World,
): unknown {
  return nodeShown(name, state, fieldObjects(keys, state, world));
}

function nodeShown(
  name: FlowNode,
  state: InverterState,
  [value = null, ...extraValues]: readonly (FieldObject | null)[],
): Readonly<Record<string, unknown>> {
  const { title, groupKey, direction } = NODES[name];
  return {
    // The node repeats the attribute's key; it is not the name of the node.
    key: value?.key ?? null,
    localeTitle: title,
    iconResid: `icon_${groupKey}`,
    isEnabled: true,
    isLight: value !== null,
    flowDirection: direction(state),
    gatherDeviceAttributeGroupKey: groupKey,
    value,
    extraValues,
  };
}
