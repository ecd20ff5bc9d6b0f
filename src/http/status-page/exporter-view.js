import { formatDuration } from './format.js';
import { html } from './markup.js';

/** @import { AccountPageStatus, CollectorStatus, Status } from '../../status/status.ts' */
/** @import { Markup } from './markup.js' */

/** Describes how a session of each mode is kept alive. */
const MODES = {
  account: 'account: refreshes its token, and logs in when that fails',
  refresh_token: 'refresh token: refreshes, but cannot log in',
  access_token: 'access token: cannot be renewed',
  none: 'no credentials',
};

/**
 * Renders how the session is kept alive and when it expires; of several accounts, each in a row.
 *
 * @param {Status} status
 * @returns {Markup}
 */
export function renderSession({ session, accounts, atMs }) {
  if (accounts !== undefined) return renderAccounts(accounts, atMs);
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
 * @param {readonly AccountPageStatus[]} accounts
 * @param {number} atMs
 */
function renderAccounts(accounts, atMs) {
  return html`<table>
<caption>Accounts</caption>
<thead><tr><th scope="col">Account</th><th scope="col">State</th><th scope="col">Session</th><th scope="col">Token</th></tr></thead>
<tbody>${accounts.map(
    (one) => html`<tr>
<th scope="row"><bdi>${one.account}</bdi></th>
<td data-label="State">${accountBadge(one, atMs)}</td>
<td data-label="Session">${MODES[one.session.mode]}</td>
<td data-label="Token">${expiry(one.session.accessExpiresAtMs, atMs)}</td>
</tr>`,
  )}</tbody>
</table>`;
}

/**
 * @param {AccountPageStatus} account
 * @param {number} atMs
 */
function accountBadge({ session, collectors }, atMs) {
  const { isReauthenticationRequired, blockedUntilMs } = session;
  if (isReauthenticationRequired) return html`<span class="badge bad">needs new credentials</span>`;
  if (blockedUntilMs !== undefined && blockedUntilMs > atMs)
    return html`<span class="badge bad">refused</span>`;
  return outcomeBadge(collectors.find(({ code }) => code !== 'ok')?.code ?? 'ok');
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
 * Renders a row for each collector of the account and of each station, one after the other.
 *
 * @param {Status} status
 * @returns {Generator<Markup>}
 */
export function* collectorRows({ account, stations, atMs }) {
  for (const outcome of account) yield collectorRow(outcome, of(outcome.account, 'all'), atMs);
  for (const { account: owner, stationId, name, collectors } of stations)
    for (const outcome of collectors)
      yield collectorRow(outcome, of(owner, name ?? stationId), atMs);
}

/**
 * Names what is of an account, where there are several.
 *
 * @param {string | undefined} account
 * @param {string} name
 */
function of(account, name) {
  return account === undefined ? name : `${account}: ${name}`;
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
    ({ account, operation, outcome, count }) => html`<tr>
<th scope="row">${of(account, operation)}</th>
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
