import { sumOf } from '../../model/units.ts';
import { allProblems, conditionOf, rankOf, wordsOf } from '../../status/problems.ts';
import type { FlowStatus, StationPageStatus, Status } from '../../status/status.ts';
import { flowWords } from './flow.ts';
import { html, joined, type Markup, type Piece, span } from './markup.ts';

const LOOKS = { critical: 'bad', warning: 'warn', info: 'warn', good: 'good' };
/** So many problems of a station are named. */
const MOST_NAMED = 3;

/** Says what is wrong, or that all is well, and what flows at these stations together. */
export function renderCondition(status: Status): Markup {
  const problems = allProblems(status);
  const [worst] = problems;
  const missing = sumOf(status.stations.map(({ devicesMissing }) => devicesMissing));
  const lack = missing > 0 && `devices missing: ${missing}`;
  const facts = [...flowWords(totalOf(status.stations)), lack];
  return html`<p id="condition" class="${LOOKS[worst?.level ?? 'good']}"><strong><bdi>${conditionOf(problems)}</bdi></strong>${facts.some(Boolean) && ' · '}${joined(facts, ', ')}</p>`;
}

/** Adds up what several stations say; of one, it is that. */
function totalOf(stations: readonly StationPageStatus[]): FlowStatus {
  const total: { -readonly [Name in keyof FlowStatus]: number } = {};
  for (const { flow } of stations)
    for (const [name, value] of Object.entries(flow) as [keyof FlowStatus, number][])
      total[name] = (total[name] ?? 0) + value;
  const charged = stations.filter(({ flow }) => flow.batterySocRatio !== undefined).length;
  if (total.batterySocRatio !== undefined) total.batterySocRatio /= charged;
  return total;
}

/** Renders in a few words how something is. */
export function renderBadge(look: keyof typeof LOOKS, words: string): Markup {
  return span(`badge ${LOOKS[look]}`, html`<bdi>${words}</bdi>`);
}

/** Renders what is wrong with a station as badges, which name only its devices. */
export function renderState({ problems }: StationPageStatus): Piece {
  const badges = problems
    .slice(0, MOST_NAMED)
    .map((one) => renderBadge(one.level, one.deviceId === undefined ? one.what : wordsOf(one)));
  const others = problems.length - badges.length;
  if (badges.length === 0) return renderBadge('good', conditionOf([]));
  return joined([...badges, others > 0 && `and ${others} more`], ' ');
}

/** Returns what identifies a station in addresses, as `/probe` and the page take it. */
export function addressOf({ stationId }: StationPageStatus): string {
  return new URLSearchParams({ target: stationId }).toString();
}

/** Returns the stations in trouble first. */
export function troubledFirst(stations: readonly StationPageStatus[]): StationPageStatus[] {
  return stations.toSorted((one, other) => rankOf(one.problems[0]) - rankOf(other.problems[0]));
}

/** Lists stations, each with a link to a page of its own. */
export function renderOverview(stations: readonly StationPageStatus[]): Markup {
  const lines = stations.map((station) => {
    const { stationId, name = stationId } = station;
    return html`<li><a href="?${addressOf(station)}"><bdi>${name}</bdi></a> ${renderState(station)}</li>\n`;
  });
  return html`<ul id="overview">${lines}</ul>`;
}
