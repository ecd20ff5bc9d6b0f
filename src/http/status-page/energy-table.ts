import type { EnergyStatus, MonthStatus, StationPageStatus } from '../../status/status.ts';
import { formatKwh, formatRatio } from './format.ts';
import { html, type Markup, table } from './markup.ts';

/** What is shown of a period: its flows in kWh, and ratios (0 to 1). */
type Period = EnergyStatus &
  Pick<MonthStatus, 'solarRatio'> & { readonly selfSufficiencyRatio?: number };

const ROWS: readonly (readonly [label: string, name: keyof Period])[] = [
  ['Generated', 'pvGeneratedKwh'],
  ['Consumed', 'consumptionKwh'],
  ['Imported', 'gridImportKwh'],
  ['Fed in', 'gridFeedInKwh'],
  ['Charged', 'batteryChargedKwh'],
  ['Discharged', 'batteryDischargedKwh'],
  ['Solar in % of consumption', 'solarRatio'],
  ['Self-sufficiency', 'selfSufficiencyRatio'],
];

/** Renders the energy of a station by period. */
export function renderEnergy({ energy, month, pvEnergyTodayKwh }: StationPageStatus): Markup {
  // Where the service does not say what was generated today, the inverters do.
  const counted = pvEnergyTodayKwh === undefined ? {} : { pvGeneratedKwh: pvEnergyTodayKwh };
  const today = { ...counted, ...energy.today };
  const periods = [today, energy.yesterday, month, energy.year].map(completed);
  // Many houses have no battery, and many services say little more than PV.
  const isShown = (name: keyof Period) => periods.some((period) => name in period);
  const rows = ROWS.filter(([, name], index) => index === 0 || isShown(name)).map(
    ([label, name]) => [label, ...periods.map((period) => renderValue(name, period[name]))],
  );
  return table('Energy', ['Flow', 'Today', 'Yesterday', 'This month', 'This year'], rows);
}

/** Adds the share of what was consumed that did not come from the grid. */
function completed(period: Period): Period {
  const { consumptionKwh = 0, gridImportKwh } = period;
  if (gridImportKwh === undefined || consumptionKwh <= 0) return period;
  return { ...period, selfSufficiencyRatio: Math.max(0, 1 - gridImportKwh / consumptionKwh) };
}

function renderValue(name: keyof Period, value: number | undefined): Markup | string {
  if (value === undefined) return '–';
  const format = name.endsWith('Ratio') ? formatRatio : formatKwh;
  return html`<strong><data value="${value}">${format(value)}</data></strong>`;
}
