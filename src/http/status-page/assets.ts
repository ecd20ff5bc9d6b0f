import { readFileSync } from 'node:fs';
import { type Reply, replyWith } from '../reply.ts';
import { STYLE } from './style.ts';

/** Sent to the browser as they are: the first is the page's own script, the others what it renders with. */
const SCRIPTS = [
  'live.js',
  'view.js',
  'notices.js',
  'station-view.js',
  'device-view.js',
  'exporter-view.js',
  'flow-drawing.js',
  'flow-corners.js',
  'format.js',
  'markup.js',
] as const;

const ICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><circle cx="16" cy="16" r="8" fill="#fade2a" stroke="#8a5a00"/></svg>';

/** What the status page loads, by path. */
export function pageAssets(): ReadonlyMap<string, Reply> {
  const scripts = SCRIPTS.map((name) => {
    const source = readFileSync(new URL(name, import.meta.url), 'utf8');
    return [name, assetReply('text/javascript', source)] as const;
  });
  return new Map([
    ...scripts.map(([name, reply]) => [`/assets/${name}`, reply] as const),
    ['/assets/style.css', assetReply('text/css', STYLE)],
    ['/assets/icon.svg', assetReply('image/svg+xml', ICON)],
  ]);
}

function assetReply(type: string, text: string): Reply {
  const headers = {
    'content-type': `${type}; charset=utf-8`,
    // They change with the program; an old script must not render a new status.
    'cache-control': 'no-cache',
    'x-content-type-options': 'nosniff',
  };
  return replyWith(200, headers, Buffer.from(text));
}
