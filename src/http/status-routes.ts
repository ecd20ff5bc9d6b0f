import { Page } from '../metrics/page.ts';
import type { Status } from '../status/status.ts';
import { compressibleReply, type Route } from './reply.ts';
import { PAGE_ASSETS } from './status-page/assets.ts';

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
  const waitMs = Math.min(LONGEST_WAIT_MS, scrapeTimeoutMs);
  /** Answers with what is made of a status, once for all who get the same one. */
  const route = (
    headers: Readonly<Record<string, string>>,
    render: (status: Status, asked?: URLSearchParams) => string | Promise<string>,
  ) => {
    let made: { readonly status: Status; readonly page: Page } | undefined;
    return async (request: Parameters<Route>[0]) => {
      const status = await readStatus(waitMs);
      const [, query] = request.url?.split('?') ?? [];
      if (query !== undefined) {
        // Few people look at one station, and that is soon made.
        const page = new Page(await render(status, new URLSearchParams(query)));
        return compressibleReply(request.headers, headers, page);
      }
      if (made?.status !== status) made = { status, page: new Page(await render(status)) };
      return compressibleReply(request.headers, headers, made.page);
    };
  };
  return [
    [
      '/',
      // Most exporters are only scraped, and do not need to load what renders the page.
      route(PAGE_HEADERS, async (status, asked) =>
        (await import('./status-page/document.ts')).renderDocument(status, asked),
      ),
    ],
    ['/api/v1/status', route(JSON_HEADERS, (status) => JSON.stringify(status))],
    ...PAGE_ASSETS,
  ];
}
