import { turn } from '../base/turns.ts';
import { quantityName } from '../collectors/reading-metrics.ts';
import type { ListedDevice } from '../collectors/inventory.ts';
import type { ShownValue } from '../collectors/target.ts';
import { visibleSettings } from '../collectors/settings.ts';
import { isReporting, powerFiguresOf, type Readings } from '../model/readings.ts';
import type { DeviceSettings } from '../model/settings.ts';
import type { Alarm, FiringAlarm } from '../model/station.ts';
import { figures, shortened, text } from './known-fields.ts';
import type { JudgedReadings } from './problems.ts';
import type { DeviceStatus } from './status.ts';

/** What is known of the devices of a station; readings and settings by device id. */
export interface DeviceValues {
  readonly listed: readonly ListedDevice[];
  readonly firing: readonly FiringAlarm[];
  readonly readings: ReadonlyMap<string, ShownValue<Readings>>;
  readonly settings: ReadonlyMap<string, ShownValue<DeviceSettings>>;
}

/** Describes every device of which anything is known: listed devices first, in the order of the list. */
export async function describeDevices({
  listed,
  firing,
  readings,
  settings,
}: DeviceValues): Promise<readonly DeviceStatus[]> {
  const devices = new Map<string, DeviceStatus>();
  const add = async (deviceId: string, facts: Partial<DeviceStatus>): Promise<void> => {
    const known = devices.get(deviceId) ?? { deviceId, missingQuantities: [], alarms: [] };
    devices.set(deviceId, { ...known, ...facts });
    if (turn.isOver()) await turn.next();
  };
  for (const device of listed) await add(device.deviceId, describeRecord(device));
  for (const { deviceId, key, level } of firing) {
    const alarm = describeAlarm({ key, level });
    await add(deviceId, { alarms: [...(devices.get(deviceId)?.alarms ?? []), alarm] });
  }
  for (const [deviceId, { value }] of readings) await add(deviceId, describeReadings(value));
  // Settings are not shown, but a device of which only settings are known is listed as well.
  for (const [deviceId, { value }] of settings)
    if (visibleSettings(value).length > 0) await add(deviceId, {});
  return [...devices.values()];
}

/** Describes an alarm that fires. */
export function describeAlarm({ key, level }: Alarm): DeviceStatus['alarms'][number] {
  return { alarm: shortened(key), level: shortened(level) };
}

/** Describes what the device list says of a device. */
function describeRecord(device: ListedDevice): Partial<DeviceStatus> {
  const { name, model, isOnline, pvEnergyTodayKwh, unlistedSinceMs } = device;
  return {
    ...text('name', name),
    ...text('model', model),
    ...(isOnline !== undefined && { isOnline }),
    ...figures({ pvEnergyTodayKwh, unlistedSinceMs }),
  };
}

function describeReadings(readings: Readings): Partial<DeviceStatus> {
  const {
    workingMode,
    measuredAtMs,
    maxAgeMs = NaN,
    intervalMs = NaN,
    misread,
    dialect,
  } = readings;
  return {
    ...figures(powerFiguresOf(readings)),
    ...text('workingMode', workingMode),
    // The next one should have come an interval before this one is withdrawn.
    ...figures({ measuredAtMs, lateAfterMs: maxAgeMs - intervalMs }),
    ...judgedReadings(readings),
    missingQuantities: (dialect?.missing ?? []).map(quantityName),
    ...(dialect?.silentKeys && { silentKeys: dialect.silentKeys }),
    ...(misread && { misread: misread.map(({ key, why }) => ({ key, why })) }),
  };
}

/** Describes as much of the readings of a device as tells whether something is wrong. */
export function judgedReadings(readings: Readings): JudgedReadings {
  const { battery, batteryBmsConnected, datedAheadMs, dialect } = readings;
  const { batterySocRatio } = powerFiguresOf(readings);
  return {
    ...figures({ batterySocRatio, datedAheadMs }),
    isReporting: isReporting(readings),
    ...(battery === 'bms' &&
      batteryBmsConnected !== undefined && { isBmsSilent: batteryBmsConnected === 0 }),
    ...text('family', dialect?.family),
  };
}
