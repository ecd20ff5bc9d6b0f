import { greatestOf, leastOf } from '../../model/units.ts';
import { hourOf, pointsOf } from './day-points.js';
import { formatRatio, formatWatts } from './format.js';
import { html } from './markup.js';

/** @import { CurveStatus, StationPageStatus } from '../../status/status.ts' */
/** @import { Point } from './day-points.js' */
/** @import { Markup } from './markup.js' */
/** @typedef {(point: Point) => number | undefined} Read */

/** The drawing in its own units: where an hour and a watt are. */
const LEFT = 56;
const HOUR_WIDTH = 18;
const [TOP, BOTTOM] = [20, 140];
const [FULL, EMPTY] = [158, 192];

/** The lines, those behind first. @type {readonly { kind: string, label: string, read: Read }[]} */
const LINES = [
  { kind: 'sun', label: 'PV', read: ({ pvPowerWatts }) => pvPowerWatts },
  {
    kind: 'battery',
    label: 'battery (− charging)',
    read: ({ batteryPowerWatts }) => batteryPowerWatts,
  },
  { kind: 'grid', label: 'grid (− feeding in)', read: gridOf },
  { kind: 'house', label: 'house', read: ({ loadPowerWatts }) => loadPowerWatts },
];

/**
 * Draws what flowed at a station since midnight, and how full its battery was; nothing where nothing is known.
 *
 * @param {StationPageStatus} station
 * @param {number} atMs
 */
export function drawDay(station, atMs) {
  const { curve } = station;
  if (curve === undefined) return false;
  const points = pointsOf(curve, station, atMs);
  const lines = LINES.filter(({ read }) => points.some((point) => read(point) !== undefined));
  const ratios = known(points, ({ batterySocRatio }) => batterySocRatio);
  const { ticks, yOf } = scaleOf(lines.flatMap(({ read }) => known(points, read)));
  const right = xOf(hourOf(curve, curve.endsAtMs));
  const sentence = describeDay(points, ratios);
  const hasCharge = ratios.length > 0;
  return html`<figure class="day">
<svg viewBox="0 0 516 ${hasCharge ? 212 : 160}" role="img" aria-label="${sentence}">
${rule(ticks.map(yOf), right)}${ticks.map((watts) => label(LEFT - 5, yOf(watts) + 4, 'end', `${Math.round(watts) / 1000}`))}${label(LEFT - 5, TOP - 9, 'end', 'kW')}
${lines.map(({ kind, read }) => line(kind, points, read, yOf, kind === 'sun'))}
${
  hasCharge &&
  html`${rule([FULL, EMPTY], right)}${label(LEFT - 5, FULL + 4, 'end', '100 %')}${label(LEFT - 5, EMPTY + 4, 'end', '0 %')}${line('charge', points, ({ batterySocRatio }) => batterySocRatio, chargeY, true)}`
}
${[0, 6, 12, 18, 24].map((hour) => label(xOf(placeOf(curve, hour)), hasCharge ? 208 : 156, 'middle', `${hour}:00`))}
</svg>
<figcaption><span aria-hidden="true">${sentence}</span><br>${lines.map((shown) => html`<span class="key ${shown.kind}">${shown.kind === 'grid' && curve.gridFeedInPowerWatts === undefined ? 'grid import' : shown.label}</span> `)}${hasCharge && html`<span class="key charge">charge of the battery</span>`}</figcaption>
</figure>`;
}

/**
 * @param {Point} point
 * @returns {number | undefined}
 */
function gridOf({ gridImportPowerWatts: imported, gridFeedInPowerWatts: fedIn }) {
  return imported === undefined && fedIn === undefined ? undefined : (imported ?? 0) - (fedIn ?? 0);
}

/** @type {(points: readonly Point[], read: Read) => readonly number[]} */
function known(points, read) {
  return points.map(read).filter((value) => value !== undefined);
}

/**
 * Says the most important figures of the day.
 *
 * @param {readonly Point[]} points
 * @param {readonly number[]} ratios
 */
function describeDay(points, ratios) {
  const parts = [
    mostOf('PV', points, ({ pvPowerWatts }) => pvPowerWatts),
    mostOf('house', points, ({ loadPowerWatts }) => loadPowerWatts),
    ratios.length > 0 &&
      `battery from ${formatRatio(leastOf(ratios))} to ${formatRatio(greatestOf(ratios))}`,
  ].filter((part) => part !== false);
  return `Today: ${parts.join('; ')}.`;
}

/** @type {(name: string, points: readonly Point[], read: Read) => string | false} */
function mostOf(name, points, read) {
  const most = greatestOf(known(points, read));
  const point = points.find((one) => read(one) === most);
  if (point === undefined) return false;
  if (most < 1) return `${name} idle`;
  const minutes = Math.round(point.hour * 60);
  const time = `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}`;
  return `${name} up to ${formatWatts(most)}, at ${time}`;
}

/**
 * Returns the place of every watt, and round numbers of them: 0, and some above and below it.
 *
 * @param {readonly number[]} watts
 */
function scaleOf(watts) {
  const [least, most] = [Math.min(0, leastOf(watts)), Math.max(1, greatestOf(watts))];
  const rough = (most - least) / 4;
  const decade = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 5].find((times) => times * decade >= rough) ?? 10) * decade;
  const [first, last] = [Math.floor(least / step), Math.ceil(most / step)];
  const ticks = Array.from({ length: last - first + 1 }, (_, index) => (first + index) * step);
  /** @param {number} value */
  const yOf = (value) =>
    Math.round(BOTTOM - ((value / step - first) / (last - first)) * (BOTTOM - TOP));
  return { ticks, yOf };
}

/** @param {number} ratio */
function chargeY(ratio) {
  return Math.round(EMPTY - Math.min(1, Math.max(0, ratio)) * (EMPTY - FULL));
}

/** @param {number} hours since midnight */
function xOf(hours) {
  return Math.round(LEFT + hours * HOUR_WIDTH);
}

/**
 * Returns how long after midnight it is so late at the station.
 *
 * @param {CurveStatus} curve
 * @param {number} hour
 */
function placeOf(curve, hour) {
  // The clocks change early in the morning, on a day of 23 or 25 hours.
  return hour === 0 ? 0 : hour + hourOf(curve, curve.endsAtMs) - 24;
}

/**
 * Draws a line that stops where nothing is known.
 *
 * @param {string} kind
 * @param {readonly Point[]} points
 * @param {Read} read
 * @param {(value: number) => number} yOf
 * @param {boolean} isFilled
 */
function line(kind, points, read, yOf, isFilled) {
  let path = '';
  let [x, y, flat, begunAt] = [0, 0, 0, -1];
  const end = () => {
    if (begunAt >= 0) path += `h${flat}${isFilled ? `V${yOf(0)}H${begunAt}Z` : ''}`;
    [flat, begunAt] = [0, -1];
  };
  for (const point of points) {
    const value = read(point);
    const nextX = xOf(point.since);
    if (value === undefined) end();
    else if (begunAt < 0) {
      [x, y, begunAt] = [nextX, yOf(value), nextX];
      path += `M${x} ${y}`;
    } else {
      const down = yOf(value) - y;
      if (down === 0) flat += nextX - x;
      else {
        path += `${flat > 0 ? `h${flat}` : ''}l${nextX - x}${down < 0 ? '' : ' '}${down}`;
        flat = 0;
      }
      [x, y] = [nextX, y + down];
    }
  }
  end();
  return html`<path class="curve ${kind}" d="${path}" />`;
}

/** @type {(ys: readonly number[], right: number) => Markup} */
function rule(ys, right) {
  return html`<path class="rule" d="${ys.map((y) => `M${LEFT} ${y}H${right}`).join('')}" />`;
}

/** @type {(x: number, y: number, anchor: string, text: string) => Markup} */
function label(x, y, anchor, text) {
  return html`<text x="${x}" y="${y}" text-anchor="${anchor}">${text}</text>`;
}
