import type { Labels, Sample } from '../collectors/metric.ts';
import type {
  CollectorStatus,
  DeviceStatus,
  FlowStatus,
  MonthStatus,
  StationPageStatus,
} from './status.ts';

type Mutable<T> = { -readonly [Name in keyof T]: T[Name] };

/** Gauges of a device that are shown as they are. */
const DEVICE_FIGURES = {
  solar_pv_power_watts: 'pvPowerWatts',
  solar_load_power_watts: 'loadPowerWatts',
  solar_grid_import_power_watts: 'gridImportPowerWatts',
  solar_grid_feed_in_power_watts: 'gridFeedInPowerWatts',
  solar_battery_power_watts: 'batteryPowerWatts',
  solar_battery_soc_ratio: 'batterySocRatio',
  solar_device_pv_energy_today_kwh: 'pvEnergyTodayKwh',
} as const satisfies Record<string, keyof DeviceStatus>;

const MONTH_FIGURES = {
  solar_month_pv_generated_kwh: 'pvGeneratedKwh',
  solar_month_grid_import_kwh: 'gridImportKwh',
  solar_month_grid_feed_in_kwh: 'gridFeedInKwh',
  solar_month_consumption_kwh: 'consumptionKwh',
  solar_month_battery_charged_kwh: 'batteryChargedKwh',
  solar_month_battery_discharged_kwh: 'batteryDischargedKwh',
  solar_month_solar_ratio: 'solarRatio',
} as const satisfies Record<string, keyof MonthStatus>;

/** Everything else of a device: what a sample adds to what is known of it. */
const DEVICE_FACTS = {
  solar_device_info: (_device, { name, model }) => ({
    ...text('name', name),
    ...text('model', model),
  }),
  solar_device_online: (_device, _labels, value) => ({ isOnline: value === 1 }),
  solar_device_reporting: (_device, _labels, value) => ({ isReporting: value === 1 }),
  solar_reading_timestamp_seconds: (_device, _labels, value) => ({ measuredAtMs: value * 1000 }),
  solar_device_dialect_info: (_device, { family }) => text('family', family),
  solar_device_working_mode: (_device, { mode }, value) =>
    value === 1 ? text('workingMode', mode) : {},
  solar_device_quantity_missing: ({ missingQuantities }, { quantity = '' }) => ({
    missingQuantities: [...missingQuantities, quantity],
  }),
  solar_device_alarm_firing: ({ alarms }, { alarm = '', level = '' }) => ({
    alarms: [...alarms, { alarm: shortened(alarm), level: shortened(level) }],
  }),
} as const satisfies Record<
  string,
  (device: DeviceStatus, labels: Labels, value: number) => Partial<DeviceStatus>
>;

/** Collects what samples say of one station and its devices. */
export class StationDraft {
  readonly #station: Mutable<
    Omit<StationPageStatus, 'devices' | 'flow' | 'partial' | 'pvEnergyTodayKwh'>
  >;
  readonly #devices = new Map<string, DeviceStatus>();

  constructor(station: {
    readonly stationId: string;
    readonly isUp: boolean;
    readonly collectors: readonly CollectorStatus[];
  }) {
    this.#station = { ...station, month: {} };
  }

  add({ name, labels, value }: Sample): void {
    // JSON has no word for the others, and no meter measures them.
    if (!Number.isFinite(value)) return;
    const deviceId = labels['device_id'];
    if (deviceId !== undefined) this.#addToDevice(deviceId, { name, labels, value });
    else if (name === 'solar_station_info')
      Object.assign(
        this.#station,
        text('name', labels['name']),
        text('timeZone', labels['time_zone']),
      );
    else if (name === 'solar_month_start_timestamp_seconds')
      this.#station.month = { ...this.#station.month, startsAtMs: value * 1000 };
    else if (isKey(MONTH_FIGURES, name))
      this.#station.month = { ...this.#station.month, [MONTH_FIGURES[name]]: value };
  }

  finished(): StationPageStatus {
    const devices = [...this.#devices.values()];
    const pvEnergyTodayKwh = sumOf(devices, 'pvEnergyTodayKwh');
    return {
      ...this.#station,
      flow: flowOf(devices),
      partial: SHARED_FIGURES.filter((name) => isPartial(devices, name)),
      ...(pvEnergyTodayKwh !== undefined && { pvEnergyTodayKwh }),
      devices,
    };
  }

  #addToDevice(deviceId: string, { name, labels, value }: Sample): void {
    const device = this.#devices.get(deviceId) ?? { deviceId, missingQuantities: [], alarms: [] };
    const fact = isKey(DEVICE_FIGURES, name)
      ? { [DEVICE_FIGURES[name]]: value }
      : isKey(DEVICE_FACTS, name) && DEVICE_FACTS[name](device, labels, value);
    this.#devices.set(deviceId, { ...device, ...fact });
  }
}

const FLOW_SUMS = [
  'pvPowerWatts',
  'loadPowerWatts',
  'gridImportPowerWatts',
  'gridFeedInPowerWatts',
  'batteryPowerWatts',
] as const satisfies (keyof FlowStatus)[];

const SHARED_FIGURES = [...FLOW_SUMS, 'batterySocRatio', 'pvEnergyTodayKwh'] as const;

function flowOf(devices: readonly DeviceStatus[]): FlowStatus {
  const flow: Mutable<FlowStatus> = {};
  for (const name of FLOW_SUMS) {
    const sum = sumOf(devices, name);
    if (sum !== undefined) flow[name] = sum;
  }
  const socs = knownOf(devices, 'batterySocRatio');
  if (socs.length > 0) flow.batterySocRatio = Math.min(...socs);
  return flow;
}

function isPartial(devices: readonly DeviceStatus[], name: Figure): boolean {
  const known = knownOf(devices, name).length;
  return known > 0 && known < devices.length;
}

type Figure = (typeof DEVICE_FIGURES)[keyof typeof DEVICE_FIGURES];

/** The sum over the devices that know it; absent when none does. */
function sumOf(devices: readonly DeviceStatus[], name: Figure): number | undefined {
  const known = knownOf(devices, name);
  return known.length === 0 ? undefined : known.reduce((sum, value) => sum + value);
}

function knownOf(devices: readonly DeviceStatus[], name: Figure): readonly number[] {
  return devices.map((device) => device[name]).filter((value) => value !== undefined);
}

/** A text of the service, unless it is empty. */
function text<Name extends string>(name: Name, value = ''): Partial<Record<Name, string>> {
  return value === '' ? {} : ({ [name]: shortened(value) } as Record<Name, string>);
}

/** A person reads no more of a name than this, and laying out a longer one takes a browser seconds. */
const LONGEST_TEXT = 200;

function shortened(value: string): string {
  if (value.length <= LONGEST_TEXT) return value;
  return `${Array.from(value.slice(0, LONGEST_TEXT)).slice(0, -1).join('')}…`;
}

function isKey<T extends object>(table: T, name: string): name is keyof T & string {
  return Object.hasOwn(table, name);
}
