import type { IncomingHttpHeaders } from 'node:http';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { acceptsGzip } from './accepts-gzip.ts';
import { type Reply, replyWith } from './reply.ts';

const compress = promisify(gzip);

/** An answer of status 200, compressed for whoever reads it so. */
export async function compressibleReply(
  requestHeaders: IncomingHttpHeaders,
  headers: Readonly<Record<string, string>>,
  body: Buffer,
): Promise<Reply> {
  const varying = { ...headers, vary: 'accept-encoding' };
  if (!acceptsGzip(requestHeaders['accept-encoding'])) return replyWith(200, varying, body);
  return replyWith(200, { ...varying, 'content-encoding': 'gzip' }, await compress(body));
}
