import { collectorRows, renderRequests, renderSession } from './exporter-view.js';
import { formatInstant } from './format.js';
import { html } from './markup.js';
import { renderNotices } from './notices.js';
import { renderStation } from './station-view.js';

/** @import { Status } from '../../status/status.ts' */
/** @import { Markup } from './markup.js' */

/**
 * The parts of the page that change: the stations as a list, the others by the id of their element.
 *
 * @typedef {object} Parts
 * @property {Markup} simulated
 * @property {Markup} notices
 * @property {Markup} as-of
 * @property {readonly { readonly stationId: string, readonly markup: Markup }[]} stations
 * @property {Markup} exporter
 */

/**
 * Renders the page's parts. The server puts them into the first page, the browser renders them again
 * from every later status.
 *
 * @param {Status} status
 * @param {Markup} [later] holds the place of the rows of the collectors where they, and the stations, are
 *   rendered apart
 * @returns {Parts}
 */
export function renderParts(status, later) {
  return {
    simulated: html`${status.isSimulated && html`<strong>Simulated:</strong> no value is of a real inverter.`}`,
    notices: renderNotices(status),
    'as-of': html`As of <time>${formatInstant(status.atMs)}</time>`,
    stations:
      later !== undefined
        ? []
        : status.stations.map((station) => ({
            stationId: station.stationId,
            markup: renderStation(station, status.atMs),
          })),
    exporter: html`<h2>Exporter</h2>
${renderSession(status)}
<table>
<caption>Collectors</caption>
<thead><tr><th scope="col">Collector</th><th scope="col">Station</th><th scope="col">Last round</th><th scope="col">Last success</th><th scope="col">Took</th></tr></thead>
<tbody>${later ?? [...collectorRows(status)]}</tbody>
</table>
${renderRequests(status.requests)}`,
  };
}

/**
 * Renders the articles of all stations.
 *
 * @param {Parts['stations']} stations
 * @returns {Markup}
 */
export function renderArticles(stations) {
  return html`${stations.map(
    ({ stationId, markup }) =>
      html`<article class="station" data-station="${stationId}">${markup}</article>\n`,
  )}`;
}
