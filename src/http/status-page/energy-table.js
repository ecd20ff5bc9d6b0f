import { formatKwh, formatRatio } from './format.js';
import { html } from './markup.js';

/** @import { Markup } from './markup.js' */
/** @import { EnergyStatus, MonthStatus, StationPageStatus } from '../../status/status.ts' */
/** @typedef {EnergyStatus & Pick<MonthStatus, 'solarRatio'> & { selfSufficiencyRatio?: number }} Period */

/** @type {readonly (readonly [label: string, name: keyof Period])[]} */
const ROWS = [
  ['Generated', 'pvGeneratedKwh'],
  ['Consumed', 'consumptionKwh'],
  ['Imported', 'gridImportKwh'],
  ['Fed in', 'gridFeedInKwh'],
  ['Charged', 'batteryChargedKwh'],
  ['Discharged', 'batteryDischargedKwh'],
  ['Solar in % of consumption', 'solarRatio'],
  ['Self-sufficiency', 'selfSufficiencyRatio'],
];

/**
 * Renders the energy of a station by period. Where the service does not say what was generated today, the
 * inverters do.
 *
 * @param {StationPageStatus} station
 */
export function renderEnergy({ energy, month, pvEnergyTodayKwh }) {
  const counted = pvEnergyTodayKwh === undefined ? {} : { pvGeneratedKwh: pvEnergyTodayKwh };
  /** @type {readonly (readonly [label: string, period: Period])[]} */
  const columns = [
    ['Today', completed({ ...counted, ...energy.today })],
    ['Yesterday', completed(energy.yesterday)],
    ['This month', completed(month)],
    ['This year', completed(energy.year)],
  ];
  // Many houses have no battery, and many services say little more than PV.
  const rows = ROWS.filter(
    ([, name], index) => index === 0 || columns.some(([, period]) => name in period),
  );
  return html`<table class="energy">
<caption>Energy</caption>
<thead><tr><th scope="col">Flow</th>${columns.map(([label]) => html`<th scope="col">${label}</th>`)}</tr></thead>
<tbody>${rows.map(
    ([row, name]) =>
      html`<tr><th scope="row">${row}</th>${columns.map(
        ([label, period]) => html`<td data-label="${label}">${shown(name, period[name])}</td>`,
      )}</tr>`,
  )}</tbody>
</table>`;
}

/**
 * Adds the share of what was consumed that did not come from the grid.
 *
 * @param {Period} period
 * @returns {Period}
 */
function completed(period) {
  const { consumptionKwh = 0, gridImportKwh } = period;
  if (gridImportKwh === undefined || consumptionKwh <= 0) return period;
  return { ...period, selfSufficiencyRatio: Math.max(0, 1 - gridImportKwh / consumptionKwh) };
}

/** @type {(name: keyof Period, value?: number) => Markup | string} */
function shown(name, value) {
  if (value === undefined) return '–';
  const format = name.endsWith('Ratio') ? formatRatio : formatKwh;
  return html`<data value="${value}">${format(value)}</data>`;
}
