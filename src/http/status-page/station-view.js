import { deviceRow } from './device-view.js';
import { drawDay } from './day-curve.js';
import { renderEnergy } from './energy-table.js';
import { drawFlow } from './flow-drawing.js';
import { html } from './markup.js';

/** @import { StationPageStatus } from '../../status/status.ts' */
/** @import { Markup } from './markup.js' */

/**
 * Renders the article of one station: its flow of energy, its energy by period, its devices.
 *
 * @param {StationPageStatus} station
 * @param {number} atMs
 * @param {readonly Markup[]} [rows] the rows of its devices, where they are rendered already
 * @returns {Markup}
 */
export function renderStation(station, atMs, rows) {
  const { flow, devices, energy } = station;
  const isSaidByService = energy.today.pvGeneratedKwh !== undefined;
  const partial = station.partial
    // The page draws import and feed-in, and not their net.
    .filter((name) => name !== 'gridPowerWatts')
    // What the service says of today is no sum over the devices.
    .filter((name) => name !== 'pvEnergyTodayKwh' || !isSaidByService);
  const batteries = devices.filter(({ batterySocRatio }) => batterySocRatio !== undefined).length;
  return html`${renderHeading(station)}
<figure>
${drawFlow(flow, batteries)}
${partial.length > 0 && html`<p class="old">Not every device says its ${partial.map((name, index) => html`${index > 0 && ', '}${SUM_NAMES[name]}`)}.</p>`}
</figure>
${drawDay(station, atMs)}
${renderEnergy(station)}
<table class="devices">
<caption>Devices</caption>
<thead><tr><th scope="col">Device</th><th scope="col">Reading</th><th scope="col">PV</th><th scope="col">Load</th><th scope="col">Battery</th><th scope="col">Missing</th><th scope="col">Alarms</th></tr></thead>
<tbody>${rows ?? station.devices.map((device) => deviceRow(device, atMs, areAlarmsKnown(station)))}</tbody>
</table>`;
}

/**
 * Whether the alarms of a station are known.
 *
 * @param {StationPageStatus} station
 */
export function areAlarmsKnown({ collectors }) {
  return collectors.some(({ collector, isServed }) => collector === 'alarms' && isServed);
}

/** The sums in the words of their metrics. */
export const SUM_NAMES = {
  pvPowerWatts: 'PV power',
  loadPowerWatts: 'load power',
  gridImportPowerWatts: 'grid import power',
  gridFeedInPowerWatts: 'grid feed-in power',
  batteryPowerWatts: 'battery power',
  batterySocRatio: 'battery SOC',
  pvEnergyTodayKwh: 'PV energy today',
};

/** @param {StationPageStatus} station */
function renderHeading({ account, stationId, name, timeZone, isUp, devices }) {
  const reporting = devices.filter(({ isReporting }) => isReporting === true).length;
  const probe = new URLSearchParams({
    target: stationId,
    ...(account !== undefined && { account }),
  });
  return html`<header>
<h2><bdi>${name ?? `Station ${stationId}`}</bdi></h2>
<p>${stationBadge(isUp, reporting === devices.length)} <span class="${reporting < devices.length ? 'old' : ''}">${reporting} of ${devices.length} devices reporting</span>${
    timeZone !== undefined && html` · <bdi>${timeZone}</bdi>`
  }${account !== undefined && html` · account <bdi>${account}</bdi>`} · id <bdi>${stationId}</bdi> · <a href="probe?${probe.toString()}" aria-label="Metrics of ${name ?? stationId}">its metrics</a></p>
</header>`;
}

/**
 * @param {boolean | undefined} isUp
 * @param {boolean} areAllReporting
 */
function stationBadge(isUp, areAllReporting) {
  if (isUp === undefined) return html`<span class="badge warn">readings not asked for yet</span>`;
  if (!isUp) return html`<span class="badge bad">readings not refreshed</span>`;
  return areAllReporting
    ? html`<span class="badge good">readings up to date</span>`
    : html`<span class="badge warn">readings refreshed</span>`;
}
