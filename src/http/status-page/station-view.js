import { deviceRow } from './device-view.js';
import { describeFlow, drawFlow } from './flow-drawing.js';
import { formatKwh, formatRatio } from './format.js';
import { html } from './markup.js';

/** @import { StationPageStatus } from '../../status/status.ts' */
/** @import { Markup } from './markup.js' */

/**
 * The article of one station: where its energy flows, today and this month, and its devices.
 *
 * @param {StationPageStatus} station
 * @param {number} atMs
 * @returns {Markup}
 */
export function renderStation(station, atMs) {
  const { flow, devices } = station;
  const reporting = devices.filter(({ isReporting }) => isReporting === true).length;
  const isPartial = reporting < devices.length;
  return html`${renderHeading(station, reporting)}
<figure>
${drawFlow(flow)}
<figcaption aria-hidden="true">${describeFlow(flow)}</figcaption>
${isPartial && reporting > 0 && html`<p>Devices that do not report are not in these sums.</p>`}
</figure>
${renderEnergy(station)}
<table class="devices">
<caption>Devices</caption>
<thead><tr><th scope="col">Device</th><th scope="col">Reading</th><th scope="col">PV</th><th scope="col">Load</th><th scope="col">Battery</th><th scope="col">Missing</th><th scope="col">Alarms</th></tr></thead>
<tbody>${devices.map((device) => deviceRow(device, atMs))}</tbody>
</table>`;
}

/**
 * @param {StationPageStatus} station
 * @param {number} reporting
 */
function renderHeading({ stationId, name, timeZone, isUp, devices }, reporting) {
  const probe = new URLSearchParams({ target: stationId });
  const badge = isUp
    ? html`<span class="badge good">readings up to date</span>`
    : html`<span class="badge bad">readings not refreshed</span>`;
  return html`<header>
<h2><bdi>${name ?? `Station ${stationId}`}</bdi></h2>
<p>${badge} <span class="${reporting < devices.length ? 'old' : ''}">${reporting} of ${devices.length} devices reporting</span>${
    timeZone !== undefined && html` · ${timeZone}`
  } · id <bdi>${stationId}</bdi> · <a href="probe?${probe.toString()}" aria-label="Metrics of ${name ?? stationId}">its metrics</a></p>
</header>`;
}

/** @param {StationPageStatus} station */
function renderEnergy({ pvEnergyTodayKwh, month }) {
  return html`<dl class="figures">
${figure('Generated today', pvEnergyTodayKwh, formatKwh)}
${figure('Generated this month', month.pvGeneratedKwh, formatKwh)}
${figure('Consumed this month', month.consumptionKwh, formatKwh)}
${figure('Imported this month', month.gridImportKwh, formatKwh)}
${figure('Fed in this month', month.gridFeedInKwh, formatKwh)}
${figure('Solar share', month.solarRatio, formatRatio)}
</dl>`;
}

/**
 * @param {string} label
 * @param {number | undefined} value
 * @param {(value: number) => string} format
 */
function figure(label, value, format) {
  const text =
    value === undefined
      ? html`<span class="unknown">no data</span>`
      : html`<data value="${value}">${format(value)}</data>`;
  return html`<div><dt>${label}</dt><dd>${text}</dd></div>`;
}
