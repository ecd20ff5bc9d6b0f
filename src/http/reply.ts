/** What a route answers with; the body is left out for HEAD. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | number>>;
  readonly body: Buffer;
}

/** An answer whose headers say its length. */
export function replyWith(
  status: number,
  headers: Readonly<Record<string, string>>,
  body: Buffer,
): Reply {
  return { status, headers: { ...headers, 'content-length': body.length }, body };
}

/** A short answer for people and probes. */
export function textReply(
  status: number,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): Reply {
  const contentType = { 'content-type': 'text/plain; charset=utf-8' };
  return replyWith(status, { ...contentType, ...headers }, Buffer.from(`${text}\n`));
}
