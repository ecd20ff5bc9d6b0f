import type { Status } from '../../status/status.ts';
import { formatDuration } from './format.ts';
import { html, type Markup, type Piece, span, table } from './markup.ts';

/** So many rounds of collectors are listed. */
const MOST_ROUNDS = 100;

/** How a session of each mode is kept alive. */
const MODES = {
  account: 'account: refreshes its token, and logs in when that fails',
  refresh_token: 'refresh token: refreshes, but cannot log in',
  access_token: 'access token: cannot be renewed',
  none: 'no credentials',
};

/** Renders how the exporter itself fares: its session, its collectors, its requests. */
export function renderExporter(status: Status): Markup {
  const { session, atMs } = status;
  const requests = status.requests.map(({ operation, outcome, count }) => [
    ...[operation, renderOutcome(outcome), count],
  ]);
  return html`<h2>Exporter</h2>
${table('Session', ['Session', 'Token'], [[MODES[session.mode], renderToken(session, atMs)]])}
${renderRounds(status)}
${table('Requests to the service since the start', ['Operation', 'Outcome', 'Count'], requests)}`;
}

function renderToken(session: Status['session'], atMs: number): Piece {
  const { accessExpiresAtMs: expiresAtMs } = session;
  if (session.isReauthenticationRequired) return renderOutcome('refused');
  if (expiresAtMs === undefined) return 'expiry unknown';
  return expiresAtMs > atMs
    ? `expires in ${formatDuration(expiresAtMs - atMs)}`
    : `expired ${formatDuration(atMs - expiresAtMs)} ago`;
}

/** Renders a row for each collector of the account and of each station; of many, those that fail. */
function renderRounds({ account: listings, stations, atMs }: Status): Markup {
  const all = [
    ...listings.map((round) => ({ round, place: html`all` })),
    ...stations.flatMap(({ stationId, name = stationId, collectors }) =>
      collectors.map((round) => ({ round, place: html`<bdi>${name}</bdi>` })),
    ),
  ];
  const isLong = all.length > MOST_ROUNDS;
  const listed = isLong ? all.filter(({ round }) => round.code !== 'ok') : all;
  const rows = listed.slice(0, MOST_ROUNDS).map(({ round, place }) => {
    const { collector, code, lastSuccessAtMs: at, durationSeconds } = round;
    const success = at === undefined ? 'never' : `${formatDuration(atMs - at)} ago`;
    return [collector, place, renderOutcome(code), success, `${durationSeconds.toFixed(1)} s`];
  });
  const columns = ['Collector', 'Station', 'Last round', 'Last success', 'Took'];
  return table(`Collectors${isLong ? ' that fail' : ''}`, columns, rows, listed.length);
}

function renderOutcome(outcome: string): Markup {
  return span(outcome === 'ok' ? 'badge good' : 'badge bad', outcome);
}
