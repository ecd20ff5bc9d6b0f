import { totalWeight, type FleetDevice, type FleetStation } from '../physics/fleet.ts';
import { LATITUDE_DEGREES, RATED_WATTS } from '../physics/station-plant.ts';
import { JsonText } from './reply.ts';
import { type Call, type JsonObject, pageOf } from './call.ts';
import { yearSoFar } from './summary.ts';
import type { World } from './world.ts';

/** Who the account belongs to: ids like all others here, made up and beyond 2^53. */
export const OWNER = { authId: '700000000000000011', userId: '700000000000000013' } as const;

const OWNED = { ownerUserId: OWNER.userId, ownerUserName: 'demo' } as const;
const CREATED_AT = '2024-01-01T00:00:00Z';
const INCOME = { currencyCode: 'EUR', energyIncomePrice: 0.1 } as const;
const ONLINE = { state: 20, stateDict: 'Online' } as const;
const ALARMED = { state: 10, stateDict: 'Alarm' } as const;
const OFFLINE = { state: 30, stateDict: 'Offline' } as const;

/** Lists the account's stations (field notes 1.2, 2.3). */
export function listStations(call: Call): JsonText {
  const { world } = call;
  const paging = call.paging();
  const { stations } = world.fleet;
  // The id is a bare number beyond 2^53, as on the portal, so this text is not made from numbers.
  const records = pageOf(stations, paging).map((station) => {
    const fields = JSON.stringify(stationFields(station, world));
    return `{"id":${station.stationId},${fields.slice(1)}`;
  });
  return new JsonText(
    `{"page":${paging.page},"count":${paging.count},"total":${stations.length},"list":[${records.join(',')}]}`,
  );
}

/** Serves the record of one station; its id is a string here. */
export function stationDetails(call: Call): JsonObject {
  const station = call.station();
  return { id: station.stationId, ...stationFields(station, call.world) };
}

/**
 * Lists the devices of a station (interface endpoint 3), or of the account when none is named
 * (field notes 1.2).
 */
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
    ...(world.options.omitTotal ? {} : { total: devices.length }),
    list: pageOf(devices, paging).map((device) => deviceRecord(device, world)),
  };
}

/** Serves the record of one device, and what only its details have (field notes 1.2, 2.2). */
export function deviceDetails(call: Call): JsonObject {
  return {
    ...deviceRecord(call.device(), call.world),
    gatherProtocolVersionId: '1',
    gatherProtocolVersionCode: 1,
    isTimeSyncEnabled: false,
    isPeakValleyEnabled: false,
  };
}

/** Names the datalogger of a device: every device has one of its own. */
export function datalogger({ deviceId, serialNumber }: FleetDevice): {
  readonly dtuId: string;
  readonly dtuDtuid: string;
  readonly dtuName: string;
} {
  // Twenty digits, and not those of the device's id, which people mistake for it.
  const number = serialNumber.replace('SIM', '').padStart(11, '0');
  return {
    dtuId: `6${deviceId.slice(1)}`,
    dtuDtuid: `530000000${number}`,
    dtuName: `Logger ${number.slice(-4)}`,
  };
}

/** Describes a device as the device list does (field notes 2.2). */
function deviceRecord(device: FleetDevice, world: World): JsonObject {
  const lastSampleAtMs = world.contact.lastSampleAtMs(device);
  const isOnline = world.contact.isOnline(device);
  const isAlarmed = world.alarms.firing(device).length > 0;
  const state = world.inverterState(device, lastSampleAtMs);
  const producingPower = isOnline ? kilowatts(state.pvPowerWatts, 3) : null;
  const ratedPower = kilowatts(device.weight * RATED_WATTS, 1);
  const today = kilowattHours(state.energy().today.pvWattHours);
  const lifetime = kilowattHours(state.energy().lifetime.pvWattHours);
  const excludingToday = Number((lifetime - today).toFixed(2));
  // An offline device was last heard when it left, which may be between two samples.
  const heardAtMs = isOnline ? lastSampleAtMs : world.contact.heardAtMs(device);
  const heardAt = new Date(heardAtMs).toISOString();
  return {
    id: device.deviceId,
    name: device.name,
    serialNumber: device.serialNumber,
    isVirtualSerialNumber: false,
    model: world.family.deviceModel,
    deviceSortKey: 'pvInverter',
    deviceSortLocaleText: 'PV inverter',
    gatherProtocolNumber: world.family.gatherProtocolNumber,
    gatherProtocolNameDisplay: null,
    ...datalogger(device),
    stationId: device.station.stationId,
    stationName: device.station.name,
    stationTimezone: world.options.timeZone,
    stationCurrencyCode: INCOME.currencyCode,
    stationEnergyIncomePrice: INCOME.energyIncomePrice,
    ...(!isOnline ? OFFLINE : isAlarmed ? ALARMED : ONLINE),
    isOnline,
    isAlarmed,
    isPined: false,
    isUpgrading: false,
    isExternalDevice: false,
    isMainMasterDevice: true,
    applyMode: 1,
    producingPower,
    nonNullableProducingPower: producingPower ?? 0,
    ratedPower,
    dailyProducedQuantity: today,
    dailyProducedTime: Number((today / ratedPower).toFixed(2)),
    totalProducedQuantity: lifetime,
    totalProducedQuantityExcludeToday: excludingToday,
    summaryProperty: { totalGeneratedEnergy: excludingToday },
    extraProperty: {},
    todayPvGenerationReadDirectly: null,
    totalPvGenerationReadDirectly: null,
    loadPowerReadDirectly: null,
    softwareVersion: null,
    place: null,
    installVendor: null,
    ...OWNED,
    // In kg, by the figures that inverters are usually sold with.
    savingStandardCarbon: Number((lifetime * 0.4).toFixed(2)),
    co2EmissionReduction: Number((lifetime * 0.997).toFixed(2)),
    so2EmissionReduction: Number((lifetime * 0.03).toFixed(2)),
    noxEmissionReduction: Number((lifetime * 0.015).toFixed(2)),
    installedAt: CREATED_AT,
    createdAt: CREATED_AT,
    lastDataAt: heardAt,
    lastOnlineAt: CREATED_AT,
    lastOfflineAt: isOnline ? null : heardAt,
  };
}

/**
 * Describes a station as the station list does (field notes 2.3), without its id: its powers and
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
  const energy = (name: 'today' | 'thisMonth' | 'lifetime'): number =>
    kilowattHours(sum(({ state }) => state.energy()[name].pvWattHours));
  const isOnline = devices.length === 0 || samples.some((sample) => sample.isOnline);
  const installedCapacity = kilowatts(totalWeight(devices) * RATED_WATTS, 1);
  const producingPower = kilowatts(
    sum((sample) => (sample.isOnline ? sample.state.pvPowerWatts : 0)),
    3,
  );
  const today = energy('today');
  const thisMonth = energy('thisMonth');
  const thisYear = yearSoFar(station, world).pvWattHours * totalWeight(devices);
  return {
    name: station.name,
    timezone: world.options.timeZone,
    country: null,
    province: null,
    city: null,
    address: null,
    longitude: null,
    latitude: LATITUDE_DEGREES,
    stationType: 1,
    connectedGridType: 1,
    ...(isOnline ? ONLINE : OFFLINE),
    isOnline,
    isPined: false,
    installedCapacity,
    producingPower,
    dailyProducedQuantity: today,
    monthlyProducedQuantity: thisMonth,
    yearlyProducedQuantity: kilowattHours(thisYear),
    totalProducedQuantity: energy('lifetime'),
    totalPower: producingPower,
    dailyProducedTime: Number((today / Math.max(0.1, installedCapacity)).toFixed(2)),
    // The one capture that has it multiplies the month, whatever the name says (field notes 2.3).
    totalEarnings: Number((thisMonth * INCOME.energyIncomePrice).toFixed(2)),
    ...INCOME,
    deviceCount: devices.length,
    ...OWNED,
    summaryProperty: {},
    installedAt: CREATED_AT,
    createdAt: CREATED_AT,
  };
}

function kilowatts(powerWatts: number, decimals: number): number {
  return Number((powerWatts / 1000).toFixed(decimals));
}

/** Writes an energy in kWh, to a hundredth. */
function kilowattHours(energyWattHours: number): number {
  return Number((energyWattHours / 1000).toFixed(2));
}
