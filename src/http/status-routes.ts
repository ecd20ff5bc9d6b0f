import type { Status } from '../status/status.ts';
import { compressibleReply, type Route } from './reply.ts';
import { live } from './status-page/live.ts';
import { STYLE } from './status-page/style.ts';

/** A person waits less patiently than Prometheus does, and the page updates itself when more is known. */
const LONGEST_WAIT_MS = 3000;

/** Forbids to load anything from elsewhere, to run inline scripts, and to show the page in a frame. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
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
}: StatusRouteOptions): Readonly<Record<string, Route>> {
  const waitMs = Math.min(LONGEST_WAIT_MS, scrapeTimeoutMs);
  /** Answers with what is made of a status and of the stations that are asked for, once for all who get the same. */
  const route = (
    headers: Readonly<Record<string, string>>,
    render: (status: Status, chosen: Chosen) => string | Promise<string>,
  ): Route => {
    let made: { readonly status: Status; readonly pages: Map<string, Buffer> } | undefined;
    return async (request) => {
      const status = await readStatus(waitMs);
      if (made?.status !== status) made = { status, pages: new Map() };
      const { pages } = made;
      const chosen = chosenStations(status, request.url ?? '');
      const name = chosen.map(({ stationId }) => stationId).join();
      const page = pages.get(name) ?? Buffer.from(await render(status, chosen));
      pages.set(name, page);
      return compressibleReply(request.headers, headers, page);
    };
  };
  const document = async (status: Status, chosen: Chosen): Promise<string> =>
    // Most exporters are only scraped, and do not need to load what renders the page.
    (await import('./status-page/document.ts')).renderDocument(status, chosen);
  return {
    '/': route(PAGE_HEADERS, document),
    '/api/v1/status': route(JSON_HEADERS, (status) => JSON.stringify(status)),
    '/assets/live.js': asset('text/javascript', `(${live.toString()})();\n`),
    '/assets/style.css': asset('text/css', STYLE),
  };
}

type Chosen = Status['stations'];

/** Finds the station that a query names as `target`; else none. */
function chosenStations({ stations }: Status, url: string): Chosen {
  const asked = new URLSearchParams(/\?.*$/s.exec(url)?.[0]);
  return stations.filter(({ stationId }) => stationId === asked.get('target'));
}

function asset(type: string, text: string): Route {
  const page = Buffer.from(text);
  const headers = {
    'content-type': `${type}; charset=utf-8`,
    // The files change with the program, and an old script must not renew a new page.
    'cache-control': 'no-cache',
    'x-content-type-options': 'nosniff',
  };
  return (request) => compressibleReply(request.headers, headers, page);
}
