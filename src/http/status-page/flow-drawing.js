import { formatRatio, formatWatts } from './format.js';
import { html } from './markup.js';

/** @import { FlowStatus } from '../../status/status.ts' */
/** @import { Markup } from './markup.js' */

/** Less is noise of a meter, and no flow. */
const LEAST_WATTS = 1;

/**
 * One corner of the drawing: what it is called, what flows there, and which way.
 *
 * @typedef {object} Corner
 * @property {'sun' | 'grid' | 'house' | 'battery'} kind
 * @property {string} label
 * @property {number | undefined} watts never negative; absent when unknown
 * @property {boolean} isInward whether it flows from here to the inverter
 * @property {string} words what happens here, for people
 */

/**
 * Draws where the energy of a station flows now: sun, house, battery and grid about their inverter.
 *
 * @param {FlowStatus} flow
 * @returns {Markup}
 */
export function drawFlow(flow) {
  const { sun, grid, house, battery } = cornersOf(flow);
  const sentence = describeFlow(flow);
  return html`<svg class="flow" viewBox="0 0 440 364" role="img" aria-label="${sentence}">
${arrow(sun, 'M220 120V168')}${arrow(grid, 'M130 182H206')}${arrow(house, 'M310 182H234')}${arrow(battery, 'M220 244V196')}
<circle class="inverter" cx="220" cy="182" r="9" />
${node(sun, 220, 60)}${node(grid, 70, 182)}${node(house, 370, 182)}${node(battery, 220, 304, flow.batterySocRatio)}
</svg>`;
}

/**
 * Says the same in words.
 *
 * @param {FlowStatus} flow
 * @returns {string}
 */
export function describeFlow(flow) {
  const { sun, grid, house, battery } = cornersOf(flow);
  const soc = flow.batterySocRatio === undefined ? '' : ` at ${formatRatio(flow.batterySocRatio)}`;
  const parts = [sun, house, battery, grid].map(({ kind, label, watts, words }) => {
    const what = `${label}${kind === 'battery' ? soc : ''}`;
    return watts === undefined ? `${what}: power unknown` : `${what}: ${words}`;
  });
  return `${parts.join('; ')}.`;
}

/**
 * @param {FlowStatus} flow
 * @returns {{ sun: Corner, grid: Corner, house: Corner, battery: Corner }}
 */
function cornersOf({
  pvPowerWatts,
  loadPowerWatts,
  gridImportPowerWatts,
  gridFeedInPowerWatts,
  batteryPowerWatts,
}) {
  return {
    sun: {
      kind: 'sun',
      label: 'PV',
      watts: pvPowerWatts,
      isInward: true,
      words: inWords(pvPowerWatts, 'generating'),
    },
    house: {
      kind: 'house',
      label: 'House',
      watts: loadPowerWatts,
      isInward: false,
      words: inWords(loadPowerWatts, 'using'),
    },
    battery: {
      kind: 'battery',
      label: 'Battery',
      watts: batteryPowerWatts === undefined ? undefined : Math.abs(batteryPowerWatts),
      isInward: (batteryPowerWatts ?? 0) > 0,
      words: inWords(batteryPowerWatts, 'discharging', 'charging'),
    },
    grid: gridCorner(gridImportPowerWatts, gridFeedInPowerWatts),
  };
}

/**
 * Idle only when both ways are known to be; many inverters cannot feed in, and say nothing of it. A meter
 * that counts both ways at once, as on three phases, shows the greater of the two.
 *
 * @param {number | undefined} importWatts
 * @param {number | undefined} feedInWatts
 * @returns {Corner}
 */
function gridCorner(importWatts, feedInWatts) {
  const watts = Math.max(importWatts ?? 0, feedInWatts ?? 0);
  const isKnown = importWatts !== undefined || watts >= LEAST_WATTS;
  const isInward = (importWatts ?? 0) >= (feedInWatts ?? 0);
  const signed = isInward ? watts : -watts;
  return {
    kind: 'grid',
    label: 'Grid',
    watts: isKnown ? watts : undefined,
    isInward,
    words:
      importWatts !== undefined && feedInWatts === undefined && watts < LEAST_WATTS
        ? 'not importing'
        : inWords(isKnown ? signed : undefined, 'importing', 'feeding in'),
  };
}

/**
 * @param {number | undefined} watts
 * @param {string} positive
 * @param {string} [negative] absent where only one way makes sense
 */
function inWords(watts, positive, negative) {
  if (watts === undefined) return 'unknown';
  if (Math.abs(watts) < LEAST_WATTS) return 'idle';
  if (watts > 0) return `${positive} ${formatWatts(watts)}`;
  return negative === undefined ? formatWatts(watts) : `${negative} ${formatWatts(-watts)}`;
}

/**
 * The line between a corner and the inverter, with the direction of what flows on it. The path leads
 * from the corner to the inverter.
 *
 * @param {Corner} corner
 * @param {string} path
 */
function arrow({ kind, watts, isInward }, path) {
  if (watts === undefined) return html`<path class="line unknown" d="${path}" />`;
  if (watts < LEAST_WATTS) return html`<path class="line idle" d="${path}" />`;
  const direction = isInward ? 'inward' : 'outward';
  return html`<path class="line ${kind} ${direction}" d="${path}" />${head(kind, isInward)}`;
}

/** Where the heads of the arrows are, and how they are turned when they point to the inverter. */
const HEADS = {
  sun: { x: 220, y: 141, degrees: 90 },
  grid: { x: 164, y: 182, degrees: 0 },
  house: { x: 276, y: 182, degrees: 180 },
  battery: { x: 220, y: 223, degrees: 270 },
};

/**
 * @param {Corner['kind']} kind
 * @param {boolean} isInward
 */
function head(kind, isInward) {
  const { x, y, degrees } = HEADS[kind];
  const turned = isInward ? degrees : (degrees + 180) % 360;
  return html`<path class="head ${kind}" d="M-8 -9L10 0L-8 9Z" transform="translate(${x} ${y}) rotate(${turned})" />`;
}

/**
 * @param {Corner} corner
 * @param {number} x
 * @param {number} y
 * @param {number} [socRatio]
 */
function node({ kind, label, watts, words }, x, y, socRatio) {
  const state = watts === undefined ? 'unknown' : '';
  // "charging 300 W" is two lines: what, and how much.
  const what = watts === undefined ? 'no data' : words.replace(/ ?-?[\d.,]+ k?W$/, '');
  const value = watts === undefined ? '–' : formatWatts(watts);
  const soc = socRatio === undefined ? '' : ` ${formatRatio(socRatio)}`;
  return html`<g class="node ${kind} ${state}" transform="translate(${x} ${y})">
<circle r="56" />${icon(kind, socRatio)}
<text class="label" y="-2">${label}${soc}</text>
<text class="value" y="17" ${value !== '–' && html`data-value="${watts}"`}>${value}</text>
<text class="what" y="32">${what}</text>
</g>`;
}

/**
 * @param {Corner['kind']} kind
 * @param {number} [socRatio]
 */
function icon(kind, socRatio) {
  switch (kind) {
    case 'sun':
      return html`<path class="icon" d="M0 -34v4m0 10v4m9 -9h-4m-10 0h-4m15.4 -6.4l-2.8 2.8m-7.2 7.2l-2.8 2.8m12.8 0l-2.8 -2.8m-7.2 -7.2l-2.8 -2.8" /><circle class="icon" cy="-25" r="3.5" />`;
    case 'house':
      return html`<path class="icon" d="M-10 -24L0 -33L10 -24M-7 -26V-16H7V-26" />`;
    case 'grid':
      return html`<path class="icon" d="M-5 -15L0 -35L5 -15M-9 -28H9M-7 -23H7M-4 -19L4 -23M4 -19L-4 -23" />`;
    case 'battery':
      return html`<path class="icon" d="M-12 -32H10V-19H-12ZM10 -28H13V-23H10" />${
        socRatio !== undefined &&
        html`<rect class="level" x="-10.5" y="-30.5" height="10" width="${levelWidth(socRatio)}" />`
      }`;
  }
}

/** @param {number} socRatio */
function levelWidth(socRatio) {
  return (Math.min(1, Math.max(0, socRatio)) * 19).toFixed(1);
}
