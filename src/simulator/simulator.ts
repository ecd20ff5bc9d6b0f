import type { Clock } from '../base/clock.ts';
import type { Alarm } from './service/alarms.ts';
import { FAMILIES, type Family } from './families/names.ts';
import type { EnergyCounters, EnergyTotals } from './physics/energy.ts';
import type { FleetDevice } from './physics/fleet.ts';
import type { InverterState, PvString } from './physics/inverter.ts';
import type { PlantState } from './physics/plant.ts';
import { completeOptions, type SimulatorOptions } from './options.ts';
import type { Fault } from './service/faults.ts';
import { type Endpoint, Service } from './service/service.ts';
import { World } from './service/world.ts';

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

const HOUR_MS = 3_600_000;

/** The solar service as a real HTTP server, the same for the same seed and clock. */
export type Simulator = ReturnType<typeof createSimulator>;

/** Builds the service of the interface; nothing listens before it is started. Unknown ids make its methods throw RangeError. */
export function createSimulator(options: Partial<SimulatorOptions>, clock: Clock) {
  const world = new World(completeOptions(options), clock);
  const { alarms, calendar, contact, fleet, tokens } = world;
  const service = new Service(world);
  const device = (deviceId: string): FleetDevice => {
    const known = fleet.device(deviceId);
    if (known === undefined) throw new RangeError(`no device ${deviceId}`);
    return known;
  };
  return {
    options: world.options,
    /** Listens; resolves to the base URL, for data requests and login alike. */
    start: () => service.start(),
    /** Closes all connections; a later start takes the same port. */
    stop: () => service.stop(),
    get stationIds(): readonly string[] {
      return fleet.stations.map(({ stationId }) => stationId);
    },
    deviceIds: (stationId: string): readonly string[] => {
      const station = fleet.station(stationId);
      if (station === undefined) throw new RangeError(`no station ${stationId}`);
      return station.devices.map(({ deviceId }) => deviceId);
    },
    /** Returns the exact state behind what is served for that instant of the clock. */
    truth: (deviceId: string, atMs: number): InverterState =>
      world.inverterState(device(deviceId), atMs),
    /** Returns the day of the sun at an instant of the clock, by the clock: shorter where the sun moves faster. */
    dayAt: (atMs: number) => {
      const hourMs = HOUR_MS / world.options.speed;
      const startsAtMs = Math.round(atMs - calendar.hourAt(world.physicalMs(atMs)) * hourMs);
      return { startsAtMs, endsAtMs: startsAtMs + Math.round(24 * hourMs) };
    },
    /** Makes an endpoint misbehave; `*` reaches those without a fault of their own. */
    setFault: (endpoint: Endpoint | '*', fault: Fault | undefined): void =>
      service.faults.set(endpoint, fault),
    /** Lets stations join or leave at the end of the list. */
    setStations: (count: number): void => fleet.setStations(count),
    /** Lets devices join or leave at the end of a station's list. */
    setDeviceCount: (stationId: string, count: number): void =>
      fleet.setDeviceCount(stationId, count),
    /** Makes exactly these alarms fire on a device; earlier ones stay listed as past. */
    setAlarms: (deviceId: string, firing: readonly Alarm[]): void =>
      alarms.set(device(deviceId), firing, clock.nowMs()),
    /** Ends a device's samples at an instant of the clock; undefined brings them all back. */
    setOffline: (deviceId: string, sinceMs: number | undefined): void =>
      contact.setOffline(device(deviceId), sinceMs),
    /** Takes out a device's samples from an instant of the clock up to another; earlier gaps stay. */
    setGap: (deviceId: string, fromMs: number, toMs: number): void =>
      contact.addGap(device(deviceId), { fromMs, toMs }),
    /** Counts the requests at one endpoint or at all, faulted ones included. */
    requests: (endpoint?: Endpoint): number => service.requests(endpoint),
    /** Refuses every access token issued so far; refresh tokens stay valid. */
    revokeTokens: (): void => tokens.revokeAccessTokens(),
    /** Refuses every refresh token issued so far. */
    revokeRefreshTokens: (): void => tokens.revokeRefreshTokens(),
  };
}
