import type { IncomingHttpHeaders } from 'node:http';
import { Page } from '../metrics/page.ts';
import type { Status } from '../status/status.ts';
import { compressibleReply } from './compressible.ts';
import type { Reply } from './reply.ts';
import type { Route } from './route.ts';
import { pageAssets } from './status-page/assets.ts';
import { renderDocument } from './status-page/document.ts';

/** A person waits less patiently than Prometheus does; the page fills by itself when more is known. */
const LONGEST_WAIT_MS = 3000;

/** Nothing is loaded from anywhere else, nothing inline is run, and nobody frames the page. */
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

/** The status page, the JSON behind it, and what the page loads. */
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
