import { formatDuration } from './format.js';
import { html } from './markup.js';

/** @import { CollectorStatus, Status } from '../../status/status.ts' */
/** @import { Markup } from './markup.js' */

/** Describes how a session of each mode is kept alive. */
const MODES = {
  account: 'account: refreshes its token, and logs in when that fails',
  refresh_token: 'refresh token: refreshes, but cannot log in',
  access_token: 'access token: cannot be renewed',
  none: 'no credentials',
};

/**
 * Renders how the session is kept alive and when it expires.
 *
 * @param {Status} status
 * @returns {Markup}
 */
export function renderSession({ session, atMs }) {
  const { mode, accessExpiresAtMs, isReauthenticationRequired } = session;
  const credentials = isReauthenticationRequired
    ? html`<span class="badge bad">needed</span>`
    : html`not needed`;
  return html`<dl class="session">
<div><dt>Session</dt><dd>${MODES[mode]}</dd></div>
<div><dt>Token</dt><dd>${expiry(accessExpiresAtMs, atMs)}</dd></div>
<div><dt>New credentials</dt><dd>${credentials}</dd></div>
</dl>`;
}

/**
 * @param {number | undefined} expiresAtMs
 * @param {number} atMs
 */
function expiry(expiresAtMs, atMs) {
  if (expiresAtMs === undefined) return 'expiry unknown';
  return expiresAtMs > atMs
    ? `expires in ${formatDuration(expiresAtMs - atMs)}`
    : `expired ${formatDuration(atMs - expiresAtMs)} ago`;
}

/**
 * Renders a row for each collector of the account and of each station.
 *
 * @param {Status} status
 * @returns {readonly Markup[]}
 */
export function collectorRows({ account, stations, atMs }) {
  return [
    ...account.map((outcome) => collectorRow(outcome, 'all', atMs)),
    ...stations.flatMap(({ stationId, name, collectors }) =>
      collectors.map((outcome) => collectorRow(outcome, name ?? stationId, atMs)),
    ),
  ];
}

/**
 * @param {CollectorStatus} outcome
 * @param {string} station
 * @param {number} atMs
 */
function collectorRow({ collector, code, durationSeconds, lastSuccessAtMs }, station, atMs) {
  const ago =
    lastSuccessAtMs === undefined ? 'never' : `${formatDuration(atMs - lastSuccessAtMs)} ago`;
  return html`<tr>
<th scope="row">${collector}</th>
<td data-label="Station"><bdi>${station}</bdi></td>
<td data-label="Last round">${outcomeBadge(code)}</td>
<td data-label="Last success">${ago}</td>
<td data-label="Took">${durationSeconds.toFixed(1)} s</td>
</tr>`;
}

/**
 * @param {Status['requests']} requests
 * @returns {Markup}
 */
export function renderRequests(requests) {
  if (requests.length === 0) return html`<p>No request was made yet.</p>`;
  return html`<table>
<caption>Requests to the service since the start</caption>
<thead><tr><th scope="col">Operation</th><th scope="col">Outcome</th><th scope="col">Count</th></tr></thead>
<tbody>${requests.map(
    ({ operation, outcome, count }) => html`<tr>
<th scope="row">${operation}</th>
<td data-label="Outcome">${outcomeBadge(outcome)}</td>
<td data-label="Count">${count}</td>
</tr>`,
  )}</tbody>
</table>`;
}

/** @param {string} outcome */
function outcomeBadge(outcome) {
  return html`<span class="badge ${outcome === 'ok' ? 'good' : 'bad'}">${outcome}</span>`;
}
