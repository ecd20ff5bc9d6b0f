import type { StationPageStatus } from '../../status/status.ts';
import { drawDay } from './day-curve.ts';
import { renderDevices } from './device-view.ts';
import { renderEnergy } from './energy-table.ts';
import { drawFlow } from './flow.ts';
import { html, joined, type Markup, span } from './markup.ts';

/** The sums in the words of their metrics. The net of the grid has none: the page draws import and feed-in. */
const SUM_NAMES = {
  pvPowerWatts: 'PV power',
  loadPowerWatts: 'load power',
  gridPowerWatts: undefined,
  gridImportPowerWatts: 'grid import power',
  gridFeedInPowerWatts: 'grid feed-in power',
  batteryPowerWatts: 'battery power',
  batterySocRatio: 'battery SOC',
  pvEnergyTodayKwh: 'PV energy today',
};

/** Renders what is known of a station, with a row for each device, up to so many. */
export function renderStation(station: StationPageStatus, atMs: number, most: number): Markup {
  const { flow, devices } = station;
  const batteries = devices.filter(({ batterySocRatio }) => batterySocRatio !== undefined).length;
  return html`${renderHeading(station)}
<figure>
${drawFlow(flow, batteries)}
${renderPartial(station)}
</figure>
${drawDay(station, atMs)}
${renderEnergy(station)}
${renderDevices(station, atMs, most)}`;
}

function renderHeading(station: StationPageStatus): Markup {
  const { account, stationId, name, timeZone, devices } = station;
  const reporting = devices.filter(({ isReporting }) => isReporting === true).length;
  const isWhole = reporting === devices.length;
  const count = span(isWhole ? '' : 'old', `${reporting} of ${devices.length} devices reporting`);
  const owner = account === undefined ? {} : { account };
  const probe = new URLSearchParams({ target: stationId, ...owner }).toString();
  const facts = [
    [renderState(station, isWhole), ' ', count],
    timeZone !== undefined && html`<bdi>${timeZone}</bdi>`,
    account !== undefined && html`account <bdi>${account}</bdi>`,
    html`id <bdi>${stationId}</bdi>`,
    html`<a href="probe?${probe}" aria-label="Metrics of ${name ?? stationId}">its metrics</a>`,
  ];
  return html`<header>
<h2><bdi>${name ?? `Station ${stationId}`}</bdi></h2>
<p>${joined(facts, ' · ')}</p>
</header>`;
}

function renderState({ isUp }: StationPageStatus, isWhole: boolean): Markup {
  if (isUp === undefined) return span('badge warn', 'readings not asked for yet');
  if (!isUp) return span('badge bad', 'readings not refreshed');
  if (!isWhole) return span('badge warn', 'readings refreshed');
  return span('badge good', 'readings up to date');
}

/** Says which sums may be too small. */
function renderPartial({ partial, energy }: StationPageStatus): Markup | undefined {
  // What the service says of today is no sum over the devices.
  const isSaidByService = energy.today.pvGeneratedKwh !== undefined;
  const sums = partial.filter((name) => name !== 'pvEnergyTodayKwh' || !isSaidByService);
  const names = sums.map((name) => SUM_NAMES[name]).filter((name) => name !== undefined);
  if (names.length === 0) return undefined;
  return html`<p class="old">Not every device says its ${names.join(', ')}.</p>`;
}
