import { formatInstant } from './format.js';
import { html } from './markup.js';

/** @import { CollectorStatus, DeviceStatus, Status } from '../../status/status.ts' */
/** @import { Markup } from './markup.js' */

const HELP_WITH_FAMILIES =
  'https://github.com/solar-exporter/solar-exporter/blob/main/docs/families.md#an-unknown-family';
/** How many devices a notice names; a fleet may have hundreds of the same kind. */
const MOST_NAMES = 3;

/**
 * Renders what a person has to know or do first. It shows instants and no ages, because a screen reader
 * reads it aloud whenever it changes.
 *
 * @param {Status} status
 * @returns {Markup}
 */
export function renderNotices(status) {
  const { session, stations, account, accounts, atMs, areCredentialsIgnored } = status;
  const asked = accounts ?? [{ session, collectors: account }];
  const undescribed = stations.flatMap(({ devices }) => devices.filter(isUndescribed));
  return html`${[
    areCredentialsIgnored &&
      html`<p class="notice"><strong>Your account is not used.</strong> The demo is running. Start <code>solar-exporter serve</code>; with <code>compose.yaml</code>, write <code>EXPORTER_COMMAND=serve</code> into <code>.env</code>.</p>`,
    ...asked.map((one) => accountNotices(one, stations, atMs)),
    undescribed.length > 0 && undescribedNotice(undescribed),
  ]}`;
}

/**
 * @param {{ account?: string, session: Status['session'], collectors: readonly CollectorStatus[] }} account
 * @param {Status['stations']} stations
 * @param {number} atMs
 */
function accountNotices({ account, session, collectors }, stations, atMs) {
  const { isReauthenticationRequired, blockedUntilMs } = session;
  const isBlocked = blockedUntilMs !== undefined && blockedUntilMs > atMs;
  const failed = collectors.find(({ code }) => code !== 'ok');
  const own = stations.filter((station) => station.account === account);
  const outcomes = [...collectors, ...own.flatMap((station) => station.collectors)];
  const isBudgetUsedUp = outcomes.some(({ code }) => code === 'SERVICE_BUDGET_USED_UP');
  const of = account !== undefined && html`Account <bdi>${account}</bdi>: `;
  return html`${[
    isReauthenticationRequired &&
      html`<p class="notice serious">${of}<strong>New credentials are needed.</strong> The service refuses the account or the token. Run <code>solar-exporter check</code>, and restart.</p>`,
    isBlocked &&
      html`<p class="notice">${of}The service refused. So that the account does not get locked, the next attempt is not before <time>${formatInstant(blockedUntilMs)}</time>.</p>`,
    isBudgetUsedUp &&
      html`<p class="notice serious">${of}<strong>The requests of the day are used up.</strong> Nothing is asked before midnight UTC. Reload after raising <code>--request.daily-budget</code>.</p>`,
    own.length === 0 && emptyNotice(of, failed?.code, collectors.length > 0),
    own.length > 0 &&
      failed !== undefined &&
      html`<p class="notice">${of}The list of stations could not be read again: <code>${failed.code}</code>. The stations known before are shown.</p>`,
  ]}`;
}

/**
 * Whether values of a device are missing because nobody has described its family.
 *
 * @param {DeviceStatus} device
 */
function isUndescribed({ family, missingQuantities }) {
  return family === 'unknown' && missingQuantities.length > 0;
}

/** @param {readonly DeviceStatus[]} devices */
function undescribedNotice(devices) {
  const named = devices.slice(0, MOST_NAMES);
  const others = devices.length - named.length;
  return html`<p class="notice"><strong>Unknown inverter family:</strong> ${named.map(
    ({ name, deviceId }, index) => html`${index > 0 && ', '}<bdi>${name ?? deviceId}</bdi>`,
  )}${others > 0 && ` and ${others} more`}. Values are missing, as nobody has described its keys yet. Run <code>solar-exporter devices --explain</code>: its output makes a dialect file, or an issue that helps everybody: <a href="${HELP_WITH_FAMILIES}">what to do</a>.</p>`;
}

/**
 * @param {Markup | false} of
 * @param {string | undefined} code why the station list failed
 * @param {boolean} wasAsked
 */
function emptyNotice(of, code, wasAsked) {
  if (code !== undefined)
    return html`<p class="notice serious">${of}<strong>No station is known</strong>, because the list of stations could not be read: <code>${code}</code>.</p>`;
  return wasAsked
    ? html`<p class="notice">${of}<strong>The account has no stations.</strong> It is asked again in minutes.</p>`
    : html`<p class="notice">${of}The service is being asked for the first time; this page fills by itself.</p>`;
}
