import type { Status } from '../../status/status.ts';
import { html, type Markup } from './markup.js';
import { type Parts, renderArticles, renderParts } from './view.js';

/**
 * Renders the whole status page, which is complete without any script. All addresses are relative, so that
 * it also works below a path of a reverse proxy.
 *
 * @param stations - where they are rendered already
 */
export function renderDocument(status: Status, stations?: Parts['stations']): string {
  const parts = renderParts(status, stations);
  return html`<!doctype html>
<html lang="en" data-version="${status.version}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${status.isSimulated && 'simulated · '}solar-exporter</title>
<link rel="stylesheet" href="assets/style.css">
<link rel="icon" href="assets/icon.svg" type="image/svg+xml">
<script type="module" src="assets/live.js"></script>
</head>
<body>
${renderHeader(status)}
<p id="simulated" role="note">${parts.simulated}</p>
<p id="connection" role="status"></p>
<main>
<div id="notices" role="status">${parts.notices}</div>
<p id="as-of">${parts['as-of']}</p>
<div id="stations">${renderArticles(parts.stations)}</div>
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
