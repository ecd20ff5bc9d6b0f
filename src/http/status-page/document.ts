import type { Status } from '../../status/status.ts';
import { renderExporter } from './exporter-view.ts';
import { formatInstant, zoneOf } from './format.ts';
import { html } from './markup.ts';
import { renderNotices } from './notices.ts';
import { renderCondition, renderOverview } from './overview.ts';
import { renderStation } from './station-view.ts';

/** More stations than these are a table, which leads to a page of each. */
const MOST_ARTICLES = 5;

/**
 * Renders the whole status page, which is complete without any script: `live.ts` only renews the elements of `main`, and
 * finds stations. All addresses are relative, so that the page also works below a path of a reverse proxy.
 *
 * @param asked - may name one station as `target`; else the page is of all.
 */
export function renderDocument(status: Status, asked = new URLSearchParams()): string {
  const target = asked.get('target');
  const chosen = status.stations.filter(({ stationId }) => stationId === target);
  const isOverview = chosen.length === 0 && status.stations.length > MOST_ARTICLES;
  const shown = chosen.length > 0 ? { ...status, stations: chosen } : status;
  const zone = zoneOf(shown.stations);
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
<header><h1>solar-exporter</h1> <small>version ${status.version}</small></header>
<p id="connection" role="status"></p>
<main>
<p id="simulated" role="note">${status.isSimulated && html`<strong>Simulated:</strong> no value is of a real inverter.`}</p>
${renderCondition(shown)}
<div id="notices" role="status">${renderNotices(status, zone)}</div>
<p id="as-of">As of <time>${formatInstant(status.atMs, zone)}</time>${shown !== status && html` · <a href="./">all ${status.stations.length} stations</a>`}</p>
${isOverview ? renderOverview(shown.stations) : shown.stations.map((station) => renderStation(station, status.atMs))}
<section id="exporter" aria-label="Exporter">${renderExporter(shown)}</section>
</main>
<nav aria-label="Pages for machines">
<a href=".${status.telemetryPath}">Metrics</a>
<a href="sd">Service discovery</a>
<a href="-/healthy">Healthy</a>
<a href="-/ready">Ready</a>
<a href="api/v1/status">JSON</a>
</nav>
</body>
</html>
`.text;
}
