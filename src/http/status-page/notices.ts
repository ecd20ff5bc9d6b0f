import { REMEDIES } from '../../base/remedies.ts';
import { remedyOf } from '../../status/problems.ts';
import type { CollectorStatus, Status } from '../../status/status.ts';
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
export function renderNotices(status: Status, zone: string): readonly Piece[] {
  return [
    status.areCredentialsIgnored &&
      html`<p class="notice"><strong>Your account is not used.</strong> The demo is running. Start <code>solar-exporter serve</code>; with <code>compose.yaml</code>, write <code>EXPORTER_COMMAND=serve</code> into <code>.env</code>.</p>`,
    ...accountNotices(status, zone),
    undescribedNotice(status),
  ];
}

/** Says of the account what fails, why, and what to do: once of all that fails alike. */
function accountNotices(
  { session, account: collectors, stations, atMs }: Status,
  zone: string,
): readonly Piece[] {
  const { isReauthenticationRequired, blockedUntilMs = 0, mode } = session;
  const isBlocked = blockedUntilMs > atMs;
  const all = [...collectors, ...stations.flatMap((station) => station.collectors)];
  const failing: Failure[] = all.filter(({ code }) => code !== 'ok');
  if ((isReauthenticationRequired || isBlocked) && !failing.some(isRefusal))
    failing.push(mode.endsWith('_token') ? { ...REFUSED, remedy: NEW_TOKEN } : REFUSED);
  const kindOf = ({ code, remedy }: Failure): string => `${code} ${remedy}`;
  const shared = html`<p class="notice"><strong>Somebody else uses the account</strong>: the service ended our session long before its end, again and again. <strong>What to do:</strong> ${remedyOf('somebody else uses the account')}.</p>`;
  const notices = [...new Set(failing.map(kindOf))].map((kind) => {
    const alike = failing.filter((failure) => kindOf(failure) === kind);
    const [first = REFUSED] = alike;
    const { code, reason, remedy } = first;
    const worst =
      (isRefusal(first) && isReauthenticationRequired && 'New credentials are needed.') ||
      (stations.length === 0 && 'No station is known.');
    const names = new Set(alike.map(({ collector }) => collector));
    const wait = html` So that the account does not get locked, the next attempt is not before <time>${formatInstant(blockedUntilMs, zone)}</time>.`;
    return html`<p class="notice ${worst && 'serious'}"><strong>${worst || `Cannot be refreshed: ${[...names].join(', ')}.`}</strong> ${reason && html`<bdi>${reason}</bdi> `}(<code>${code}</code>). <strong>What to do:</strong> ${remedy}.${isRefusal(first) && isBlocked && wait}</p>`;
  });
  if (session.isShared) notices.unshift(shared);
  if (notices.length > 0 || stations.length > 0) return notices;
  const none = html`<strong>The account has no stations.</strong> It is asked again in minutes. <strong>What to do:</strong> ${remedyOf('no stations')}.`;
  const first = 'The service is being asked for the first time; this page fills by itself.';
  return [html`<p class="notice">${collectors.length > 0 ? none : first}</p>`];
}

type Failure = Pick<CollectorStatus, 'collector' | 'code' | 'reason' | 'remedy'>;

/** What a session says by itself of a refusal. */
const REFUSED: Failure = {
  collector: 'token',
  code: 'SERVICE_AUTH_REJECTED',
  remedy: REMEDIES.SERVICE_AUTH_REJECTED,
};
const NEW_TOKEN =
  'the token cannot be renewed: log in at the portal and put the new one in place of the old one';

function isRefusal({ code }: Failure): boolean {
  return code === REFUSED.code;
}

/** Names the devices of which values are missing because nobody has described their family. */
function undescribedNotice({ stations }: Status): Piece {
  const names = stations
    .flatMap(({ devices }) => devices)
    .filter(({ family, missingQuantities }) => family === 'unknown' && missingQuantities.length > 0)
    .map(({ name, deviceId }) => html`<bdi>${name ?? deviceId}</bdi>`);
  if (names.length === 0) return undefined;
  const others = names.length - MOST_NAMES;
  return html`<p class="notice"><strong>Unknown inverter family:</strong> ${joined(names.slice(0, MOST_NAMES), ', ')}${others > 0 && ` and ${others} more`}. Values are missing, as nobody has described its keys yet. Run <code>solar-exporter devices --explain --share</code>: its output makes a dialect file, or an issue that helps everybody: <a href="${HELP_WITH_FAMILIES}">what to do</a>.</p>`;
}
