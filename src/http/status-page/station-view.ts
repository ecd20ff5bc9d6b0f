import { solarRatio } from '../../model/energy.ts';
import { figures } from '../../status/describe.ts';
import type { EnergyStatus, StationPageStatus } from '../../status/status.ts';
import { drawDay } from './day-curve.ts';
import { renderDevices } from './device-view.ts';
import { drawFlow } from './flow.ts';
import { formatKwh, formatRatio } from './format.ts';
import { html, joined, type Markup, span, table } from './markup.ts';
import { addressOf, renderState } from './overview.ts';

/** What is shown of a period: its flows in kWh, and shares of what was consumed (0 to 1). */
type Period = EnergyStatus & Partial<Record<'solarRatio' | 'selfSufficiencyRatio', number>>;

const ROWS: readonly (readonly [label: string, name: keyof Period])[] = [
  ['PV', 'pvGeneratedKwh'],
  ['Consumed', 'consumptionKwh'],
  ['Imported', 'gridImportKwh'],
  ['Fed in', 'gridFeedInKwh'],
  ['Charged', 'batteryChargedKwh'],
  ['Discharged', 'batteryDischargedKwh'],
  ['PV in % of consumption', 'solarRatio'],
  ['Self-sufficiency', 'selfSufficiencyRatio'],
];

/** Renders what is known of a station, with a row for each device. */
export function renderStation(station: StationPageStatus, atMs: number): Markup {
  const { stationId, flow, devices } = station;
  const batteries = devices.filter(({ batterySocRatio }) => batterySocRatio !== undefined).length;
  return html`<article class="station" id="station-${stationId}">${renderHeading(station)}
<figure>
${drawFlow(flow, batteries)}
</figure>
${drawDay(station)}
${renderEnergy(station)}
${renderDevices(station, atMs)}</article>
`;
}

function renderHeading(station: StationPageStatus): Markup {
  const { stationId, name, timeZone, devices, devicesMissing } = station;
  const reporting = devices.filter(({ isReporting }) => isReporting === true).length;
  const look = reporting === devices.length ? '' : 'old';
  const count = span(look, `${reporting} of ${devices.length} devices reporting`);
  const facts = [
    [renderState(station), ' ', count],
    devicesMissing > 0 && span('old', `the sums lack values of ${devicesMissing}`),
    timeZone !== undefined && html`<bdi>${timeZone}</bdi>`,
    html`id <bdi>${stationId}</bdi>`,
    html`<a href="probe?${addressOf(station)}" aria-label="Metrics of ${name ?? stationId}">its metrics</a>`,
  ];
  return html`<header>
<h2><bdi>${name ?? `Station ${stationId}`}</bdi></h2>
<p>${joined(facts, ' · ')}</p>
</header>`;
}

const UNKNOWN = '–';

/** Renders the energy of a station by period. */
function renderEnergy({ energy, month }: StationPageStatus): Markup {
  const periods = [energy.today, energy.yesterday, month, energy.year].map(completed);
  // Many houses have no battery, and many services say little more than PV.
  const isShown = (name: keyof Period) => periods.some((period) => name in period);
  const rows = ROWS.filter(([, name], index) => index === 0 || isShown(name)).map(
    ([label, name]) => [label, ...periods.map((period) => renderValue(name, period[name]))],
  );
  const caption = `Energy in kWh${rows.flat().includes(UNKNOWN) ? ` (${UNKNOWN} is unknown)` : ''}`;
  return table(caption, ['Flow', 'Today', 'Yesterday', 'Month', 'Year'], rows);
}

/** Adds how much of what was consumed the sun gave, and how much did not come from the grid. */
function completed(period: EnergyStatus): Period {
  const { consumptionKwh = 0, gridImportKwh = NaN } = period;
  const selfSufficiencyRatio = Math.max(0, 1 - gridImportKwh / (consumptionKwh || NaN));
  return { ...period, ...figures({ solarRatio: solarRatio(period), selfSufficiencyRatio }) };
}

function renderValue(name: keyof Period, value: number | undefined): Markup | string {
  if (value === undefined) return UNKNOWN;
  const shown = name.endsWith('Ratio') ? formatRatio(value) : formatKwh(value, '');
  return html`<strong><data value="${value}">${shown}</data></strong>`;
}
