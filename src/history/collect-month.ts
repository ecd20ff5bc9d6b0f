import { FALLBACK_TIME_ZONE } from '../base/time-zone.ts';
import { turn } from '../base/turns.ts';
import type { Patience, ServiceApi } from '../client/client.ts';
import { LONGEST_MAX_AGE_MS, type MaxAge } from '../model/cadence.ts';
import type { PastReading } from '../model/readings.ts';
import type { Device, Station } from '../model/station.ts';
import { DeviceReplay } from './device-replay.ts';
import { energyTable } from './energy-table.ts';
import { type DeviceTable, infoTables } from './info-tables.ts';
import type { MonthSeries } from './month-series.ts';
import type { PastEnergies, ZonedStation } from './past-energies.ts';
import { type DeviceReadings, ReadingGaps } from './reading-gaps.ts';
import { SeriesTable } from './series-table.ts';
import { StepGrid } from './step-grid.ts';

/** The unit of work: a station, and its calendar month or a part of it. */
export interface MonthPart {
  /** With the zone in which its days are counted. */
  readonly station: Station;
  /** `2026-08`. */
  readonly month: string;
  readonly fromMs: number;
  /** The first instant after it; not in the future. */
  readonly toMs: number;
  /** Whether it is all of the month. */
  readonly isWhole: boolean;
}

/** A page of readings that has arrived. */
export interface PastPage {
  readonly deviceId: string;
  /** How many readings it has, those before the part included. */
  readonly readings: number;
  /** When the last of them was measured. */
  readonly lastAtMs: number;
}

export interface CollectOptions {
  /** How far apart the values are written. */
  readonly stepMs: number;
  /** When readings are withdrawn; as by default when left out. */
  readonly maxAge?: MaxAge | undefined;
  /** Sends each request; it may wait and send it again. */
  readonly patiently: Patience;
  /**
   * The energies that the service sums up; the same for all parts of a run, so that none is asked twice. Without
   * it no energy is written, neither what the service sums up nor what is counted.
   */
  readonly energies?: PastEnergies | undefined;
  readonly onPage?: ((page: PastPage) => void) | undefined;
}

/**
 * Asks the service for everything of a part of a month, and returns what the page would have shown at each
 * step. Depends on nothing but the answers about that part: parts can be asked for in any order.
 *
 * @throws ServiceError when a request fails in spite of all patience.
 */
export async function collectMonth(
  part: MonthPart,
  devices: readonly Device[],
  api: Pick<ServiceApi, 'fetchPastReadings'>,
  options: CollectOptions,
): Promise<MonthSeries> {
  const grid = new StepGrid(part.fromMs, part.toMs, options.stepMs);
  const station: ZonedStation = {
    ...part.station,
    timeZone: part.station.timeZone ?? FALLBACK_TIME_ZONE,
  };
  const tables: DeviceTable[] = [];
  const readings: DeviceReadings[] = [];
  for (const device of devices) {
    const table = new SeriesTable({ station_id: station.stationId, device_id: device.deviceId });
    readings.push(await replayDevice({ ...part, station }, device, { table, grid }, api, options));
    tables.push({ device, table });
  }
  const ofDevices = tables.map(({ table }) => table);
  const ofStation = await energyTables({ ...part, station }, grid, options);
  return { grid, tables: [...infoTables(station, tables), ...ofDevices, ...ofStation], readings };
}

async function replayDevice(
  { station, fromMs, toMs }: MonthPart,
  { deviceId, model, ratedPowerWatts }: Device,
  { table, grid }: { readonly table: SeriesTable; readonly grid: StepGrid },
  api: Pick<ServiceApi, 'fetchPastReadings'>,
  { patiently, maxAge = 'auto', energies, onPage }: CollectOptions,
): Promise<DeviceReadings> {
  const replay = new DeviceReplay({
    ...{ table, grid, fromMs, maxAge },
    isCounting: energies !== undefined,
  });
  const gaps = new ReadingGaps({ fromMs, toMs });
  // What was read before the part may still be shown at its first steps.
  const query = {
    deviceId,
    timeZone: station.timeZone,
    model,
    ratedPowerWatts,
    fromMs: fromMs - Math.max(LONGEST_MAX_AGE_MS, maxAge === 'auto' ? 0 : maxAge),
    toMs,
  };
  for await (const page of api.fetchPastReadings(query, patiently)) {
    let readings = 0;
    let lastAtMs = fromMs;
    for (const reading of page) {
      replay.play(reading);
      readings += 1;
      lastAtMs = reading.atMs;
      if (reading.atMs >= fromMs && isMeasured(reading)) gaps.note(reading.atMs);
      if (turn.isOver()) await turn.next();
    }
    onPage?.({ deviceId, readings, lastAtMs });
  }
  replay.end(toMs);
  return gaps.end(deviceId);
}

/** Whether anything was measured then; values of before may stand for missing ones. */
function isMeasured({ atMs, report }: PastReading): boolean {
  return report.newestAtMs === atMs;
}

async function energyTables(
  { station, fromMs, toMs }: MonthPart & { readonly station: ZonedStation },
  grid: StepGrid,
  { energies }: CollectOptions,
): Promise<readonly SeriesTable[]> {
  if (energies === undefined) return [];
  const known = await energies.around(station, fromMs);
  return [energyTable({ ...station, fromMs, toMs }, grid, known)];
}
