/** Is what a client logs in with. */
export interface Credentials {
  readonly user: string;
  readonly password: string;
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Reads the header of basic authentication (RFC 7617, in UTF-8); undefined when it is anything else. */
export function readCredentials(authorization: string | undefined): Credentials | undefined {
  const [, encoded] = /^basic +([A-Za-z0-9+/]+={0,2})$/i.exec(authorization ?? '') ?? [];
  if (encoded === undefined || encoded.length % 4 !== 0) return undefined;
  const text = decoded(encoded);
  const colonAt = text?.indexOf(':') ?? -1;
  if (text === undefined || colonAt < 0) return undefined;
  return { user: text.slice(0, colonAt), password: text.slice(colonAt + 1) };
}

function decoded(encoded: string): string | undefined {
  try {
    return decoder.decode(Buffer.from(encoded, 'base64'));
  } catch {
    return undefined;
  }
}
