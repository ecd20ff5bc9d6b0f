import { readFileSync } from 'node:fs';
import { type Reply, replyWith } from '../reply.ts';
import { STYLE } from './style.ts';

/** The scripts, which the browser gets without their comments: the first is the page's own, which imports the others. */
const SCRIPTS = [
  'live.js',
  'view.js',
  'notices.js',
  'station-view.js',
  'device-view.js',
  'energy-table.js',
  'exporter-view.js',
  'flow-drawing.js',
  'flow-corners.js',
  'format.js',
  'markup.js',
] as const;

const ICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><circle cx="16" cy="16" r="8" fill="#fade2a" stroke="#8a5a00"/></svg>';

/** Returns the files that the status page loads, by path. */
export function pageAssets(): ReadonlyMap<string, Reply> {
  const scripts = SCRIPTS.map((name) => {
    const source = readFileSync(new URL(name, import.meta.url), 'utf8');
    return [name, assetReply('text/javascript', withoutComments(source))] as const;
  });
  return new Map([
    ...scripts.map(([name, reply]) => [`/assets/${name}`, reply] as const),
    ['/assets/style.css', assetReply('text/css', STYLE)],
    ['/assets/icon.svg', assetReply('image/svg+xml', ICON)],
  ]);
}

/** Leaves out the comments that have lines of their own: they are for who reads the program, not for a phone. */
function withoutComments(source: string): string {
  return source.replace(/^ *\/\*\*[^]*?\*\/\n/gm, '');
}

function assetReply(type: string, text: string): Reply {
  const headers = {
    'content-type': `${type}; charset=utf-8`,
    // The files change with the program, and an old script must not render a new status.
    'cache-control': 'no-cache',
    'x-content-type-options': 'nosniff',
  };
  return replyWith(200, headers, Buffer.from(text));
}
