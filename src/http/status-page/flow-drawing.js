import { cornersOf, describeCorners } from './flow-corners.js';
import { formatRatio, formatWatts } from './format.js';
import { html } from './markup.js';

/** @import { FlowStatus } from '../../status/status.ts' */
/** @import { Corner } from './flow-corners.js' */
/** @import { Markup } from './markup.js' */

/**
 * Draws where the energy of a station flows now, with sun, house, battery and grid around the inverter,
 * and describes it in words below.
 *
 * @param {FlowStatus} flow
 * @param {number} batteries how many devices say how full theirs is
 * @returns {Markup}
 */
export function drawFlow(flow, batteries) {
  const corners = cornersOf(flow, batteries);
  const { sun, grid, house, battery } = corners;
  const sentence = describeCorners(corners);
  return html`<svg class="flow" viewBox="0 0 440 372" role="img" aria-label="${sentence}">
${arrow(sun, 'M220 127V175')}${arrow(grid, 'M134 189H206')}${arrow(house, 'M306 189H234')}${arrow(battery, 'M220 250V203')}
<circle class="inverter" cx="220" cy="189" r="9" />
${node(sun, 220, 64)}${node(grid, 72, 189)}${node(house, 368, 189)}${batteryNode(battery, flow.batterySocRatio)}
</svg>
<figcaption aria-hidden="true">${sentence}</figcaption>`;
}

/**
 * Draws the line between a corner and the inverter with the direction of the flow. The path leads from the
 * corner to the inverter.
 *
 * @param {Corner} corner
 * @param {string} path
 */
function arrow({ kind, watts, direction }, path) {
  if (watts === undefined) return html`<path class="line unknown" d="${path}" />`;
  if (direction === undefined) return html`<path class="line idle" d="${path}" />`;
  return html`<path class="line ${kind} ${direction}" d="${path}" />${head(kind, direction)}`;
}

/** The places of the arrowheads, and their rotation when they point to the inverter. */
const HEADS = {
  sun: { x: 220, y: 149, degrees: 90 },
  grid: { x: 166, y: 189, degrees: 0 },
  house: { x: 274, y: 189, degrees: 180 },
  battery: { x: 220, y: 229, degrees: 270 },
};

/**
 * @param {Corner['kind']} kind
 * @param {'inward' | 'outward'} direction
 */
function head(kind, direction) {
  const { x, y, degrees } = HEADS[kind];
  const turned = direction === 'inward' ? degrees : (degrees + 180) % 360;
  return html`<path class="head ${kind}" d="M-8 -9L10 0L-8 9Z" transform="translate(${x} ${y}) rotate(${turned})" />`;
}

/**
 * @param {Corner} corner
 * @param {number} x
 * @param {number} y
 */
function node({ kind, label, watts, what }, x, y) {
  return html`<g class="node ${kind} ${watts === undefined && 'unknown'}" transform="translate(${x} ${y})">
<circle class="shape" r="60" /><path class="icon" d="${ICONS[kind]}" />
<text class="label" y="-8">${label}</text>
${value(watts, 12)}
<text class="what" y="29">${what}</text>
</g>`;
}

/**
 * Draws the battery as a vessel that is as full as it is.
 *
 * @param {Corner} corner
 * @param {number} [socRatio]
 */
function batteryNode({ label, watts, what }, socRatio) {
  const height = Math.min(1, Math.max(0, socRatio ?? 0)) * 100;
  const state = height <= LOW_PERCENT ? 'low' : what;
  return html`<g class="node battery ${watts === undefined && 'unknown'}" transform="translate(220 312)">
<path class="shape" d="M-16 -54V-61H16V-54M-42 -54H42a10 10 0 0 1 10 10V48a10 10 0 0 1 -10 10H-42a10 10 0 0 1 -10 -10V-44a10 10 0 0 1 10 -10Z" />${
    socRatio !== undefined &&
    html`<rect class="level ${state}" x="-48" y="${(54 - height * 1.04).toFixed(1)}" width="96" height="${(height * 1.04).toFixed(1)}" rx="6" />`
  }
<text class="label" y="-34">${label}</text>
<text class="soc" y="-4">${socRatio === undefined ? '–' : formatRatio(socRatio)}</text>
${value(watts, 22)}
<text class="what" y="41">${what}</text>
</g>`;
}

/**
 * @param {number | undefined} watts
 * @param {number} y
 */
function value(watts, y) {
  if (watts === undefined) return html`<text class="value" y="${y}">–</text>`;
  return html`<text class="value" y="${y}" data-value="${watts}">${formatWatts(watts)}</text>`;
}

/** At this charge or below, the battery is nearly empty. */
const LOW_PERCENT = 20;

const ICONS = {
  sun: 'M0 -49v4m0 10v4m9 -9h-4m-10 0h-4m15.4 -6.4l-2.8 2.8m-7.2 7.2l-2.8 2.8m12.8 0l-2.8 -2.8m-7.2 -7.2l-2.8 -2.8M-3.5 -40a3.5 3.5 0 0 0 7 0a3.5 3.5 0 0 0 -7 0',
  house: 'M-10 -38L0 -47L10 -38M-7 -40V-30H7V-40',
  grid: 'M-5 -29L0 -49L5 -29M-9 -42H9M-7 -37H7M-4 -33L4 -37M4 -33L-4 -37',
  battery: '',
};
