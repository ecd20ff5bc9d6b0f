import { createHash, createHmac, randomBytes, randomUUID } from 'node:crypto';

/** What a client signs, in which form, and what of it it sends. */
export interface LoginShape {
  readonly nonce: () => string;
  /** Whether the hash of the body is among the headers; it is signed unless `isHashSigned` says no. */
  readonly isHashSent: boolean;
  readonly isHashSigned?: boolean;
  /** Everything beside the signed headers. */
  readonly headers: Readonly<Record<string, string>>;
}

const LETTERS_AND_DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** The nonces that clients make. */
export const NONCES = {
  hexadecimal: () => randomBytes(16).toString('hex'),
  uuid: () => randomUUID().replaceAll('-', ''),
  mixedCase: () =>
    Array.from(randomBytes(32), (byte) => LETTERS_AND_DIGITS[byte % 62] ?? 'A').join(''),
} as const;

const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' } as const;
const BROWSER = {
  Accept: 'application/json',
  'Accept-Language': 'en-US',
  Origin: 'https://portal.example',
  Referer: 'https://portal.example/',
  'User-Agent': 'Mozilla/5.0',
} as const;

/** How public clients of the portal log in, by what is peculiar to each. */
export const LOGINS = {
  'signs as the interface says and sends its zone': {
    nonce: NONCES.hexadecimal,
    isHashSent: true,
    headers: { ...JSON_TYPE, 'IOT-Time-Zone': 'Asia/Shanghai' },
  },
  'sends the word null for its token': {
    nonce: NONCES.hexadecimal,
    isHashSent: true,
    headers: { 'content-type': 'application/json', 'IOT-Token': 'null' },
  },
  'sends null and keeps the hash of the body to itself': {
    nonce: NONCES.hexadecimal,
    isHashSent: false,
    headers: { ...JSON_TYPE, ...BROWSER, 'IOT-Time-Zone': 'Asia/Bangkok', 'IOT-Token': 'null' },
  },
  'sends null, no hash, and a nonce of any letters': {
    nonce: NONCES.mixedCase,
    isHashSent: false,
    headers: { ...JSON_TYPE, ...BROWSER, 'IOT-Time-Zone': 'Asia/Singapore', 'IOT-Token': 'null' },
  },
  'makes its nonce of any letters and sends everything': {
    nonce: NONCES.mixedCase,
    isHashSent: true,
    headers: { ...JSON_TYPE, 'IOT-Time-Zone': 'Europe/Kyiv', 'IOT-Token': 'null' },
  },
  'names no time zone': {
    nonce: NONCES.hexadecimal,
    isHashSent: false,
    headers: { 'content-type': 'application/json;charset=UTF-8' },
  },
  'does not sign the body at all': {
    nonce: NONCES.uuid,
    isHashSent: false,
    isHashSigned: false,
    headers: { ...JSON_TYPE },
  },
} as const satisfies Readonly<Record<string, LoginShape>>;

/** Signs a body as a client of this shape does. */
export function loginHeaders(
  body: string,
  { nonce: newNonce, isHashSent, isHashSigned = true, headers }: LoginShape,
): Readonly<Record<string, string>> {
  const hash = createHash('sha256').update(body).digest('hex');
  const sent = { 'IOT-Open-AppID': 'demo-app-id', 'IOT-Open-Nonce': newNonce() };
  const signed = { ...sent, ...(isHashSigned ? { 'IOT-Open-Body-Hash': hash } : {}) };
  const joined = Object.entries(signed)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, value]) => `${key}=${value}`)
    .join('&');
  const mac = createHmac('sha256', 'demo-app-secret').update(btoa(joined)).digest();
  return {
    ...headers,
    ...sent,
    ...(isHashSent ? { 'IOT-Open-Body-Hash': hash } : {}),
    'IOT-Open-Sign': createHash('md5').update(mac).digest('hex'),
  };
}
