import { namedTimeZone } from '../base/time-zone.ts';
import { derivePower, isReporting } from '../model/derive.ts';
import { type Readings, readingsAt } from '../model/readings.ts';
import { ratioToPercent } from '../model/units.ts';
import { type CommandContext, EXIT_OK, withConnection } from './command.ts';
import { listAllDevices } from './inventory.ts';
import { renderTable } from './output.ts';

/** Prints the newest readings of one device, or of all. */
export async function readings(context: CommandContext, deviceId?: string): Promise<number> {
  const { stationIds, cache } = context.config;
  const { clock } = context.runtime;
  const rows = await withConnection(context, async ({ api }) => {
    const devices =
      deviceId === undefined
        ? (await listAllDevices(api, stationIds)).map(({ station, device }) => ({
            ...device,
            timeZone: namedTimeZone({ station: station.timeZone, device: device.stationTimeZone }),
          }))
        : [{ deviceId, timeZone: undefined, model: undefined }];
    const read = devices.map(async (device) => {
      const report = await api.fetchReadings(device.deviceId, device.timeZone, device.model);
      return describe(device.deviceId, readingsAt(report, clock.nowMs(), cache.maxAgeMs));
    });
    return (await Promise.all(read)).flat();
  });
  context.out(renderTable(['device', 'quantity', 'value'], rows));
  return EXIT_OK;
}

function describe(deviceId: string, newest: Readings): readonly (readonly string[])[] {
  const measuredAt = [deviceId, 'measured at', instantOf(newest.measuredAtMs)];
  if (!isReporting(newest)) {
    const silence = [deviceId, 'nothing recent enough', ''];
    return newest.measuredAtMs === undefined ? [silence] : [silence, measuredAt];
  }
  const rows = [...powersOf(newest), ...extrasOf(newest)];
  return [
    ...rows.map(([quantity, value, unit]) => [deviceId, quantity, shown(value, unit)]),
    ...(newest.workingMode === undefined ? [] : [[deviceId, 'working mode', newest.workingMode]]),
    measuredAt,
  ];
}

type Row = readonly [quantity: string, value: number | undefined, unit: string];

/** Lists the quantities that every device should have; a missing one is shown as unknown. */
function powersOf(newest: Readings): readonly Row[] {
  const power = derivePower(newest);
  return [
    ['PV power', newest.pvPowerWatts, 'W'],
    ['AC output power', newest.acOutputPowerWatts, 'W'],
    [sourced('load power', newest.loadPowerWatts), power.loadPowerWatts, 'W'],
    [sourced('grid import power', newest.gridImportPowerWatts), power.gridImportPowerWatts, 'W'],
    ['grid feed-in power', newest.gridFeedInPowerWatts, 'W'],
    ['grid power (derived)', power.gridPowerWatts, 'W'],
    ['interface grid power (derived)', power.interfaceGridPowerWatts, 'W'],
    [sourced('battery power', newest.batteryPowerWatts), power.batteryPowerWatts, 'W'],
    ['battery voltage', newest.batteryVoltageVolts, 'V'],
    ['battery charging current', newest.batteryChargingCurrentAmperes, 'A'],
    ['battery discharge current', newest.batteryDischargeCurrentAmperes, 'A'],
    ['battery SOC', percentOf(newest.batterySocRatio), '%'],
  ];
}

/** Lists the quantities that only some devices have; a missing one has no row. */
function extrasOf(newest: Readings): readonly Row[] {
  const extras: readonly Row[] = [
    ['battery SOH', percentOf(newest.batterySohRatio), '%'],
    ['battery temperature', newest.batteryTemperatureCelsius, '°C'],
    ['grid voltage', newest.gridVoltageVolts, 'V'],
    ['grid frequency', newest.gridFrequencyHertz, 'Hz'],
    ['AC output voltage', newest.acOutputVoltageVolts, 'V'],
    ['AC output frequency', newest.acOutputFrequencyHertz, 'Hz'],
    ...[...(newest.pvStrings ?? [])].flatMap(([string, reading]): Row[] => [
      [`PV string ${string} power`, reading.powerWatts, 'W'],
      [`PV string ${string} voltage`, reading.voltageVolts, 'V'],
      [`PV string ${string} current`, reading.currentAmperes, 'A'],
    ]),
    ...[...(newest.temperaturesCelsius ?? [])].map(([sensor, celsius]): Row => [
      `temperature ${sensor}`,
      celsius,
      '°C',
    ]),
  ];
  return extras.filter(([, value]) => value !== undefined);
}

function sourced(quantity: string, measured: number | undefined): string {
  return measured === undefined ? `${quantity} (derived)` : quantity;
}

function instantOf(atMs: number | undefined): string {
  return atMs === undefined ? 'unknown' : new Date(atMs).toISOString();
}

function shown(value: number | undefined, unit: string): string {
  return value === undefined ? 'unknown' : `${Math.round(value * 100) / 100} ${unit}`;
}

function percentOf(ratio: number | undefined): number | undefined {
  return ratio === undefined ? undefined : ratioToPercent(ratio);
}
