import { keysOf, type FlowNode } from '../families/family-model.ts';
import type { InverterState } from '../physics/inverter.ts';
import { CODES, Refusal, success, type Reply } from './reply.ts';
import type { ServiceRequest } from './service-request.ts';
import { byKey, fieldObjects, newestSample } from './telemetry.ts';
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
    generatorFlow: null,
    upsFlow: null,
    ctFlow: null,
  });
}

function flowNode(
  name: FlowNode,
  keys: readonly string[],
  state: InverterState,
  world: World,
): Readonly<Record<string, unknown>> {
  const { title, groupKey, direction } = NODES[name];
  const [value = null, ...extraValues] = fieldObjects(keys, state, world);
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
