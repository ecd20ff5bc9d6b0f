import type { Status } from '../../status/status.ts';
import { demoTimeOf } from './day-curve.ts';
import { formatInstant, zoneOf } from './format.ts';
import { html } from './markup.ts';
import { renderNotices } from './notices.ts';
import { renderCondition, renderOverview, troubledFirst } from './overview.ts';
import { renderStation } from './station-view.ts';

/** More stations than these are a list, which leads to a page of each. */
const MOST_ARTICLES = 5;

/**
 * Renders the whole status page, which is complete without any script: `live.ts` only renews the elements of `main`. All
 * addresses are relative, so that the page also works below a path of a reverse proxy.
 *
 * @param chosen - the stations that the page is of; empty: all.
 */
export function renderDocument(status: Status, chosen: Status['stations'] = []): string {
  const isOverview = chosen.length === 0 && status.stations.length > MOST_ARTICLES;
  const shown = chosen.length > 0 ? { ...status, stations: chosen } : status;
  const zone = zoneOf(shown.stations);
  const stations = troubledFirst(shown.stations);
  const demoTime = demoTimeOf(stations[0]?.curve, status.atMs);
  return html`<!doctype html>
<html lang="en" data-version="${status.version}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${status.isSimulated && 'simulated · '}solar-exporter</title>
<link rel="stylesheet" href="assets/style.css">
<script type="module" src="assets/live.js"></script>
</head>
<body>
<header><h1>solar-exporter</h1> <small>version ${status.version}</small></header>
<p id="connection" role="status"></p>
<main>
<p id="simulated" role="note">${status.isSimulated && html`<strong>Simulated:</strong> no value is of a real inverter. In the demo, days pass in minutes, but energy counters go by your clock.`}</p>
${renderCondition(shown)}
<div id="notices" role="status">${renderNotices(shown, zone)}</div>
<p id="as-of">As of <time>${formatInstant(status.atMs, zone)}</time>${demoTime !== undefined && ` · in the day of the demo it is ${demoTime}`}${shown !== status && html` · <a href="./">all ${status.stations.length} stations</a>`}</p>
${isOverview ? renderOverview(stations) : stations.map((station) => renderStation(station, status.atMs))}
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
