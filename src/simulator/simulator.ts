import type { Clock } from '../base/clock.ts';
import { completeOptions, type SimulatorOptions } from './options.ts';
import type { FleetDevice } from './physics/fleet.ts';
import type { InverterState } from './physics/inverter.ts';
import { setAlarms } from './service/alarms.ts';
import { createService, type SimulatedService, type Strike } from './service/service.ts';
import { revokeTokens } from './service/sessions.ts';
import { type Alarm, World } from './service/world.ts';

export { FAMILIES, type Family } from '../base/service-names.ts';
export type { Endpoint } from './service/service.ts';
export type { InverterState, SimulatorOptions };

/** The solar service as a real HTTP server, the same for the same seed and clock. */
export interface Simulator extends SimulatedService {
  readonly options: SimulatorOptions;
  readonly stationIds: readonly string[];
  /** Throws RangeError for an unknown station, as all of these do for unknown ids. */
  deviceIds(stationId: string): readonly string[];
  /** Returns the exact state behind what is served for that instant of the clock. */
  truth(deviceId: string, atMs: number): InverterState;
  /** Returns the day of the sun at an instant of the clock, by the clock: shorter where the sun moves faster. */
  dayAt(atMs: number): { readonly startsAtMs: number; readonly endsAtMs: number };
  /** Lets stations join or leave at the end of the list. */
  setStations(count: number): void;
  /** Lets devices join or leave at the end of a station's list. */
  setDeviceCount(stationId: string, count: number): void;
  /** Makes exactly these alarms fire on a device; earlier ones stay listed as past. */
  setAlarms(deviceId: string, alarms: readonly Alarm[]): void;
  /** Ends a device's samples at an instant of the clock; undefined brings them all back. */
  setOffline(deviceId: string, sinceMs: number | undefined): void;
  /** Takes out a device's samples from an instant of the clock up to another; earlier gaps stay. */
  setGap(deviceId: string, fromMs: number, toMs: number): void;
  /** Refuses every access token issued so far; refresh tokens stay valid. */
  revokeTokens(): void;
  /** Refuses every refresh token issued so far. */
  revokeRefreshTokens(): void;
}

/**
 * Builds the service (docs/service.md); nothing listens before {@link Simulator.start}.
 *
 * @param strike - answers requests in place of the service, where it wants to.
 */
export function createSimulator(
  options: Partial<SimulatorOptions>,
  clock: Clock,
  strike?: Strike,
): Simulator {
  const world = new World(completeOptions(options), clock);
  const device = (deviceId: string): FleetDevice => {
    const known = world.fleet.device(deviceId);
    if (known === undefined) throw new RangeError(`no device ${deviceId}`);
    return known;
  };
  return {
    options: world.options,
    ...createService(world, strike),
    get stationIds() {
      return world.fleet.stations.map(({ stationId }) => stationId);
    },
    deviceIds: (stationId) => {
      const station = world.fleet.station(stationId);
      if (station === undefined) throw new RangeError(`no station ${stationId}`);
      return station.devices.map(({ deviceId }) => deviceId);
    },
    truth: (deviceId, atMs) => world.inverterState(device(deviceId), atMs),
    dayAt: (atMs) => {
      const physicalMs = world.physicalMs(atMs);
      const { startsAtMs, endsAtMs } = world.calendar.dayPeriod(physicalMs);
      const byClock = (instantMs: number): number =>
        Math.round(atMs + (instantMs - physicalMs) / world.options.speed);
      return { startsAtMs: byClock(startsAtMs), endsAtMs: byClock(endsAtMs) };
    },
    setStations: (count) => world.fleet.setStations(count),
    setDeviceCount: (stationId, count) => world.fleet.setDeviceCount(stationId, count),
    setAlarms: (deviceId, alarms) => setAlarms(world, device(deviceId), alarms),
    setOffline: (deviceId, sinceMs) => world.contact.setOffline(device(deviceId), sinceMs),
    setGap: (deviceId, fromMs, toMs) => world.contact.addGap(device(deviceId), { fromMs, toMs }),
    revokeTokens: () => revokeTokens(world, 'access'),
    revokeRefreshTokens: () => revokeTokens(world, 'refresh'),
  };
}
