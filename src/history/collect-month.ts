import { stationPowers } from '../model/station-totals.ts';
import { replayDevice, type ReplayedDevice, type ReplayOptions } from './device-replay.ts';
import { sumOf } from '../model/units.ts';
import { type AskEnergies, energyTable } from './energies.ts';
import { STATION_INFO, STATION_TOTALS } from './history-metrics.ts';
import type { Month } from './months.ts';
import { type MonthSeries, SeriesTable, StepGrid } from './series.ts';

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
 * @throws ServiceError when a request fails in spite of all patience.
 */
export async function collectMonth(
  month: Month,
  { stepMs, energies, ...options }: CollectOptions,
): Promise<CollectedMonth> {
  const { station, fromMs, toMs } = month;
  const grid = new StepGrid(fromMs, toMs, stepMs);
  const replay = { ...options, isCounting: energies !== undefined };
  const devices: ReplayedDevice[] = [];
  for (const device of month.devices) devices.push(await replayDevice(month, device, grid, replay));
  const tables = [stationTable(month, devices, grid), ...devices.map(({ table }) => table)];
  if (energies !== undefined)
    tables.push(energyTable(month, grid, await energies(station, fromMs)));
  return { grid, tables, devices, readings: sumOf(devices.map(({ readings }) => readings)) };
}

/** Describes a station at every step at which there is a row of any of its devices, with its totals if all are there. */
function stationTable(
  { station, isOneDevice }: Month,
  devices: readonly ReplayedDevice[],
  grid: StepGrid,
): SeriesTable {
  const rowsAt = devices.map(({ table }) => {
    const rowAt = new Int32Array(grid.length).fill(-1);
    for (const [row, { firstStep, steps }] of table.rows.entries())
      rowAt.fill(row, firstStep, firstStep + steps);
    return rowAt;
  });
  const table = new SeriesTable({ station_id: station.stationId });
  for (let firstStep = 0, end = 0; firstStep < grid.length; firstStep = end) {
    while (end < grid.length && rowsAt.every((rowAt) => rowAt[end] === rowAt[firstStep])) end += 1;
    if (rowsAt.every((rowAt) => rowAt[firstStep] === -1)) continue;
    table.rows.push({ firstStep, steps: end - firstStep });
    table.fill(STATION_INFO, { station, devices: [] });
    const shares = devices.map(({ shares: all }, index) => all[rowsAt[index]?.[firstStep] ?? -1]);
    if (!isOneDevice) table.fill(STATION_TOTALS, { powers: stationPowers(shares) });
  }
  return table;
}
