import { totalWeight, type FleetStation } from '../../physics/fleet.ts';
import { RATED_WATTS } from '../../physics/station-plant.ts';
import { yearSoFar } from '../summary/energy-of-spans.ts';
import type { World } from '../world.ts';
import { CREATED_AT, INCOME, OWNED } from './account.ts';
import { kilowattHours, kilowatts } from './figures.ts';

/** The power and the energy of a station: what its devices show, added up. */
export interface StationProduction {
  readonly installedCapacity: number;
  readonly producingPower: number;
  readonly dailyProducedQuantity: number;
  readonly monthlyProducedQuantity: number;
  readonly yearlyProducedQuantity: number;
  readonly totalProducedQuantity: number;
}

/** Measures a station (field notes 2.3): kW and kWh, of the devices' newest samples. */
export function stationProduction(station: FleetStation, world: World): StationProduction {
  const { devices } = station;
  const states = devices.map((device) => ({
    isOnline: world.isOnline(device),
    state: world.inverterState(device, world.lastSampleAtMs(device)),
  }));
  const sum = (read: (state: (typeof states)[number]) => number): number =>
    states.reduce((total, device) => total + read(device), 0);
  const producingWatts = sum(({ isOnline, state }) => (isOnline ? state.pvPowerWatts : 0));
  const energy = (name: 'today' | 'thisMonth' | 'lifetime'): number =>
    kilowattHours(sum(({ state }) => state.energy()[name].pvWattHours));
  return {
    installedCapacity: kilowatts(totalWeight(devices) * RATED_WATTS, 1),
    producingPower: kilowatts(producingWatts, 3),
    dailyProducedQuantity: energy('today'),
    monthlyProducedQuantity: energy('thisMonth'),
    yearlyProducedQuantity: kilowattHours(
      yearSoFar(station, world).pvWattHours * totalWeight(devices),
    ),
    totalProducedQuantity: energy('lifetime'),
  };
}

interface StationState {
  readonly state: number;
  readonly stateDict: string;
  readonly isOnline: boolean;
}

/** Tells the state of a station: it is online while any of its devices is, or while it has none. */
export function stationState({ devices }: FleetStation, world: World): StationState {
  const isOnline = devices.length === 0 || devices.some((device) => world.isOnline(device));
  return isOnline
    ? { state: 20, stateDict: 'Online', isOnline }
    : { state: 30, stateDict: 'Offline', isOnline };
}

/** Describes a station as the station list does (field notes 2.3), without its id. */
export function stationFields(
  station: FleetStation,
  world: World,
): Readonly<Record<string, unknown>> {
  const production = stationProduction(station, world);
  const { monthlyProducedQuantity, producingPower, dailyProducedQuantity } = production;
  const peakHours = dailyProducedQuantity / Math.max(0.1, production.installedCapacity);
  return {
    name: station.name,
    timezone: world.options.timeZone,
    country: null,
    province: null,
    city: null,
    address: null,
    longitude: null,
    latitude: world.options.latitudeDegrees,
    stationType: 1,
    connectedGridType: 1,
    ...stationState(station, world),
    isPined: false,
    ...production,
    totalPower: producingPower,
    dailyProducedTime: Number(peakHours.toFixed(2)),
    // The one capture that has it multiplies the month, whatever the name says (field notes 2.3).
    totalEarnings: Number((monthlyProducedQuantity * INCOME.energyIncomePrice).toFixed(2)),
    ...INCOME,
    deviceCount: station.devices.length,
    ...OWNED,
    summaryProperty: {},
    installedAt: CREATED_AT,
    createdAt: CREATED_AT,
  };
}
