import type { ServiceError } from '../base/errors.ts';
import type { Device } from '../model/station.ts';
import { MOST_READINGS, replayDevice, type ReplayOptions } from './device-replay.ts';
import { type AskEnergies, energyTable } from './energies.ts';
import { STATION_INFO } from './history-metrics.ts';
import type { MonthPart } from './months.ts';
import { type MonthSeries, SeriesTable, StepGrid } from './series.ts';

/** What came of a part of a month. */
export interface CollectedMonth extends MonthSeries {
  /** Whether no device had a reading in it. */
  readonly isEmpty: boolean;
  /** What is left out of it: not everything that is listed as a device measures anything. */
  readonly refused: readonly { readonly device: Device; readonly error: ServiceError }[];
  /** The devices that had more readings than are read of a month; the later ones are left out. */
  readonly cut: readonly Device[];
}

export interface CollectOptions extends Omit<ReplayOptions, 'isCounting'> {
  /** How far apart the values are written. */
  readonly stepMs: number;
  /** Without it no energy is written, neither what the service sums up nor what is counted. */
  readonly energies?: AskEnergies | undefined;
}

/**
 * Asks the service for everything of a part of a month, and returns what the page would have shown at each
 * step. Depends on nothing but the answers about that part: parts can be asked for in any order.
 *
 * @throws ServiceError when a request fails in spite of all patience, or all devices are refused.
 */
export async function collectMonth(
  part: MonthPart,
  { stepMs, energies, ...options }: CollectOptions,
): Promise<CollectedMonth> {
  const { station, devices } = part;
  const grid = new StepGrid(part.fromMs, part.toMs, stepMs);
  const replay = { ...options, isCounting: energies !== undefined };
  const tables: SeriesTable[] = [];
  const refused: { device: Device; error: ServiceError }[] = [];
  const cut: Device[] = [];
  let isEmpty = true;
  for (const device of devices) {
    const { table, readings, refusal } = await replayDevice(part, device, grid, replay);
    if (refusal === undefined) tables.push(table);
    else refused.push({ device, error: refusal });
    if (readings === MOST_READINGS) cut.push(device);
    if (readings > 0) isEmpty = false;
  }
  const [first] = refused;
  if (first !== undefined && refused.length === devices.length) throw first.error;
  tables.unshift(stationTable(part, tables, grid));
  if (energies !== undefined)
    tables.push(energyTable(part, grid, await energies(station, part.fromMs)));
  return { grid, tables, isEmpty, refused, cut };
}

/** Describes a station at every step at which there are values of any of its devices. */
function stationTable(
  { station }: MonthPart,
  devices: readonly SeriesTable[],
  grid: StepGrid,
): SeriesTable {
  const isShown = new Uint8Array(grid.length);
  for (const { rows } of devices)
    for (const { firstStep, steps } of rows) isShown.fill(1, firstStep, firstStep + steps);
  const table = new SeriesTable({ station_id: station.stationId });
  let firstStep = isShown.indexOf(1);
  while (firstStep >= 0) {
    const next = isShown.indexOf(0, firstStep);
    const end = next < 0 ? grid.length : next;
    table.rows.push({ firstStep, steps: end - firstStep });
    table.fill(STATION_INFO, { station, devices: [] });
    firstStep = isShown.indexOf(1, end);
  }
  return table;
}
