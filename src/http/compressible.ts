import type { IncomingHttpHeaders } from 'node:http';
import type { Page } from '../metrics/page.ts';
import { acceptsGzip } from './accepts-gzip.ts';
import { type Reply, replyWith } from './reply.ts';

/** An answer of status 200, compressed for whoever reads it so. */
export async function compressibleReply(
  requestHeaders: IncomingHttpHeaders,
  headers: Readonly<Record<string, string>>,
  page: Page,
): Promise<Reply> {
  const varying = { ...headers, vary: 'accept-encoding' };
  if (!acceptsGzip(requestHeaders['accept-encoding'])) return replyWith(200, varying, page.body);
  return replyWith(200, { ...varying, 'content-encoding': 'gzip' }, await page.gzipped());
}
