import { Page } from '../../metrics/page.ts';
import { compressibleReply, type Route } from '../reply.ts';
import { live } from './live.ts';
import { STYLE } from './style.ts';

/** The sun, for a tab of a browser and for a phone: it lies within the circle that every shape of an icon leaves. */
const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32" stroke="#fade2a" stroke-width="1.7" stroke-linecap="round"><path fill="#12161c" stroke="none" d="M0 0h32v32H0z"/><circle cx="16" cy="16" r="5.4" fill="#fade2a" stroke="none"/><path d="M16 6v2.6m0 14.8v2.6M6 16h2.6m14.8 0h2.6M9 9l1.8 1.8m10.4 10.4l1.8 1.8M23 9l-1.8 1.8M10.8 21.2l-1.8 1.8"/></svg>`;

/** What a phone needs to know to install the page. All addresses are relative, for those below a path of a proxy. */
const MANIFEST = {
  name: 'solar-exporter',
  short_name: 'Solar',
  id: '../',
  start_url: '../',
  scope: '../',
  display: 'standalone',
  background_color: '#12161c',
  theme_color: '#12161c',
  icons: [{ src: 'icon.svg', sizes: 'any', type: 'image/svg+xml', purpose: 'any maskable' }],
};

/** The files that the status page loads, by path. */
export const PAGE_ASSETS: readonly (readonly [path: string, Route])[] = [
  asset('live.js', 'text/javascript', `(${live.toString()})();\n`),
  asset('style.css', 'text/css', STYLE),
  asset('icon.svg', 'image/svg+xml', ICON),
  asset('app.webmanifest', 'application/manifest+json', JSON.stringify(MANIFEST)),
];

function asset(name: string, type: string, text: string): readonly [path: string, Route] {
  const page = new Page(text);
  const headers = {
    'content-type': `${type}; charset=utf-8`,
    // The files change with the program, and an old script must not take up a new page.
    'cache-control': 'no-cache',
    'x-content-type-options': 'nosniff',
  };
  return [`/assets/${name}`, (request) => compressibleReply(request.headers, headers, page)];
}
