import { rankOf } from '../../status/problems.ts';
import type { DeviceStatus, FlowStatus, StationPageStatus } from '../../status/status.ts';
import { batteryCorner } from './flow.ts';
import {
  formatDuration,
  formatInstant,
  formatRatio,
  formatWatts,
  isoTime,
  zoneOf,
} from './format.ts';
import { html, joined, type Markup, type Piece, span, table } from './markup.ts';

/** So many devices of a station are on the page. */
export const MOST_DEVICES = 200;

/** Renders the table of the devices of a station. */
export function renderDevices(station: StationPageStatus, atMs: number): Markup {
  const { devices, collectors, isUp, problems } = station;
  const areAlarmsKnown = collectors.some((one) => one.collector === 'alarms' && one.isServed);
  const rank = (of: DeviceStatus) => rankOf(problems.find((one) => one.deviceId === of.deviceId));
  const troubledFirst = devices.toSorted((one, other) => rank(one) - rank(other));
  const first = troubledFirst.slice(0, MOST_DEVICES);
  const rows = first.map((device) => [
    renderName(device, zoneOf([station])),
    renderReading(device, atMs, isUp),
    renderWatts(device.pvPowerWatts),
    renderWatts(device.loadPowerWatts),
    renderBattery(device),
    renderMissing(device),
    renderAlarms(device, areAlarmsKnown),
  ]);
  const columns = ['Device', 'Reading', 'PV', 'Load', 'Battery', 'Missing', 'Alarms'];
  return table('Devices', columns, rows, devices.length);
}

function renderName(device: DeviceStatus, zone: string): Piece {
  const { deviceId, name, model, family, workingMode, unlistedSinceMs: sinceMs } = device;
  const details = [
    model !== undefined && html`<bdi>${model}</bdi>`,
    family === 'unknown' ? span('old', 'unknown family') : family,
    workingMode !== undefined && html`<bdi>mode ${workingMode}</bdi>`,
    name !== undefined && html`<bdi>${deviceId}</bdi>`,
  ];
  const known = html`<bdi>${name ?? deviceId}</bdi><small>${joined(details, ' · ')}</small>`;
  if (sinceMs === undefined) return known;
  const since = html`<time>${formatInstant(sinceMs, zone)}</time>`;
  return [known, ' ', span('badge warn', 'not listed any more since ', since)];
}

/** @param isUp - of its station: false where readings fail, and what was known may have been withdrawn since. */
function renderReading(device: DeviceStatus, atMs: number, isUp: boolean | undefined): Piece {
  const { isReporting, isOnline, measuredAtMs, lateAfterMs = Infinity, datedAheadMs } = device;
  if (isReporting === undefined && isUp !== false) return span('unknown', 'not read yet');
  const offline = isOnline === false && ', offline';
  const none = !isReporting && span('badge bad', 'no reading', offline);
  // The problems of the station say more.
  if (datedAheadMs !== undefined) return [none, ' dated ahead'];
  if (measuredAtMs === undefined) return none || ['of unknown age', offline];
  const ageMs = Math.max(0, atMs - measuredAtMs);
  const ago = html`<time datetime="${isoTime(measuredAtMs)}">${formatDuration(ageMs)} ago</time>`;
  if (none) return [none, ' last ', ago];
  return ageMs > lateAfterMs ? span('old', ago, offline) : [ago, offline];
}

function renderWatts(watts: number | undefined): Piece {
  if (watts === undefined) return span('unknown', 'no data');
  return html`<data value="${watts}">${formatWatts(watts)}</data>`;
}

function renderBattery(flow: FlowStatus): Piece {
  const { batteryPowerWatts: signed, batterySocRatio: ratio } = flow;
  if (signed === undefined && ratio === undefined) return renderWatts(undefined);
  const { what, watts = 0 } = batteryCorner(flow);
  const charge = ratio !== undefined && html`<data value="${ratio}">${formatRatio(ratio)}</data>`;
  const power = html`${what} <data value="${signed}">${formatWatts(watts)}</data>`;
  return joined([charge, signed !== undefined && power], ', ');
}

function renderMissing(device: DeviceStatus): Piece {
  const { missingQuantities, silentKeys = [], misread = [], family } = device;
  if (family === undefined) return span('unknown', 'not known');
  if (missingQuantities.length === 0 && misread.length === 0) return 'none';
  const quantities = missingQuantities.map((quantity) => html`<code>${quantity}</code>`);
  const silent = silentKeys.length > 0 && ` (without a value: ${silentKeys.join(', ')})`;
  const odd = misread.map(({ key, why }) => span('old', html`<code>${key}</code> ${why}`));
  return joined([quantities.length > 0 && [joined(quantities, ', '), silent], ...odd], '; ');
}

/** Those of a silent device may have been withdrawn with its readings. */
function renderAlarms({ alarms, isReporting = false }: DeviceStatus, areKnown: boolean): Piece {
  if (alarms.length === 0) return areKnown && isReporting ? 'none' : span('unknown', 'not known');
  return alarms.map(({ alarm, level }) => {
    const look = level === 'critical' ? 'bad' : level === 'warning' ? 'warn' : '';
    return [span(`badge ${look}`, html`<bdi>${level}</bdi>: <bdi>${alarm}</bdi>`), ' '];
  });
}
