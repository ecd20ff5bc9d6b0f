import { formatRatio, formatWatts } from './format.js';

/** @import { FlowStatus } from '../../status/status.ts' */

/** Below this, a panel or a house counts as idle. */
const LEAST_WATTS = 1;
/** Below this, grid and battery count as idle: their power is often computed from meters that differ by so much. */
const LEAST_BALANCE_WATTS = 20;

/**
 * One corner of the drawing: its label, the power there and its direction.
 *
 * @typedef {object} Corner
 * @property {'sun' | 'grid' | 'house' | 'battery'} kind
 * @property {string} label
 * @property {string} [spoken] the label in a sentence, where it is another
 * @property {number | undefined} watts absent when unknown
 * @property {'inward' | 'outward' | undefined} direction towards the inverter or from it; absent when idle
 * @property {string} what what happens here, in a word or two
 * @property {string | undefined} [also] what flows the other way at the same time
 */

/**
 * Returns the corners for the flow of a station.
 *
 * @param {FlowStatus} flow
 * @param {number} batteries how many devices say how full theirs is
 * @returns {{ sun: Corner, house: Corner, battery: Corner, grid: Corner }}
 */
export function cornersOf(flow, batteries) {
  return {
    sun: oneWay('sun', 'PV', flow.pvPowerWatts, 'inward', 'generating'),
    house: oneWay('house', 'House', flow.loadPowerWatts, 'outward', 'using'),
    battery: battery(flow, batteries),
    grid: grid(flow.gridImportPowerWatts, flow.gridFeedInPowerWatts),
  };
}

/**
 * Describes the corners in one sentence.
 *
 * @param {ReturnType<typeof cornersOf>} corners
 * @returns {string}
 */
export function describeCorners({ sun, house, battery, grid }) {
  const parts = [sun, house, battery, grid].map(
    ({ label, spoken = label, watts, direction, what, also }) => {
      if (watts === undefined) return `${spoken}: power unknown`;
      const flowing =
        direction === undefined && watts >= 0 ? what : `${what} ${formatWatts(watts)}`;
      return `${spoken}: ${flowing}${also === undefined ? '' : ` and ${also}`}`;
    },
  );
  return `${parts.join('; ')}.`;
}

/**
 * Returns whether a battery is charging or discharging.
 *
 * @param {number} watts positive when discharging
 * @returns {Pick<Corner, 'direction' | 'what'>}
 */
export function batteryAction(watts) {
  if (Math.abs(watts) < LEAST_BALANCE_WATTS) return { direction: undefined, what: 'idle' };
  return watts > 0
    ? { direction: 'inward', what: 'discharging' }
    : { direction: 'outward', what: 'charging' };
}

/**
 * @param {Corner['kind']} kind
 * @param {string} label
 * @param {number | undefined} watts
 * @param {'inward' | 'outward'} direction
 * @param {string} what
 * @returns {Corner}
 */
function oneWay(kind, label, watts, direction, what) {
  const still = { kind, label, watts, direction: undefined };
  if (watts === undefined) return { ...still, what: 'no data' };
  // No meter should report a negative value here; it is shown as it is.
  if (watts <= -LEAST_WATTS) return { ...still, what: 'below zero' };
  return watts < LEAST_WATTS ? { ...still, what: 'idle' } : { ...still, direction, what };
}

/**
 * @param {FlowStatus} flow
 * @param {number} batteries
 * @returns {Corner}
 */
function battery({ batteryPowerWatts, batterySocRatio }, batteries) {
  const corner = /** @type {const} */ ({
    kind: 'battery',
    ...batteryLabel(batterySocRatio, batteries),
  });
  if (batteryPowerWatts === undefined)
    return { ...corner, watts: undefined, direction: undefined, what: 'no data' };
  return { ...corner, watts: Math.abs(batteryPowerWatts), ...batteryAction(batteryPowerWatts) };
}

/**
 * @param {number | undefined} socRatio of the emptiest
 * @param {number} batteries
 * @returns {Pick<Corner, 'label' | 'spoken'>}
 */
function batteryLabel(socRatio, batteries) {
  if (socRatio === undefined) return { label: 'Battery' };
  const soc = formatRatio(socRatio);
  return batteries > 1
    ? { label: `Lowest of ${batteries}`, spoken: `Battery (lowest ${soc})` }
    : { label: 'Battery', spoken: `Battery ${soc}` };
}

/**
 * Returns the corner of the grid. Many inverters cannot feed in and do not report it: then only "not
 * importing" is known. Three phases, or several inverters, may import and feed in at once: the greater is
 * drawn, and the text names both.
 *
 * @param {number | undefined} importWatts
 * @param {number | undefined} feedInWatts
 * @returns {Corner}
 */
function grid(importWatts, feedInWatts) {
  const imported = importWatts ?? 0;
  const fedIn = feedInWatts ?? 0;
  const watts = Math.max(imported, fedIn);
  const corner = /** @type {const} */ ({ kind: 'grid', label: 'Grid' });
  if (watts >= LEAST_BALANCE_WATTS) {
    const isImport = imported >= fedIn;
    const other = Math.min(imported, fedIn);
    const also = `${isImport ? 'feeding in' : 'importing'} ${formatWatts(other)}`;
    return {
      ...corner,
      watts,
      direction: isImport ? 'inward' : 'outward',
      what: isImport ? 'importing' : 'feeding in',
      also: other >= LEAST_BALANCE_WATTS ? also : undefined,
    };
  }
  if (importWatts === undefined)
    return { ...corner, watts: undefined, direction: undefined, what: 'no data' };
  const what = feedInWatts === undefined ? 'not importing' : 'idle';
  return { ...corner, watts, direction: undefined, what };
}
