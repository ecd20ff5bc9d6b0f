import { success, type Reply } from '../reply.ts';
import type { World } from '../world.ts';
import { deviceState } from './device-record.ts';
import { savings } from './figures.ts';
import { stationProduction, type StationProduction, stationState } from './station-record.ts';

interface State {
  readonly state: number;
  readonly stateDict: string;
}

/** Sums up the account (field notes 2.9): all stations, whatever the body says. */
export function ownerTotals(world: World): Reply {
  const stations = world.fleet.stations;
  const productions = stations.map((station) => stationProduction(station, world));
  const sum = (name: keyof StationProduction): number =>
    Number(productions.reduce((total, production) => total + production[name], 0).toFixed(3));
  const devices = stations.reduce((count, station) => count + station.devices.length, 0);
  const totalProducedQuantity = sum('totalProducedQuantity');
  return success({
    totalPower: sum('producingPower'),
    dailyProducedQuantity: sum('dailyProducedQuantity'),
    monthlyProducedQuantity: sum('monthlyProducedQuantity'),
    yearlyProducedQuantity: sum('yearlyProducedQuantity'),
    totalProducedQuantity,
    allInstalledCapacity: sum('installedCapacity'),
    // Two names, one by each of the two endpoints that answer this.
    devicesNumber: devices,
    deviceTotal: devices,
    stationTotalNumber: stations.length,
    ...savings(totalProducedQuantity),
    stationStateSummary: stationCounts(world),
  });
}

/** Counts the stations by their state. */
export function countStationStates(world: World): Reply {
  return success(stationCounts(world));
}

/** Counts the devices by their state. */
export function countDeviceStates(world: World): Reply {
  const devices = world.fleet.stations.flatMap((station) => station.devices);
  return success(counts(devices.map((device) => deviceState(device, world))));
}

function stationCounts(world: World): readonly (State & { readonly count: number })[] {
  return counts(world.fleet.stations.map((station) => stationState(station, world)));
}

function counts(states: readonly State[]): readonly (State & { readonly count: number })[] {
  const distinct = new Map(states.map((state) => [state.state, state]));
  return [...distinct.values()].map((state) => ({
    state: state.state,
    stateDict: state.stateDict,
    count: states.filter((other) => other.state === state.state).length,
  }));
}
