import type { StationPageStatus, Status } from '../../status/status.ts';
import { deviceRow } from './device-view.js';
import { collectorRows } from './exporter-view.js';
import { html, Markup } from './markup.js';
import { areAlarmsKnown, renderStation } from './station-view.js';
import { renderArticles, renderParts } from './view.js';

/**
 * Holds the place of what is rendered piece by piece. Nothing else on a page is the same, because `<` is
 * escaped in all texts that come from elsewhere.
 */
const LATER = new Markup('<!--later-->');

/**
 * Renders the whole status page, which is complete without any script, in pieces of one device or little
 * more: whoever takes them may let others have their turn in between. All addresses are relative, so that
 * the page also works below a path of a reverse proxy.
 */
export function* documentPieces(status: Status): Generator<string> {
  yield* withRest(renderDocument(status, LATER), [articlePieces(status), collectorPieces(status)]);
}

function* articlePieces({ stations, atMs }: Status): Generator<string> {
  for (const station of stations) {
    const { stationId } = station;
    const article = renderArticles([{ stationId, markup: renderStation(station, atMs, [LATER]) }]);
    yield* withRest(article.text, [devicePieces(station, atMs)]);
  }
}

function* devicePieces(station: StationPageStatus, atMs: number): Generator<string> {
  const areKnown = areAlarmsKnown(station);
  for (const device of station.devices) yield deviceRow(device, atMs, areKnown).text;
}

function* collectorPieces(status: Status): Generator<string> {
  for (const row of collectorRows(status)) yield row.text;
}

/** Yields a text with the pieces of what comes later in the places that are held for it. */
function* withRest(text: string, later: readonly Iterable<string>[]): Generator<string> {
  for (const [index, part] of text.split(LATER.text).entries()) {
    if (index > 0) yield* later[index - 1] ?? [];
    yield part;
  }
}

/** Renders the page; where `later` is given, it takes the place of the stations and of the collectors. */
export function renderDocument(status: Status, later?: Markup): string {
  const parts = renderParts(status, later);
  return html`<!doctype html>
<html lang="en" data-version="${status.version}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${status.isSimulated && 'simulated · '}solar-exporter</title>
<link rel="stylesheet" href="assets/style.css">
<link rel="icon" href="assets/icon.svg" type="image/svg+xml">
<link rel="apple-touch-icon" href="assets/icon-192.png">
<link rel="manifest" href="assets/app.webmanifest" crossorigin="use-credentials">
<meta name="theme-color" content="#f6f7f9" media="(prefers-color-scheme: light)">
<meta name="theme-color" content="#12161c" media="(prefers-color-scheme: dark)">
<script type="module" src="assets/live.js"></script>
</head>
<body>
${renderHeader(status)}
<p id="simulated" role="note">${parts.simulated}</p>
<p id="connection" role="status"></p>
<main>
<div id="notices" role="status">${parts.notices}</div>
<p id="as-of">${parts['as-of']}</p>
<div id="stations">${later ?? renderArticles(parts.stations)}</div>
<section id="exporter" aria-label="Exporter">${parts.exporter}</section>
</main>
</body>
</html>
`.text;
}

function renderHeader({ version, telemetryPath }: Status): Markup {
  return html`<header>
<h1>solar-exporter</h1>
<small>version ${version}</small>
<nav aria-label="Pages for machines">
<a href=".${telemetryPath}">Metrics</a>
<a href="sd">Service discovery</a>
<a href="-/healthy">Healthy</a>
<a href="-/ready">Ready</a>
<a href="api/v1/status">JSON</a>
</nav>
</header>`;
}
