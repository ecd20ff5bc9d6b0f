import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Page } from '../metrics/page.ts';

/** What a route answers with; the body is left out for HEAD. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | number>>;
  readonly body: Buffer;
}

/** Answers requests for one path. */
export interface Route {
  (request: IncomingMessage): Reply | Promise<Reply>;
  /** GET and HEAD when absent; a HEAD is answered as a GET, without the body. */
  readonly methods?: readonly string[];
}

/** Creates an answer with a `content-length` header. */
export function replyWith(
  status: number,
  headers: Readonly<Record<string, string>>,
  body: Buffer,
): Reply {
  return { status, headers: { ...headers, 'content-length': body.length }, body };
}

/** Creates a short answer for people and probes. */
export function textReply(
  status: number,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): Reply {
  const contentType = { 'content-type': 'text/plain; charset=utf-8' };
  return replyWith(status, { ...contentType, ...headers }, Buffer.from(`${text}\n`));
}

/** The answers of pages, which are made once: nearly all requests are scrapes of a page that has not changed. */
const made = new WeakMap<Page, { plain?: Reply; compressed?: Reply | Promise<Reply> }>();

/**
 * Returns an answer of status 200, compressed when the client accepts gzip; at once, unless that is to be done first.
 *
 * @param headers - those of this page, always the same.
 */
export function compressibleReply(
  requestHeaders: IncomingHttpHeaders,
  headers: Readonly<Record<string, string>>,
  page: Page,
): Reply | Promise<Reply> {
  let known = made.get(page);
  if (known === undefined) made.set(page, (known = {}));
  const replyOf = (body: Buffer, coding?: object): Reply =>
    replyWith(200, { ...headers, vary: 'accept-encoding', ...coding }, body);
  if (!acceptsGzip(requestHeaders['accept-encoding'])) return (known.plain ??= replyOf(page.body));
  return (known.compressed ??= page
    .gzipped()
    .then((body) => (known.compressed = replyOf(body, { 'content-encoding': 'gzip' }))));
}

/** Whether an `Accept-Encoding` header allows gzip (RFC 9110, 12.5.3); no header means no. */
export function acceptsGzip(header: string | undefined): boolean {
  if (header === 'gzip') return true; // what Prometheus sends
  let anyCoding = false;
  for (const part of (header ?? '').toLowerCase().split(',')) {
    const [coding = '', ...parameters] = part.split(';').map((text) => text.trim());
    const isAllowed = !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
    if (coding === 'gzip' || coding === 'x-gzip') return isAllowed;
    if (coding === '*') anyCoding = isAllowed;
  }
  return anyCoding;
}
