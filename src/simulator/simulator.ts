import type { Clock } from '../clock.ts';
import type { Endpoint } from './endpoints.ts';
import type { Fault } from './faults.ts';
import { defaultOptions, type SimulatorOptions } from './options.ts';
import type { PlantState } from './plant.ts';
import { ServiceServer } from './service-server.ts';
import { Service } from './service.ts';
import { World } from './world.ts';

export { type Endpoint, type Fault, type PlantState, type SimulatorOptions };

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
  /** The flows, unrounded, behind what the history serves for that instant of the clock. */
  truth(deviceId: string, atMs: number): PlantState;
  /** Makes an endpoint misbehave; `*` reaches those without a fault of their own. */
  setFault(endpoint: Endpoint | '*', fault: Fault | undefined): void;
  /** Lets stations join or leave at the end of the list. */
  setStations(count: number): void;
  /** Lets devices join or leave at the end of a station's list. */
  setDeviceCount(stationId: string, count: number): void;
  /** How many requests arrived at an endpoint, or at all, faulted ones included. */
  requests(endpoint?: Endpoint): number;
  /** Refuses every access token given out so far; refresh tokens stay valid. */
  revokeTokens(): void;
  /** Refuses every refresh token given out so far. */
  revokeRefreshTokens(): void;
}

/** Builds the service of the interface; nothing listens before {@link Simulator.start}. */
export function createSimulator(options: Partial<SimulatorOptions>, clock: Clock): Simulator {
  const world = new World({ ...defaultOptions, ...options }, clock);
  const server = new ServiceServer(world, new Service(world));
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
    truth: (deviceId, atMs) => {
      const device = world.fleet.device(deviceId);
      if (device === undefined) throw new RangeError(`no device ${deviceId}`);
      return world.deviceState(device, atMs);
    },
    setFault: (endpoint, fault) => server.faults.set(endpoint, fault),
    setStations: (count) => world.fleet.setStations(count),
    setDeviceCount: (stationId, count) => world.fleet.setDeviceCount(stationId, count),
    requests: (endpoint) => server.requests(endpoint),
    revokeTokens: () => world.tokens.revokeAccessTokens(),
    revokeRefreshTokens: () => world.tokens.revokeRefreshTokens(),
  };
}
