import { stationPowers } from '../model/station-totals.ts';
import { replayDevice, type ReplayedDevice, type ReplayOptions } from './device-replay.ts';
import { sumOf } from '../model/units.ts';
import { type AskEnergies, energyTable } from './energies.ts';
import { STATION_INFO, STATION_TOTALS } from './history-metrics.ts';
import type { Month } from './months.ts';
import { type MonthSeries, SeriesTable, stepFrom } from './series.ts';

/** What came of a month. */
export interface CollectedMonth extends MonthSeries {
  /** How many readings its devices have. */
  readonly readings: number;
  readonly devices: readonly ReplayedDevice[];
}

export interface CollectOptions extends Omit<ReplayOptions, 'isCounting'> {
  /** How far apart the values are written. */
  readonly stepMs: number;
  /** Without it no energy is written, neither what the service sums up nor what is counted. */
  readonly energies?: AskEnergies | undefined;
}

/**
 * Asks the service for everything of a month, and returns what the page would have shown at each step. Depends on
 * nothing but the answers about that month: months can be asked for in any order.
 *
 * @throws ServiceError when a request fails however often it is tried.
 */
export async function collectMonth(
  month: Month,
  { stepMs, energies, ...options }: CollectOptions,
): Promise<CollectedMonth> {
  const replay = { ...options, isCounting: energies !== undefined };
  const devices: ReplayedDevice[] = [];
  for (const device of month.devices) devices.push(await replayDevice(month, device, replay));
  const tables = [stationTable(month, devices, stepMs), ...devices.map(({ table }) => table)];
  if (energies !== undefined)
    tables.push(energyTable(month, stepMs, await energies(month.station, month.fromMs)));
  return { stepMs, tables, devices, readings: sumOf(devices.map(({ readings }) => readings)) };
}

/** Describes a station at every step at which there is a row of any of its devices, with its totals if all are there. */
function stationTable(
  { station, isOneDevice }: Month,
  devices: readonly ReplayedDevice[],
  stepMs: number,
): SeriesTable {
  const table = new SeriesTable({ station_id: station.stationId });
  const changes = new Set<number>();
  for (const device of devices)
    for (const { fromMs, toMs } of device.table.rows)
      changes.add(stepFrom(fromMs, stepMs)).add(stepFrom(toMs, stepMs));
  const [first = 0, ...rest] = [...changes].sort((one, other) => one - other);
  let fromMs = first;
  const rowsAt = devices.map(() => 0);
  for (const toMs of rest) {
    const shown = devices.map(({ table: { rows }, shares }, index) => {
      let row = rowsAt[index] ?? 0;
      while ((rows[row]?.toMs ?? Infinity) <= fromMs) row += 1;
      rowsAt[index] = row;
      return { isThere: (rows[row]?.fromMs ?? Infinity) <= fromMs, share: shares[row] };
    });
    if (shown.some(({ isThere }) => isThere)) {
      table.rows.push({ fromMs, toMs });
      table.fill(STATION_INFO, { station, devices: [] });
      const shares = shown.map(({ isThere, share }) => (isThere ? share : undefined));
      if (!isOneDevice) table.fill(STATION_TOTALS, { powers: stationPowers(shares) });
    }
    fromMs = toMs;
  }
  return table;
}
