import type { Clock } from '../clock.ts';
import type { Alarm } from './alarm-book.ts';
import type { Endpoint } from './endpoints.ts';
import type { EnergyCounters, EnergyTotals } from './energy.ts';
import { FAMILIES, type Family } from './families/index.ts';
import type { Fault } from './faults.ts';
import type { FleetDevice } from './fleet.ts';
import type { InverterState, PvString } from './inverter.ts';
import { completeOptions, type SimulatorOptions } from './options.ts';
import type { PlantState } from './plant.ts';
import { ServiceServer } from './service-server.ts';
import { Service } from './service.ts';
import { World } from './world.ts';

export {
  FAMILIES,
  type Alarm,
  type Endpoint,
  type EnergyCounters,
  type EnergyTotals,
  type Family,
  type Fault,
  type InverterState,
  type PlantState,
  type PvString,
  type SimulatorOptions,
};

/** The solar service as a real HTTP server, the same for the same seed and clock. */
export interface Simulator {
  readonly options: SimulatorOptions;
  /** Listens; resolves to the base URL, for data requests and login alike. */
  start(): Promise<string>;
  /** Closes all connections; a later start takes the same port. */
  stop(): Promise<void>;
  readonly stationIds: readonly string[];
  /** Throws RangeError for an unknown station, as all of these do for unknown ids. */
  deviceIds(stationId: string): readonly string[];
  /** Everything, unrounded, behind what is served for that instant of the clock. */
  truth(deviceId: string, atMs: number): InverterState;
  /** Makes an endpoint misbehave; `*` reaches those without a fault of their own. */
  setFault(endpoint: Endpoint | '*', fault: Fault | undefined): void;
  /** Lets stations join or leave at the end of the list. */
  setStations(count: number): void;
  /** Lets devices join or leave at the end of a station's list. */
  setDeviceCount(stationId: string, count: number): void;
  /** Makes these and no other alarms fire on a device; the ones before stay listed as past. */
  setAlarms(deviceId: string, alarms: readonly Alarm[]): void;
  /** Ends a device's samples at an instant of the clock; undefined brings them all back. */
  setOffline(deviceId: string, sinceMs: number | undefined): void;
  /** How many requests arrived at an endpoint, or at all, faulted ones included. */
  requests(endpoint?: Endpoint): number;
  /** Refuses every access token given out so far; refresh tokens stay valid. */
  revokeTokens(): void;
  /** Refuses every refresh token given out so far. */
  revokeRefreshTokens(): void;
}

/** Builds the service of the interface; nothing listens before {@link Simulator.start}. */
export function createSimulator(options: Partial<SimulatorOptions>, clock: Clock): Simulator {
  const world = new World(completeOptions(options), clock);
  const server = new ServiceServer(world, new Service(world));
  const device = (deviceId: string): FleetDevice => {
    const known = world.fleet.device(deviceId);
    if (known === undefined) throw new RangeError(`no device ${deviceId}`);
    return known;
  };
  return {
    options: world.options,
    start: () => server.start(),
    stop: () => server.stop(),
    get stationIds() {
      return world.fleet.stations.map(({ stationId }) => stationId);
    },
    deviceIds: (stationId) => {
      const station = world.fleet.station(stationId);
      if (station === undefined) throw new RangeError(`no station ${stationId}`);
      return station.devices.map(({ deviceId }) => deviceId);
    },
    truth: (deviceId, atMs) => world.inverterState(device(deviceId), atMs),
    setFault: (endpoint, fault) => server.faults.set(endpoint, fault),
    setStations: (count) => world.fleet.setStations(count),
    setDeviceCount: (stationId, count) => world.fleet.setDeviceCount(stationId, count),
    setAlarms: (deviceId, alarms) => world.alarms.set(device(deviceId), alarms, clock.nowMs()),
    setOffline: (deviceId, sinceMs) => world.setOffline(device(deviceId), sinceMs),
    requests: (endpoint) => server.requests(endpoint),
    revokeTokens: () => world.tokens.revokeAccessTokens(),
    revokeRefreshTokens: () => world.tokens.revokeRefreshTokens(),
  };
}
