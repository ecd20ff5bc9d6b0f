/** What a route answers with; the body is left out for HEAD. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** A short answer for people and probes. */
export function textReply(status: number, text: string, headers = {}): Reply {
  return {
    status,
    headers: { 'content-type': 'text/plain; charset=utf-8', ...headers },
    body: Buffer.from(`${text}\n`),
  };
}
