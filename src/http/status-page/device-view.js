import { batteryAction } from './flow-corners.js';
import { formatDuration, formatInstant, formatRatio, formatWatts, isoTime } from './format.js';
import { html } from './markup.js';

/** @import { DeviceStatus } from '../../status/status.ts' */
/** @import { Markup } from './markup.js' */

/** The portal has a new reading every five minutes; after twice that time a reading is late. */
const LATE_MS = 600_000;

/**
 * Renders the table row of a device.
 *
 * @param {DeviceStatus} device
 * @param {number} atMs
 * @param {boolean} areAlarmsKnown whether the list of alarms could be read
 * @returns {Markup}
 */
export function deviceRow(device, atMs, areAlarmsKnown) {
  return html`<tr data-device="${device.deviceId}">
<th scope="row">${deviceName(device)}${unlisted(device)}</th>
<td data-label="Reading">${readingAge(device, atMs)}</td>
<td data-label="PV">${watts(device.pvPowerWatts)}</td>
<td data-label="Load">${watts(device.loadPowerWatts)}</td>
<td data-label="Battery">${battery(device)}</td>
<td data-label="Missing">${missing(device)}</td>
<td data-label="Alarms">${alarms(device, areAlarmsKnown)}</td>
</tr>`;
}

/** @param {DeviceStatus} device */
function deviceName({ deviceId, name, model, family, workingMode }) {
  const mode = workingMode && `mode ${workingMode}`;
  const details = [
    model !== undefined && html`<bdi>${model}</bdi>`,
    family === 'unknown' && html`<span class="old">unknown family</span>`,
    family !== undefined && family !== 'unknown' && html`${family}`,
    mode !== undefined && html`<bdi>${mode}</bdi>`,
    name !== undefined && html`<bdi>${deviceId}</bdi>`,
  ].filter((detail) => detail !== false);
  return html`<bdi>${name ?? deviceId}</bdi><small>${details.map(
    (detail, index) => html`${index > 0 && ' · '}${detail}`,
  )}</small>`;
}

/**
 * Says since when the device list has lacked the device.
 *
 * @param {DeviceStatus} device
 */
function unlisted({ unlistedSinceMs }) {
  if (unlistedSinceMs === undefined) return html``;
  const since = html`<time datetime="${isoTime(unlistedSinceMs)}">${formatInstant(unlistedSinceMs)}</time>`;
  return html` <span class="badge warn">not listed any more since ${since}</span>`;
}

/**
 * @param {DeviceStatus} device
 * @param {number} atMs
 */
function readingAge({ isReporting, isOnline, measuredAtMs }, atMs) {
  if (isReporting === undefined) return html`<span class="unknown">not read yet</span>`;
  const offline = isOnline === false ? ', offline' : '';
  const none = html`<span class="badge bad">no reading${offline}</span>`;
  if (measuredAtMs === undefined) return isReporting ? html`of unknown age${offline}` : none;
  const ageMs = Math.max(0, atMs - measuredAtMs);
  const ago = html`<time datetime="${isoTime(measuredAtMs)}">${formatDuration(ageMs)} ago</time>`;
  if (!isReporting) return html`${none} last ${ago}`;
  return ageMs > LATE_MS ? html`<span class="old">${ago}${offline}</span>` : html`${ago}${offline}`;
}

/** @param {DeviceStatus} device */
function missing({ missingQuantities, silentKeys = [], family }) {
  if (family === undefined) return html`<span class="unknown">not known</span>`;
  if (missingQuantities.length === 0) return html`none`;
  const silent = silentKeys.length > 0 && ` (without a value: ${silentKeys.join(', ')})`;
  return html`${missingQuantities.map(
    (quantity, index) => html`${index > 0 && ', '}<code>${quantity}</code>`,
  )}${silent}`;
}

/**
 * Renders the alarms; those of a silent device may have been withdrawn with its readings.
 *
 * @param {DeviceStatus} device
 * @param {boolean} areKnown
 */
function alarms({ alarms: firing, isReporting }, areKnown) {
  if (firing.length === 0)
    return areKnown && isReporting === true
      ? html`none`
      : html`<span class="unknown">not known</span>`;
  return html`${firing.map(
    ({ alarm, level }) =>
      html`<span class="badge ${levelClass(level)}"><bdi>${level}</bdi>: <bdi>${alarm}</bdi></span> `,
  )}`;
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
  const power = html`<data value="${batteryPowerWatts}">${formatWatts(Math.abs(batteryPowerWatts))}</data>`;
  const { what } = batteryAction(batteryPowerWatts);
  return html`${soc}${soc !== false && ', '}${what} ${power}`;
}

/** @param {string} level */
function levelClass(level) {
  if (level === 'critical') return 'bad';
  return level === 'warning' ? 'warn' : '';
}
