import { collectorRows, renderRequests, renderSession } from './exporter-view.js';
import { html } from './markup.js';
import { renderNotices } from './notices.js';
import { renderStation } from './station-view.js';

/** @import { Status } from '../../status/status.ts' */
/** @import { Markup } from './markup.js' */

/**
 * Renders the parts of the page that change, by the id of the element that holds them. The server
 * renders them into the first page, the browser again from every later status.
 *
 * @param {Status} status
 * @returns {Readonly<Record<'notices' | 'stations' | 'exporter', Markup>>}
 */
export function renderParts(status) {
  return {
    notices: renderNotices(status),
    stations: html`${status.stations.map((station) => renderStation(station, status.atMs))}`,
    exporter: html`<h2>Exporter</h2>
      ${renderSession(status)}
      <table>
        <caption>
          Collectors
        </caption>
        <thead>
          <tr>
            <th scope="col">Collector</th>
            <th scope="col">Station</th>
            <th scope="col">Last round</th>
            <th scope="col">Last success</th>
            <th scope="col">Took</th>
          </tr>
        </thead>
        <tbody>
          ${collectorRows(status)}
        </tbody>
      </table>
      ${renderRequests(status.requests)}`,
  };
}
