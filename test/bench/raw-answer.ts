import http, { type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import https from 'node:https';
import { buffer } from 'node:stream/consumers';

/** An answer as it came over the wire: still compressed, if it was. */
export interface RawAnswer {
  readonly status: number;
  /** Names and values by turns, as they were sent. */
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
}

/** Asks without the conveniences of fetch, which unpacks what it gets. */
export async function rawAnswer(
  url: URL | string,
  headers: OutgoingHttpHeaders = {},
): Promise<RawAnswer> {
  const client = String(url).startsWith('https:') ? https : http;
  const agent = new client.Agent({ keepAlive: true, rejectUnauthorized: false });
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    client.get(url, { headers, agent }, resolve).once('error', reject);
  });
  const body = await buffer(response);
  agent.destroy();
  return { status: response.statusCode ?? 0, rawHeaders: response.rawHeaders, body };
}
