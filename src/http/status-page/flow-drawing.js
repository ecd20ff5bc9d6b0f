import { cornersOf, describeCorners } from './flow-corners.js';
import { formatWatts } from './format.js';
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
  return html`<svg class="flow" viewBox="0 0 440 364" role="img" aria-label="${sentence}">
${arrow(sun, 'M220 120V168')}${arrow(grid, 'M130 182H206')}${arrow(house, 'M310 182H234')}${arrow(battery, 'M220 244V196')}
<circle class="inverter" cx="220" cy="182" r="9" />
${node(sun, 220, 60)}${node(grid, 70, 182)}${node(house, 370, 182)}${node(battery, 220, 304, flow.batterySocRatio)}
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
  sun: { x: 220, y: 141, degrees: 90 },
  grid: { x: 164, y: 182, degrees: 0 },
  house: { x: 276, y: 182, degrees: 180 },
  battery: { x: 220, y: 223, degrees: 270 },
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
 * @param {number} [socRatio]
 */
function node({ kind, label, watts, what, also }, x, y, socRatio) {
  const value =
    watts === undefined
      ? html`<text class="value" y="17">–</text>`
      : html`<text class="value" y="17" data-value="${watts}">${formatWatts(watts)}</text>`;
  return html`<g class="node ${kind} ${watts === undefined && 'unknown'}" transform="translate(${x} ${y})">
<circle r="56" />${icon(kind, socRatio)}
<text class="label" y="-2">${label}</text>
${value}
<text class="what" y="32">${what}</text>
${also !== undefined && html`<text class="what" y="45">${also}</text>`}
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
