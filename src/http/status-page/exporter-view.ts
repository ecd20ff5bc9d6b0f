import type { Status } from '../../status/status.ts';
import { formatDuration } from './format.ts';
import { firstOf, html, type Markup, span, table } from './markup.ts';

/** So many rounds of collectors are listed. */
const MOST_ROUNDS = 100;

/** How a session of each mode is kept alive. */
const MODES = {
  account: 'account: refreshes its token, and logs in when that fails',
  refresh_token: 'refresh token: refreshes, but cannot log in',
  access_token: 'access token: cannot be renewed',
  none: 'no credentials',
};

/** Renders how the exporter itself fares: its sessions, its collectors, its requests. */
export function renderExporter(status: Status): Markup {
  const { session: only, accounts = [{ session: only, account: undefined }], atMs } = status;
  const sessions = accounts.map(({ account, session: { mode, accessExpiresAtMs } }) => {
    return [of(account, MODES[mode]), expiry(accessExpiresAtMs, atMs)];
  });
  const requests = status.requests.map(({ account, operation, outcome, count }) => {
    return [of(account, operation), renderOutcome(outcome), count];
  });
  return html`<h2>Exporter</h2>
${table('Sessions', ['Session', 'Token'], sessions)}
${renderRounds(status)}
${requests.length > 0 ? table('Requests to the service since the start', ['Operation', 'Outcome', 'Count'], requests) : html`<p>No request was made yet.</p>`}`;
}

function expiry(expiresAtMs: number | undefined, atMs: number): string {
  if (expiresAtMs === undefined) return 'expiry unknown';
  return expiresAtMs > atMs
    ? `expires in ${formatDuration(expiresAtMs - atMs)}`
    : `expired ${formatDuration(atMs - expiresAtMs)} ago`;
}

/** Renders a row for each collector of the accounts and of each station; of many, those that fail. */
function renderRounds({ account: listings, stations, atMs }: Status): Markup {
  const all = [
    ...listings.map((round) => ({ round, place: of(round.account, 'all') })),
    ...stations.flatMap(({ account, stationId, name = stationId, collectors }) =>
      collectors.map((round) => ({ round, place: of(account, name) })),
    ),
  ];
  const isLong = all.length > MOST_ROUNDS;
  const listed = isLong ? all.filter(({ round }) => round.code !== 'ok') : all;
  const [caption, first] = firstOf(`Collectors${isLong ? ' that fail' : ''}`, listed, MOST_ROUNDS);
  const rows = first.map(({ round, place }) => {
    const { collector, code, lastSuccessAtMs: at, durationSeconds } = round;
    const success = at === undefined ? 'never' : `${formatDuration(atMs - at)} ago`;
    return [collector, place, renderOutcome(code), success, `${durationSeconds.toFixed(1)} s`];
  });
  return table(caption, ['Collector', 'Station', 'Last round', 'Last success', 'Took'], rows);
}

/** Names what is of an account, where there are several. */
function of(account: string | undefined, name: string): Markup {
  return html`<bdi>${account !== undefined && `${account}: `}${name}</bdi>`;
}

function renderOutcome(outcome: string): Markup {
  return span(outcome === 'ok' ? 'badge good' : 'badge bad', outcome);
}
