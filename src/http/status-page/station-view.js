import { deviceRow } from './device-view.js';
import { describeFlow, drawFlow } from './flow-drawing.js';
import { formatKwh, formatRatio } from './format.js';
import { html } from './markup.js';

/** @import { StationPageStatus } from '../../status/status.ts' */

/**
 * One station: where its energy flows, today and this month, and its devices.
 *
 * @param {StationPageStatus} station
 * @param {number} atMs
 */
export function renderStation(station, atMs) {
  const { stationId, name = `Station ${stationId}`, timeZone, isUp, flow, devices } = station;
  const reporting = devices.filter(({ isReporting }) => isReporting === true).length;
  const isPartial = reporting < devices.length;
  return html`<article class="station" data-station="${stationId}">
    <header>
      <h2>${name}</h2>
      <p>
        ${
          isUp
            ? html`<span class="badge good">up</span>`
            : html`<span class="badge bad">not refreshed</span>`
        }
        <span class="${isPartial ? 'old' : ''}"
          >${reporting} of ${devices.length} devices reporting</span
        >${timeZone !== undefined && html` · ${timeZone}`} · id ${stationId}
      </p>
    </header>
    <figure>
      ${drawFlow(flow)}
      <figcaption>
        ${describeFlow(flow)}${
          isPartial && reporting > 0 && html` Devices that do not report are not in these sums.`
        }
      </figcaption>
    </figure>
    ${renderEnergy(station)}
    <table class="devices">
      <caption>
        Devices
      </caption>
      <thead>
        <tr>
          <th scope="col">Device</th>
          <th scope="col">Reading</th>
          <th scope="col">PV</th>
          <th scope="col">Load</th>
          <th scope="col">Battery</th>
          <th scope="col">Missing</th>
          <th scope="col">Alarms</th>
        </tr>
      </thead>
      <tbody>
        ${devices.map((device) => deviceRow(device, atMs))}
      </tbody>
    </table>
  </article>`;
}

/** @param {StationPageStatus} station */
function renderEnergy({ pvEnergyTodayKwh, month }) {
  return html`<dl class="figures">
    ${figure('Generated today', pvEnergyTodayKwh, formatKwh)}
    ${figure('Generated this month', month.pvGeneratedKwh, formatKwh)}
    ${figure('Consumed', month.consumptionKwh, formatKwh)}
    ${figure('Imported', month.gridImportKwh, formatKwh)}
    ${figure('Fed in', month.gridFeedInKwh, formatKwh)}
    ${figure('Generated ÷ consumed', month.solarRatio, formatRatio)}
  </dl>`;
}

/**
 * @param {string} label
 * @param {number | undefined} value
 * @param {(value: number) => string} format
 */
function figure(label, value, format) {
  return html`<div>
    <dt>${label}</dt>
    <dd>
      ${
        value === undefined
          ? html`<span class="unknown">no data</span>`
          : html`<data value="${value}">${format(value)}</data>`
      }
    </dd>
  </div>`;
}
