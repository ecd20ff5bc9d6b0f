import { formatKwh, formatRatio } from './format.js';
import { html } from './markup.js';

/** @import { EnergyStatus, MonthStatus, StationPageStatus } from '../../status/status.ts' */
/** @typedef {EnergyStatus & Pick<MonthStatus, 'solarRatio'>} Period */

/** @type {readonly (readonly [label: string, name: keyof Period])[]} */
const ROWS = [
  ['Generated', 'pvGeneratedKwh'],
  ['Consumed', 'consumptionKwh'],
  ['Imported', 'gridImportKwh'],
  ['Fed in', 'gridFeedInKwh'],
  ['Charged', 'batteryChargedKwh'],
  ['Discharged', 'batteryDischargedKwh'],
  ['PV ÷ consumption', 'solarRatio'],
];

/**
 * Renders what the service says of the energy of a station, by period. What the inverters counted stands
 * for what was generated today where the service does not say it.
 *
 * @param {StationPageStatus} station
 */
export function renderEnergy({ energy, month, pvEnergyTodayKwh }) {
  const counted = pvEnergyTodayKwh === undefined ? {} : { pvGeneratedKwh: pvEnergyTodayKwh };
  /** @type {readonly (readonly [label: string, period: Period])[]} */
  const columns = [
    ['Today', { ...counted, ...energy.today }],
    ['Yesterday', energy.yesterday],
    ['This month', month],
    ['This year', energy.year],
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
      html`<tr><th scope="row">${row}</th>${columns.map(([column, period]) => cell(column, name, period[name]))}</tr>`,
  )}</tbody>
</table>`;
}

/**
 * @param {string} column
 * @param {keyof Period} name
 * @param {number | undefined} value
 */
function cell(column, name, value) {
  const format = name === 'solarRatio' ? formatRatio : formatKwh;
  const text = value === undefined ? '–' : html`<data value="${value}">${format(value)}</data>`;
  return html`<td data-label="${column}">${text}</td>`;
}
