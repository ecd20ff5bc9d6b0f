import { formatDuration, formatRatio, formatWatts } from './format.js';
import { html } from './markup.js';

/** @import { DeviceStatus } from '../../status/status.ts' */

/** The portal has a new reading every five minutes; twice that is late. */
const LATE_MS = 600_000;

/**
 * One device of the table.
 *
 * @param {DeviceStatus} device
 * @param {number} atMs
 */
export function deviceRow(device, atMs) {
  const { deviceId, name, model, family, alarms, missingQuantities, workingMode } = device;
  const details = [model, family, workingMode].filter((text) => text !== undefined);
  return html`<tr data-device="${deviceId}">
    <th scope="row">
      ${name ?? deviceId}<small
        >${details.join(' · ')}${name !== undefined && html` <span class="id">${deviceId}</span>`}</small
      >
    </th>
    <td data-label="Reading">${readingAge(device, atMs)}</td>
    <td data-label="PV">${watts(device.pvPowerWatts)}</td>
    <td data-label="Load">${watts(device.loadPowerWatts)}</td>
    <td data-label="Battery">${battery(device)}</td>
    <td data-label="Missing">
      ${missingQuantities.map((quantity, index) => html`${index > 0 && ', '}<code>${quantity}</code>`)}${missingQuantities.length === 0 && 'none'}
    </td>
    <td data-label="Alarms">
      ${alarms.map(({ alarm, level }) => html`<span class="badge ${levelClass(level)}">${level}: ${alarm}</span> `)}${alarms.length === 0 && 'none'}
    </td>
  </tr>`;
}

/**
 * @param {DeviceStatus} device
 * @param {number} atMs
 */
function readingAge({ isReporting, isOnline, measuredAtMs }, atMs) {
  if (isReporting === undefined) return html`<span class="unknown">not read yet</span>`;
  const offline = isOnline === false ? ', offline' : '';
  if (measuredAtMs === undefined)
    return isReporting
      ? html`of unknown age${offline}`
      : html`<span class="badge bad">no reading${offline}</span>`;
  const ageMs = Math.max(0, atMs - measuredAtMs);
  const ago = html`<time datetime="${isoTime(measuredAtMs)}">${formatDuration(ageMs)} ago</time>`;
  if (!isReporting) return html`<span class="badge bad">no reading${offline}</span> last ${ago}`;
  return ageMs > LATE_MS ? html`<span class="old">${ago}${offline}</span>` : html`${ago}${offline}`;
}

/** @param {number | undefined} value */
function watts(value) {
  if (value === undefined) return html`<span class="unknown">no data</span>`;
  return html`<data value="${value}">${formatWatts(value)}</data>`;
}

/** @param {DeviceStatus} device */
function battery({ batteryPowerWatts, batterySocRatio }) {
  const soc =
    batterySocRatio !== undefined &&
    html`<data value="${batterySocRatio}">${formatRatio(batterySocRatio)}</data>`;
  if (batteryPowerWatts === undefined)
    return soc === false ? html`<span class="unknown">no data</span>` : soc;
  const power = html`<data value="${batteryPowerWatts}"
    >${formatWatts(Math.abs(batteryPowerWatts))}</data
  >`;
  const what = batteryPowerWatts > 0 ? 'discharging' : batteryPowerWatts < 0 ? 'charging' : 'idle';
  return html`${soc}${soc !== false && ', '}${what} ${power}`;
}

/** @param {string} level */
function levelClass(level) {
  if (level === 'critical') return 'bad';
  return level === 'warning' ? 'warn' : '';
}

/**
 * An instant for a machine; nothing for one that no calendar has.
 *
 * @param {number} atMs
 */
function isoTime(atMs) {
  const date = new Date(atMs);
  return Number.isNaN(date.getTime()) ? '' : date.toISOString();
}
