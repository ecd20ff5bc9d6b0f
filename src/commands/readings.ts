import { derivePower, isReporting } from '../model/derive.ts';
import type { Readings } from '../model/station.ts';
import { type CommandContext, EXIT_OK, withConnection } from './command.ts';
import { listAllDevices } from './inventory.ts';
import { renderTable } from './table.ts';

/** Prints the newest readings of one device, or of all. */
export async function readings(context: CommandContext, deviceId?: string): Promise<number> {
  const { stationIds } = context.config;
  const rows = await withConnection(context, async ({ api }) => {
    const devices =
      deviceId === undefined
        ? (await listAllDevices(api, stationIds)).map(({ station, device }) => ({
            deviceId: device.deviceId,
            timeZone: station.timeZone ?? device.stationTimeZone,
          }))
        : [{ deviceId, timeZone: undefined }];
    const read = devices.map(async (device) =>
      describe(device.deviceId, await api.fetchReadings(device.deviceId, device.timeZone)),
    );
    return (await Promise.all(read)).flat();
  });
  context.out(renderTable(['device', 'quantity', 'value'], rows));
  return EXIT_OK;
}

function describe(deviceId: string, newest: Readings): readonly (readonly string[])[] {
  if (!isReporting(newest)) return [[deviceId, 'nothing in the last hour', '']];
  const power = derivePower(newest);
  const rows: readonly (readonly [string, number | undefined, string])[] = [
    ['PV power', newest.pvPowerWatts, 'W'],
    ['AC output power', newest.acOutputPowerWatts, 'W'],
    ['load power (derived)', power.loadPowerWatts, 'W'],
    ['grid import power (derived)', power.gridImportPowerWatts, 'W'],
    ['grid power (derived, interface rule)', power.gridPowerWatts, 'W'],
    ['grid feed-in power', newest.gridFeedInPowerWatts, 'W'],
    ['battery power (derived)', power.batteryPowerWatts, 'W'],
    ['battery voltage', newest.batteryVoltageVolts, 'V'],
    ['battery charging current', newest.batteryChargingCurrentAmperes, 'A'],
    ['battery discharge current', newest.batteryDischargeCurrentAmperes, 'A'],
    ['battery SOC', percentOf(newest.batterySocRatio), '%'],
  ];
  const measuredAt =
    newest.measuredAtMs === undefined ? 'unknown' : new Date(newest.measuredAtMs).toISOString();
  return [
    ...rows.map(([quantity, value, unit]) => [deviceId, quantity, shown(value, unit)]),
    [deviceId, 'measured at', measuredAt],
  ];
}

function shown(value: number | undefined, unit: string): string {
  return value === undefined ? 'unknown' : `${Math.round(value * 100) / 100} ${unit}`;
}

function percentOf(ratio: number | undefined): number | undefined {
  return ratio === undefined ? undefined : ratio * 100;
}
