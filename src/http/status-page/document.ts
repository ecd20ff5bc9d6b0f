import type { Status } from '../../status/status.ts';
import { renderExporter } from './exporter-view.ts';
import { formatInstant } from './format.ts';
import { html, type Markup } from './markup.ts';
import { renderNotices } from './notices.ts';
import { renderStation } from './station-view.ts';

/** So many stations are on the page, and so many devices: a phone takes long to show more. The JSON has all. */
export const MOST_STATIONS = 100;
export const MOST_DEVICES = 300;

/**
 * Renders the whole status page, which is complete without any script: `live.ts` only renews the elements of `main`. All
 * addresses are relative, so that the page also works below a path of a reverse proxy.
 */
export function renderDocument(status: Status): string {
  const shown = { ...status, stations: status.stations.slice(0, MOST_STATIONS) };
  return html`<!doctype html>
<html lang="en" data-version="${status.version}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${status.isSimulated && 'simulated · '}solar-exporter</title>
<link rel="stylesheet" href="assets/style.css">
<link rel="icon" href="assets/icon.svg" type="image/svg+xml">
<link rel="manifest" href="assets/app.webmanifest" crossorigin="use-credentials">
<meta name="theme-color" content="#f6f7f9" media="(prefers-color-scheme: light)">
<meta name="theme-color" content="#12161c" media="(prefers-color-scheme: dark)">
<script type="module" src="assets/live.js"></script>
</head>
<body>
<header>
<h1>solar-exporter</h1> <small>version ${status.version}</small>
<nav aria-label="Pages for machines">
<a href=".${status.telemetryPath}">Metrics</a>
<a href="sd">Service discovery</a>
<a href="-/healthy">Healthy</a>
<a href="-/ready">Ready</a>
<a href="api/v1/status">JSON</a>
</nav>
</header>
<p id="connection" role="status"></p>
<main>
<p id="simulated" role="note">${status.isSimulated && html`<strong>Simulated:</strong> no value is of a real inverter.`}</p>
<div id="notices" role="status">${renderNotices(status)}</div>
<p id="as-of">As of <time>${formatInstant(status.atMs)}</time>${renderRest(status)}</p>
${renderStations(shown)}
<section id="exporter" aria-label="Exporter">${renderExporter(shown)}</section>
</main>
</body>
</html>
`.text;
}

function renderStations({ stations, atMs }: Status): readonly Markup[] {
  let room = MOST_DEVICES;
  return stations.map((station) => {
    const { account, stationId, devices } = station;
    const article = renderStation(station, atMs, room);
    room = Math.max(0, room - devices.length);
    return html`<article class="station" id="station-${account && `${account}-`}${stationId}">${article}</article>\n`;
  });
}

/** Says what is too much for the page, and where it is. */
function renderRest({ stations }: Status): Markup | undefined {
  const devices = stations.reduce((sum, station) => sum + station.devices.length, 0);
  if (stations.length <= MOST_STATIONS && devices <= MOST_DEVICES) return undefined;
  return html` · Only the first stations and devices are here; all ${stations.length} stations and ${devices} devices are in the <a href="api/v1/status">JSON</a>.`;
}
