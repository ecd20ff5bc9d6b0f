import type { EnergyCounters } from '../physics/energy.ts';
import { datalogger, totalWeight, type FleetDevice, type FleetStation } from '../physics/fleet.ts';
import { LATITUDE_DEGREES, RATED_WATTS } from '../physics/station-plant.ts';
import { firingAlarms } from './alarms.ts';
import { bareNumber, type Call, type JsonObject, pageOf } from './call.ts';
import { yearSoFar } from './summary.ts';
import type { World } from './world.ts';

const CREATED_AT = '2024-01-01T00:00:00Z';
const INCOME = { currencyCode: 'EUR', energyIncomePrice: 0.1 } as const;
const ONLINE = { state: 20, stateDict: 'Online' } as const;
const ALARMED = { state: 10, stateDict: 'Alarm' } as const;
const OFFLINE = { state: 30, stateDict: 'Offline' } as const;

/** Lists the account's stations (service.md#records): ids are bare numbers beyond 2^53, as on the portal. */
export function listStations(call: Call): JsonObject {
  const paging = call.paging();
  const { stations } = call.world.fleet;
  const list = pageOf(stations, paging).map((station) => ({
    id: bareNumber(station.stationId),
    ...stationFields(station, call.world),
  }));
  return { ...paging, total: stations.length, list };
}

/** Lists the devices of a station, or of the account (service.md#paging). */
export function listDevices(call: Call): JsonObject {
  const { world } = call;
  const paging = call.paging();
  const { stationId } = call.body;
  const devices =
    stationId === undefined || stationId === ''
      ? world.fleet.stations.flatMap((station) => station.devices)
      : call.station(stationId).devices;
  return {
    ...paging,
    total: devices.length,
    list: pageOf(devices, paging).map((device) => deviceRecord(device, world)),
  };
}

/** Describes a device as the device list does (service.md#records). */
function deviceRecord(device: FleetDevice, world: World): JsonObject {
  const lastSampleAtMs = world.contact.lastSampleAtMs(device);
  const isOnline = world.contact.isOnline(device);
  const isAlarmed = firingAlarms(world, device).length > 0;
  const state = world.inverterState(device, lastSampleAtMs);
  const producingPower = isOnline ? kilo(3, state.pvPowerWatts) : null;
  const ratedPower = kilo(1, device.weight * RATED_WATTS);
  const today = kilo(2, state.energy().today.pvWattHours);
  const lifetime = kilo(2, state.energy().lifetime.pvWattHours);
  const excludingToday = rounded(lifetime - today, 2);
  // An offline device was last heard when it left, which may be between two samples.
  const heardAtMs = isOnline ? lastSampleAtMs : world.contact.heardAtMs(device);
  const heardAt = new Date(heardAtMs).toISOString();
  return {
    id: device.deviceId,
    name: device.name,
    serialNumber: device.serialNumber,
    model: world.family.deviceModel,
    deviceSortKey: 'pvInverter',
    deviceSortLocaleText: 'PV inverter',
    gatherProtocolNumber: world.family.gatherProtocolNumber,
    gatherProtocolNameDisplay: null,
    ...datalogger(device),
    stationId: device.station.stationId,
    stationName: device.station.name,
    stationTimezone: world.options.timeZone,
    ...(!isOnline ? OFFLINE : isAlarmed ? ALARMED : ONLINE),
    isOnline,
    isAlarmed,
    producingPower,
    nonNullableProducingPower: producingPower ?? 0,
    ratedPower,
    dailyProducedQuantity: today,
    dailyProducedTime: rounded(today / ratedPower, 2),
    totalProducedQuantity: lifetime,
    totalProducedQuantityExcludeToday: excludingToday,
    summaryProperty: { totalGeneratedEnergy: excludingToday },
    // In kg, by the figures that inverters are usually sold with.
    savingStandardCarbon: rounded(lifetime * 0.4, 2),
    co2EmissionReduction: rounded(lifetime * 0.997, 2),
    so2EmissionReduction: rounded(lifetime * 0.03, 2),
    noxEmissionReduction: rounded(lifetime * 0.015, 2),
    createdAt: CREATED_AT,
    lastDataAt: heardAt,
    lastOfflineAt: isOnline ? null : heardAt,
  };
}

/**
 * Describes a station as the station list does (service.md#records), without its id: its powers and
 * energies are those of its devices' newest samples, added up. It is online while any of its devices
 * is, or while it has none.
 */
function stationFields(station: FleetStation, world: World): JsonObject {
  const { devices } = station;
  const { contact } = world;
  const samples = devices.map((device) => ({
    isOnline: contact.isOnline(device),
    state: world.inverterState(device, contact.lastSampleAtMs(device)),
  }));
  const sum = (read: (sample: (typeof samples)[number]) => number): number =>
    samples.reduce((total, sample) => total + read(sample), 0);
  const energy = (name: keyof EnergyCounters): number =>
    kilo(
      2,
      sum(({ state }) => state.energy()[name].pvWattHours),
    );
  const isOnline = devices.length === 0 || samples.some((sample) => sample.isOnline);
  const installedCapacity = kilo(1, totalWeight(devices) * RATED_WATTS);
  const powerWatts = sum((sample) => (sample.isOnline ? sample.state.pvPowerWatts : 0));
  const producingPower = kilo(3, powerWatts);
  const today = energy('today');
  const thisMonth = energy('thisMonth');
  const thisYear = yearSoFar(station, world).pvWattHours * totalWeight(devices);
  return {
    name: station.name,
    timezone: world.options.timeZone,
    latitude: LATITUDE_DEGREES,
    ...(isOnline ? ONLINE : OFFLINE),
    isOnline,
    installedCapacity,
    producingPower,
    dailyProducedQuantity: today,
    monthlyProducedQuantity: thisMonth,
    yearlyProducedQuantity: kilo(2, thisYear),
    totalProducedQuantity: energy('lifetime'),
    totalPower: producingPower,
    dailyProducedTime: rounded(today / Math.max(0.1, installedCapacity), 2),
    // The one capture that has it multiplies the month, whatever the name says (service.md#records).
    totalEarnings: rounded(thisMonth * INCOME.energyIncomePrice, 2),
    ...INCOME,
    deviceCount: devices.length,
    createdAt: CREATED_AT,
  };
}

/** Writes watts in kW, or watt-hours in kWh. */
function kilo(decimals: number, amount: number): number {
  return rounded(amount / 1000, decimals);
}

function rounded(value: number, decimals: number): number {
  return Number(value.toFixed(decimals));
}
