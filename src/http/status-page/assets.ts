import { readFileSync } from 'node:fs';
import { type Reply, replyWith } from '../reply.ts';
import { drawIcon, ICON, MANIFEST } from './app.ts';
import { STYLE } from './style.ts';

/** The sizes of the icon that a phone asks for when the page is installed. */
const ICON_SIZES = [192, 512];

/** Returns the files that the status page loads, by path. */
export function pageAssets(): ReadonlyMap<string, () => Reply> {
  const script = readFileSync(new URL('live.js', import.meta.url), 'utf8');
  return new Map([
    ...[
      ['live.js', assetReply('text/javascript', bare(script))] as const,
      ['style.css', assetReply('text/css', bare(STYLE))] as const,
      ['icon.svg', assetReply('image/svg+xml', ICON)] as const,
      [
        'app.webmanifest',
        assetReply('application/manifest+json', JSON.stringify(MANIFEST)),
      ] as const,
    ].map(([name, reply]) => [`/assets/${name}`, () => reply] as const),
    ...ICON_SIZES.map((size) => [`/assets/icon-${size}.png`, pictureOnce(size)] as const),
  ]);
}

/** Leaves out what is for those who read the program, and not for a phone: comments on lines of their own, and indentation. */
function bare(source: string): string {
  return source
    .replace(/^ *\/\*[^]*?\*\/\n/gm, '')
    .replace(/^ *\/\/.*\n/gm, '')
    .replace(/^ +/gm, '')
    .replace(/\n+/g, '\n');
}

/** Draws the icon when it is asked for, once. */
function pictureOnce(size: number): () => Reply {
  let reply: Reply | undefined;
  return () => (reply ??= assetReply('image/png', drawIcon(size)));
}

function assetReply(type: string, body: string | Buffer): Reply {
  const headers = {
    'content-type': typeof body === 'string' ? `${type}; charset=utf-8` : type,
    // The files change with the program, and an old script must not render a new status.
    'cache-control': 'no-cache',
    'x-content-type-options': 'nosniff',
  };
  return replyWith(200, headers, Buffer.from(body));
}
