import { nextTurn } from '../../base/clock.ts';
import type { Status } from '../../status/status.ts';
import { deviceRow } from './device-view.js';
import type { Markup } from './markup.js';
import { areAlarmsKnown, renderStation } from './station-view.js';
import type { Parts } from './view.js';

/** As many as take about a millisecond. */
const DEVICES_PER_TURN = 50;

/** Renders the stations as a browser does, and lets other requests have their turn in between. */
export async function renderStationsInTurns({
  stations,
  atMs,
}: Pick<Status, 'stations' | 'atMs'>): Promise<Parts['stations']> {
  const rendered: Parts['stations'][number][] = [];
  for (const station of stations) {
    const rows: Markup[] = [];
    for (const device of station.devices) {
      if (rows.length % DEVICES_PER_TURN === 0) await nextTurn();
      rows.push(deviceRow(device, atMs, areAlarmsKnown(station)));
    }
    rendered.push({ stationId: station.stationId, markup: renderStation(station, atMs, rows) });
  }
  return rendered;
}
