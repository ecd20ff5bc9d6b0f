import { rankOf } from '../../status/problems.ts';
import type { DeviceStatus, FlowStatus, Problem, StationPageStatus } from '../../status/status.ts';
import { batteryCorner } from './flow.ts';
import { formatDuration, formatRatio, formatWatts, isoTime } from './format.ts';
import { html, joined, type Markup, type Piece, span, table } from './markup.ts';
import { renderBadge } from './overview.ts';

/** So many devices of a station are on the page. */
export const MOST_DEVICES = 200;

/** Renders the table of the devices of a station, those in trouble first. */
export function renderDevices(station: StationPageStatus, atMs: number): Markup {
  const { devices } = station;
  const problems = new Map<string, Problem[]>(devices.map(({ deviceId }) => [deviceId, []]));
  for (const problem of station.problems) problems.get(problem.deviceId ?? '')?.push(problem);
  const problemsOf = ({ deviceId }: DeviceStatus) => problems.get(deviceId) ?? [];
  const rank = (of: DeviceStatus) => rankOf(problemsOf(of)[0]);
  const troubledFirst = devices.toSorted((one, other) => rank(one) - rank(other));
  const rows = troubledFirst
    .slice(0, MOST_DEVICES)
    .map((device) => [
      renderName(device),
      renderReading(device, atMs),
      renderWatts(device.pvPowerWatts),
      renderWatts(device.loadPowerWatts),
      renderBattery(device),
      renderMissing(device),
      renderProblems(problemsOf(device)),
    ]);
  const columns = ['Device', 'Reading', 'PV', 'Load', 'Battery', 'Missing', 'Problems'];
  return table('Devices', columns, rows, devices.length);
}

function renderProblems(problems: readonly Problem[]): Piece {
  const badges = problems.map(({ level, what }) => renderBadge(level, what));
  return badges.length === 0 ? 'none known' : joined(badges, ' ');
}

function renderName({ deviceId, name, model, family, workingMode }: DeviceStatus): Piece {
  const details = [
    model !== undefined && html`<bdi>${model}</bdi>`,
    family === 'unknown' ? 'unknown family' : family,
    workingMode !== undefined && html`<bdi>mode ${workingMode}</bdi>`,
    name !== undefined && html`<bdi>${deviceId}</bdi>`,
  ];
  return html`<bdi>${name ?? deviceId}</bdi><small>${joined(details, ' · ')}</small>`;
}

/** Says how old the newest reading is; what is wrong with it is a problem of the device. */
function renderReading(device: DeviceStatus, atMs: number): Piece {
  const { isReporting = false, isOnline, measuredAtMs, lateAfterMs = Infinity } = device;
  const offline = isOnline === false && ', offline';
  if (measuredAtMs === undefined || device.datedAheadMs !== undefined)
    return isReporting ? ['of unknown age', offline] : span('unknown', 'none', offline);
  const ageMs = Math.max(0, atMs - measuredAtMs);
  const ago = html`<time datetime="${isoTime(measuredAtMs)}">${formatDuration(ageMs)} ago</time>`;
  return isReporting && ageMs <= lateAfterMs ? [ago, offline] : span('old', ago, offline);
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
