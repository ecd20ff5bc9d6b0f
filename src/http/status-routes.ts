import type { IncomingHttpHeaders } from 'node:http';
import { Page } from '../metrics/render.ts';
import type { Status } from '../status/status.ts';
import { compressibleReply, type Reply, type Route } from './reply.ts';
import { pageAssets } from './status-page/assets.ts';
import { renderDocument } from './status-page/document.ts';

/** A person waits less patiently than Prometheus does, and the page updates itself when more is known. */
const LONGEST_WAIT_MS = 3000;

/** Forbids to load anything from elsewhere, to run inline scripts, and to show the page in a frame. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const HEADERS = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
} as const;

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
  const assets = [...pageAssets()].map(([path, reply]) => [path, () => reply] as const);
  return [
    ['/', async ({ headers }) => pageReply(headers, await read())],
    ['/api/v1/status', async ({ headers }) => jsonReply(headers, await read())],
    ...assets,
  ];
}

function pageReply(requestHeaders: IncomingHttpHeaders, status: Status): Promise<Reply> {
  const headers = {
    ...HEADERS,
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': CONTENT_SECURITY_POLICY,
  };
  return compressibleReply(requestHeaders, headers, new Page(renderDocument(status)));
}

function jsonReply(requestHeaders: IncomingHttpHeaders, status: Status): Promise<Reply> {
  const headers = { ...HEADERS, 'content-type': 'application/json; charset=utf-8' };
  return compressibleReply(requestHeaders, headers, new Page(JSON.stringify(status)));
}
