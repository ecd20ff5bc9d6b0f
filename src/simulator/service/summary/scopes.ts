import { type FleetStation, totalWeight } from '../../physics/fleet.ts';
import { knownStation, queriedDevice } from '../device-lookup.ts';
import type { ServiceRequest } from '../service-request.ts';
import type { World } from '../world.ts';

/** A station whose plant counts so many times. */
export interface Share {
  readonly station: FleetStation;
  readonly weight: number;
}

/** What a summary is about: one station, one device, or all that the owner has. */
export type Scope = (request: ServiceRequest, world: World) => readonly Share[];

/** A station with all of its devices, named by the query. */
export const ofStation: Scope = ({ query }, world) => [
  wholeStation(knownStation(query.get('stationId'), world)),
];

/** One device, named by the query. */
export const ofDevice: Scope = (request, world) => {
  const { station, weight } = queriedDevice(request, world);
  return [{ station, weight }];
};

/** Every station of the account. */
export const ofOwner: Scope = (_request, world) => world.fleet.stations.map(wholeStation);

function wholeStation(station: FleetStation): Share {
  return { station, weight: totalWeight(station.devices) };
}
