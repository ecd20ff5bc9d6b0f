import { formatInstant } from './format.js';
import { html } from './markup.js';

/** @import { Status } from '../../status/status.ts' */
/** @import { Markup } from './markup.js' */

/**
 * Renders what a person has to know or do first. It shows instants and no ages, because a screen reader
 * reads it aloud whenever it changes.
 *
 * @param {Status} status
 * @returns {Markup}
 */
export function renderNotices({ session, stations, account, atMs }) {
  const { isReauthenticationRequired, blockedUntilMs } = session;
  const isBlocked = blockedUntilMs !== undefined && blockedUntilMs > atMs;
  const failed = account.find(({ code }) => code !== 'ok');
  return html`${[
    isReauthenticationRequired &&
      html`<p class="notice serious"><strong>New credentials are needed.</strong> The service refuses the account or the token. Run <code>solar-exporter check</code>, and restart with the right ones.</p>`,
    isBlocked &&
      html`<p class="notice">The service refused. So that the account does not get locked, the next attempt is not before <time>${formatInstant(blockedUntilMs)}</time>.</p>`,
    stations.length === 0 && emptyNotice(failed?.code, account.length > 0),
    stations.length > 0 &&
      failed !== undefined &&
      html`<p class="notice">The list of stations could not be read again: <code>${failed.code}</code>. What is shown is of the stations known before.</p>`,
  ]}`;
}

/**
 * @param {string | undefined} code why the station list failed
 * @param {boolean} wasAsked
 */
function emptyNotice(code, wasAsked) {
  if (code !== undefined)
    return html`<p class="notice serious"><strong>No station is known</strong>, because the list of stations could not be read: <code>${code}</code>.</p>`;
  return wasAsked
    ? html`<p class="notice"><strong>The account has no stations.</strong> It is asked again within minutes.</p>`
    : html`<p class="notice">The service is being asked for the first time; this page fills by itself.</p>`;
}
