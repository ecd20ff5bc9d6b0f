import type { AccountPageStatus, Status } from '../../status/status.ts';
import { formatInstant } from './format.ts';
import { html, joined, type Piece } from './markup.ts';

const HELP_WITH_FAMILIES =
  'https://github.com/solar-exporter/solar-exporter/blob/main/docs/families.md#an-unknown-family';
/** How many devices a notice names; a fleet may have hundreds of the same kind. */
const MOST_NAMES = 3;

/**
 * Renders what a person has to know or do first. It shows instants and no ages, because a screen reader reads it aloud
 * whenever it changes.
 */
export function renderNotices(status: Status): readonly Piece[] {
  const { session, account: collectors, accounts = [{ session, collectors }] } = status;
  return [
    status.areCredentialsIgnored &&
      html`<p class="notice"><strong>Your account is not used.</strong> The demo is running. Start <code>solar-exporter serve</code>; with <code>compose.yaml</code>, write <code>EXPORTER_COMMAND=serve</code> into <code>.env</code>.</p>`,
    ...accounts.map((account) => accountNotices(account, status)),
    undescribedNotice(status),
  ];
}

function accountNotices(
  account: Omit<AccountPageStatus, 'account' | 'isSimulated'> & { readonly account?: string },
  { stations, atMs }: Status,
): readonly Piece[] {
  const { session, collectors, account: name } = account;
  const { isReauthenticationRequired, blockedUntilMs = 0 } = session;
  const own = stations.filter((station) => station.account === name);
  const outcomes = [...collectors, ...own.flatMap((station) => station.collectors)];
  const of = name !== undefined && html`Account <bdi>${name}</bdi>: `;
  const failed = collectors.find(({ code }) => code !== 'ok')?.code;
  return [
    isReauthenticationRequired &&
      html`<p class="notice serious">${of}<strong>New credentials are needed.</strong> The service refuses the account or the token. Run <code>solar-exporter check</code>, and restart.</p>`,
    blockedUntilMs > atMs &&
      html`<p class="notice">${of}The service refused. So that the account does not get locked, the next attempt is not before <time>${formatInstant(blockedUntilMs)}</time>.</p>`,
    outcomes.some(({ code }) => code === 'SERVICE_BUDGET_USED_UP') &&
      html`<p class="notice serious">${of}<strong>The requests of the day are used up.</strong> Nothing is asked before midnight UTC. Reload after raising <code>--request.daily-budget</code>.</p>`,
    failed !== undefined &&
      (own.length > 0
        ? html`<p class="notice">${of}The list of stations could not be read again: <code>${failed}</code>. The stations known before are shown.</p>`
        : html`<p class="notice serious">${of}<strong>No station is known</strong>, because the list of stations could not be read: <code>${failed}</code>.</p>`),
    failed === undefined &&
      own.length === 0 &&
      (collectors.length > 0
        ? html`<p class="notice">${of}<strong>The account has no stations.</strong> It is asked again in minutes.</p>`
        : html`<p class="notice">${of}The service is being asked for the first time; this page fills by itself.</p>`),
  ];
}

/** Names the devices of which values are missing because nobody has described their family. */
function undescribedNotice({ stations }: Status): Piece {
  const names = stations
    .flatMap(({ devices }) => devices)
    .filter(({ family, missingQuantities }) => family === 'unknown' && missingQuantities.length > 0)
    .map(({ name, deviceId }) => html`<bdi>${name ?? deviceId}</bdi>`);
  if (names.length === 0) return undefined;
  const others = names.length - MOST_NAMES;
  return html`<p class="notice"><strong>Unknown inverter family:</strong> ${joined(names.slice(0, MOST_NAMES), ', ')}${others > 0 && ` and ${others} more`}. Values are missing, as nobody has described its keys yet. Run <code>solar-exporter devices --explain</code>: its output makes a dialect file, or an issue that helps everybody: <a href="${HELP_WITH_FAMILIES}">what to do</a>.</p>`;
}
