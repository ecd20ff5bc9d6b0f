import { oneAtATime } from '../base/concurrency.ts';
import { Page } from '../metrics/page.ts';
import type { Status } from '../status/status.ts';
import { bytesInTurns } from './bytes-in-turns.ts';
import { jsonPieces } from './json-pieces.ts';
import { compressibleReply, type Route } from './reply.ts';
import { pageAssets } from './status-page/assets.ts';
import { documentPieces } from './status-page/document.ts';

/** A person waits less patiently than Prometheus does, and the page updates itself when more is known. */
const LONGEST_WAIT_MS = 3000;

/** Forbids to load anything from elsewhere, to run inline scripts, and to show the page in a frame. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const HEADERS = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
} as const;

const PAGE_HEADERS = {
  ...HEADERS,
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': CONTENT_SECURITY_POLICY,
};

const JSON_HEADERS = { ...HEADERS, 'content-type': 'application/json; charset=utf-8' };

/** The status, its stations, a station, its devices: each of these is a piece. */
const LEVELS_TO_DEVICES = 4;

export interface StatusRouteOptions {
  /** The longest wait inside one scrape. */
  readonly scrapeTimeoutMs: number;
  readonly readStatus: (waitMs: number) => Promise<Status>;
}

/** Creates the status page, the JSON behind it, and the files that the page loads. */
export function statusRoutes({
  scrapeTimeoutMs,
  readStatus,
}: StatusRouteOptions): readonly (readonly [string, Route])[] {
  const read = (): Promise<Status> => readStatus(Math.min(LONGEST_WAIT_MS, scrapeTimeoutMs));
  const page = oncePerStatus(documentPieces);
  const json = oncePerStatus((status) => jsonPieces(status, LEVELS_TO_DEVICES));
  return [
    [
      '/',
      async ({ headers }) => compressibleReply(headers, PAGE_HEADERS, await page(await read())),
    ],
    [
      '/api/v1/status',
      async ({ headers }) => compressibleReply(headers, JSON_HEADERS, await json(await read())),
    ],
    ...pageAssets(),
  ];
}

/** Makes a page of each status once for all who ask for it; of several that wait, only of the newest. */
function oncePerStatus(
  render: (status: Status) => Iterable<string>,
): (status: Status) => Promise<Page> {
  let made: { readonly status: Status; readonly page: Page } | undefined;
  const make = oneAtATime(async (status: Status) => {
    // It may have been made while this call waited.
    if (made?.status === status) return made.page;
    const page = new Page(await bytesInTurns(render(status)));
    made = { status, page };
    return page;
  });
  return async (status) => (made?.status === status ? made.page : make(status));
}
