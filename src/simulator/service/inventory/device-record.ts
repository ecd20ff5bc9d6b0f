import type { FleetDevice } from '../../physics/fleet.ts';
import { RATED_WATTS } from '../../physics/station-plant.ts';
import type { World } from '../world.ts';
import { CREATED_AT, INCOME, OWNED } from './account.ts';
import { kilowattHours, kilowatts, savings } from './figures.ts';

const STATES = {
  online: { state: 20, stateDict: 'Online' },
  alarmed: { state: 10, stateDict: 'Alarm' },
  offline: { state: 30, stateDict: 'Offline' },
} as const;

/** The state of a device, as its record and the counts of states name it. */
export function deviceState(
  device: FleetDevice,
  world: World,
): (typeof STATES)[keyof typeof STATES] {
  if (!world.isOnline(device)) return STATES.offline;
  return world.alarms.firing(device).length > 0 ? STATES.alarmed : STATES.online;
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
export function deviceRecord(device: FleetDevice, world: World): Readonly<Record<string, unknown>> {
  const lastSampleAtMs = world.lastSampleAtMs(device);
  const isOnline = world.isOnline(device);
  const state = world.inverterState(device, lastSampleAtMs);
  const producingPower = isOnline ? kilowatts(state.pvPowerWatts, 3) : null;
  const ratedPower = kilowatts(device.weight * RATED_WATTS, 1);
  const today = kilowattHours(state.energy().today.pvWattHours);
  const lifetime = kilowattHours(state.energy().lifetime.pvWattHours);
  const excludingToday = Number((lifetime - today).toFixed(2));
  // An offline device was last heard when it left, which may be between two samples.
  const heardAt = new Date(isOnline ? lastSampleAtMs : world.heardAtMs(device)).toISOString();
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
    ...deviceState(device, world),
    isOnline,
    isAlarmed: world.alarms.firing(device).length > 0,
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
    ...savings(lifetime),
    installedAt: CREATED_AT,
    createdAt: CREATED_AT,
    lastDataAt: heardAt,
    lastOnlineAt: CREATED_AT,
    lastOfflineAt: isOnline ? null : heardAt,
  };
}
