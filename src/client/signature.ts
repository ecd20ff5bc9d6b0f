import { createHash, createHmac } from 'node:crypto';

/** What the login signature covers (interface 5.1). */
export interface SignatureInput {
  readonly appId: string;
  /** Lowercase hex SHA-256 of the exact bytes sent. */
  readonly bodyHash: string;
  /** 32 lowercase hex characters, new for each request. */
  readonly nonce: string;
}

/** The headers of a signed request, signature included (interface 5.1). */
export function signedHeaders(input: SignatureInput, appSecret: string): Record<string, string> {
  return { ...headerPairs(input), 'IOT-Open-Sign': sign(input, appSecret) };
}

/** Signs as interface 5.1 prescribes: sorted pairs, Base64, HMAC-SHA256, MD5 hex of the raw digest. */
export function sign(input: SignatureInput, appSecret: string): string {
  const pairs = Object.entries(headerPairs(input))
    .map(([name, value]) => `${name}=${value}`)
    .sort();
  const encoded = Buffer.from(pairs.join('&'), 'utf8').toString('base64');
  const digest = createHmac('sha256', appSecret).update(encoded).digest();
  return createHash('md5').update(digest).digest('hex');
}

/** Lowercase hex SHA-256 of a request body. */
export function hashBody(body: string): string {
  return createHash('sha256').update(body, 'utf8').digest('hex');
}

/** The form in which the service takes a password: lowercase hex MD5 (interface 4, endpoint 1). */
export function hashPassword(password: string): string {
  return createHash('md5').update(password, 'utf8').digest('hex');
}

function headerPairs({ appId, bodyHash, nonce }: SignatureInput): Record<string, string> {
  return {
    'IOT-Open-AppID': appId,
    'IOT-Open-Body-Hash': bodyHash,
    'IOT-Open-Nonce': nonce,
  };
}
