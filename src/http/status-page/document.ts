import type { Status } from '../../status/status.ts';
import { html, type Markup } from './markup.js';
import { renderParts } from './view.js';

/**
 * The whole status page, complete without any script. All addresses are relative, so that it also works
 * below a path of a reverse proxy.
 */
export function renderDocument(status: Status): string {
  const { notices, stations, exporter } = renderParts(status);
  const main = html`<div id="connection" role="status" hidden></div>
    <main>
      <div id="notices" role="status">${notices}</div>
      <div id="stations">${stations}</div>
      <section id="exporter">${exporter}</section>
    </main>`;
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>solar-exporter</title>
        <link rel="stylesheet" href="assets/style.css" />
        <link rel="icon" href="assets/icon.svg" type="image/svg+xml" />
        <script type="module" src="assets/live.js"></script>
      </head>
      <body>
        ${renderHeader(status)} ${main}
      </body>
    </html> `.text;
}

function renderHeader({ version, telemetryPath, stations }: Status): Markup {
  const probes = stations.map(
    ({ stationId, name }) =>
      html`<a href="probe?target=${encodeURIComponent(stationId)}">Probe ${name ?? stationId}</a>`,
  );
  return html`<header>
    <h1>solar-exporter</h1>
    <small>version ${version}</small>
    <nav aria-label="Pages for machines">
      <a href=".${telemetryPath}">Metrics</a>
      ${probes}
      <a href="sd">Stations</a>
      <a href="-/healthy">Healthy</a>
      <a href="-/ready">Ready</a>
      <a href="api/v1/status">JSON</a>
    </nav>
  </header>`;
}
