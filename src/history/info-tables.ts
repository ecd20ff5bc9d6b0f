import type { StationListing } from '../collectors/inventory/devices.ts';
import type { Device } from '../model/station.ts';
import { DEVICE_INFO, STATION_INFO } from './history-metrics.ts';
import type { ZonedStation } from './past-energies.ts';
import { SeriesTable, type Stretch } from './series-table.ts';

/** A device, and the table of its values. */
export interface DeviceTable {
  readonly device: Device;
  readonly table: SeriesTable;
}

/** Describes a station and its devices at every step at which there are values of them. */
export function infoTables(
  station: ZonedStation,
  devices: readonly DeviceTable[],
): readonly SeriesTable[] {
  const stretches = devices.map(({ table }) => joined(stretchesOf(table)));
  const labels = { station_id: station.stationId };
  const ofStation = new SeriesTable(labels);
  for (const stretch of joined(stretches.flat())) {
    ofStation.addRow(stretch);
    ofStation.fill(STATION_INFO, { station, devices: [] });
  }
  const ofDevices = devices.map(({ device }, index) => {
    const table = new SeriesTable(labels);
    const listing: StationListing = { station, devices: [device] };
    for (const stretch of stretches[index] ?? []) {
      table.addRow(stretch);
      table.fill(DEVICE_INFO, listing);
    }
    return table;
  });
  return [ofStation, ...ofDevices];
}

function stretchesOf(table: SeriesTable): readonly Stretch[] {
  return Array.from({ length: table.rowCount }, (_, index) => table.row(index));
}

/** Joins stretches that touch or overlap. */
function joined(stretches: readonly Stretch[]): readonly Stretch[] {
  const ascending = stretches
    .filter(({ steps }) => steps > 0)
    .toSorted((one, other) => one.firstStep - other.firstStep);
  const found: { firstStep: number; steps: number }[] = [];
  for (const { firstStep, steps } of ascending) {
    const last = found.at(-1);
    if (last === undefined || firstStep > last.firstStep + last.steps)
      found.push({ firstStep, steps });
    else last.steps = Math.max(last.steps, firstStep + steps - last.firstStep);
  }
  return found;
}
