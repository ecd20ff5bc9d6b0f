import { type Reply, replyWith } from './reply.ts';

/** The page at `/`: what this is, and where to go. */
export function landingPage(telemetryPath: string, version: string): Reply {
  const href = escapeHtml(telemetryPath);
  const html = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>solar-exporter</title>
<style>:root{color-scheme:light dark;font:1rem/1.6 system-ui,sans-serif}body{max-width:40rem;margin:3rem auto;padding:0 1rem}</style>
<h1>solar-exporter</h1>
<p>Version ${escapeHtml(version)}. Point Prometheus at <a href="${href}">${href}</a>.</p>
<ul>
<li><a href="${href}">Metrics</a></li>
<li><a href="/-/healthy">Healthy</a></li>
<li><a href="/-/ready">Ready</a></li>
</ul>
</html>
`;
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
    'x-content-type-options': 'nosniff',
  };
  return replyWith(200, headers, Buffer.from(html));
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
