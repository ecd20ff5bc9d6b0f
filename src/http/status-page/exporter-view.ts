import type { CollectorStatus, Status } from '../../status/status.ts';
import { formatDuration } from './format.ts';
import { html, type Markup, type Piece, span, table } from './markup.ts';

/** How a session of each mode is kept alive. */
const MODES = {
  account: 'account: refreshes its token, and logs in when that fails',
  refresh_token: 'refresh token: refreshes, but cannot log in',
  access_token: 'access token: cannot be renewed',
  none: 'no credentials',
};

/** Renders how the exporter itself fares: its sessions, its collectors, its requests. */
export function renderExporter(status: Status): Markup {
  const requests = status.requests.map(({ account, operation, outcome, count }) => {
    return [of(account, operation), renderOutcome(outcome), count];
  });
  return html`<h2>Exporter</h2>
${table('Sessions', ['Session', 'State', 'Token'], sessionRows(status))}
${table('Collectors', ['Collector', 'Station', 'Last round', 'Last success', 'Took'], collectorRows(status))}
${requests.length > 0 ? table('Requests to the service since the start', ['Operation', 'Outcome', 'Count'], requests) : html`<p>No request was made yet.</p>`}`;
}

function sessionRows(status: Status): Piece[][] {
  const { session: only, account: collectors, atMs } = status;
  const accounts = status.accounts ?? [{ account: undefined, session: only, collectors }];
  return accounts.map(({ account, session, collectors: rounds }) => {
    const failed = rounds.find(({ code }) => code !== 'ok');
    const { isReauthenticationRequired, blockedUntilMs = 0 } = session;
    const trouble = blockedUntilMs > atMs ? 'refused' : (failed?.code ?? 'ok');
    const state = isReauthenticationRequired ? 'needs new credentials' : trouble;
    const token = expiry(session.accessExpiresAtMs, atMs);
    return [of(account, MODES[session.mode]), renderOutcome(state), token];
  });
}

function expiry(expiresAtMs: number | undefined, atMs: number): string {
  if (expiresAtMs === undefined) return 'expiry unknown';
  return expiresAtMs > atMs
    ? `expires in ${formatDuration(expiresAtMs - atMs)}`
    : `expired ${formatDuration(atMs - expiresAtMs)} ago`;
}

/** A row for each collector of the accounts, and of each station. */
function collectorRows({ account: listings, stations, atMs }: Status): Piece[][] {
  const row = (outcome: CollectorStatus, place: Piece): Piece[] => {
    const { collector, code, lastSuccessAtMs: at, durationSeconds } = outcome;
    const success = at === undefined ? 'never' : `${formatDuration(atMs - at)} ago`;
    return [collector, place, renderOutcome(code), success, `${durationSeconds.toFixed(1)} s`];
  };
  const ofStations = stations.flatMap(({ account, stationId, name = stationId, collectors }) =>
    collectors.map((outcome) => row(outcome, of(account, name))),
  );
  return [...listings.map((outcome) => row(outcome, of(outcome.account, 'all'))), ...ofStations];
}

/** Names what is of an account, where there are several. */
function of(account: string | undefined, name: string): Markup {
  return html`<bdi>${account !== undefined && `${account}: `}${name}</bdi>`;
}

function renderOutcome(outcome: string): Markup {
  return span(outcome === 'ok' ? 'badge good' : 'badge bad', outcome);
}
