/** Versions of TLS, by the names of the file; the values are those of Node.js. In order of age. */
export const TLS_VERSIONS = {
  TLS10: 'TLSv1',
  TLS11: 'TLSv1.1',
  TLS12: 'TLSv1.2',
  TLS13: 'TLSv1.3',
} as const;

export type TlsVersionName = keyof typeof TLS_VERSIONS;

export const TLS_VERSION_NAMES = Object.keys(TLS_VERSIONS) as readonly TlsVersionName[];

/** Elliptic curves, by the names of the file; the values are those of OpenSSL. */
export const CURVES = {
  CurveP256: 'P-256',
  CurveP384: 'P-384',
  CurveP521: 'P-521',
  X25519: 'X25519',
} as const;

/** Always on where TLS 1.3 is, whatever is named; the names of OpenSSL are the same. */
export const TLS13_CIPHER_SUITES = [
  'TLS_AES_128_GCM_SHA256',
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
] as const;

/** Suites up to TLS 1.2, by the names of the file; the values are those of OpenSSL. */
export const TLS12_CIPHER_SUITES = {
  TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA: 'ECDHE-ECDSA-AES128-SHA',
  TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA: 'ECDHE-ECDSA-AES256-SHA',
  TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA: 'ECDHE-RSA-AES128-SHA',
  TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA: 'ECDHE-RSA-AES256-SHA',
  TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256: 'ECDHE-ECDSA-AES128-GCM-SHA256',
  TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384: 'ECDHE-ECDSA-AES256-GCM-SHA384',
  TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256: 'ECDHE-RSA-AES128-GCM-SHA256',
  TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384: 'ECDHE-RSA-AES256-GCM-SHA384',
  TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256: 'ECDHE-RSA-CHACHA20-POLY1305',
  TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256: 'ECDHE-ECDSA-CHACHA20-POLY1305',
} as const;

export type Tls12CipherSuite = keyof typeof TLS12_CIPHER_SUITES;

/**
 * What is asked of clients: nothing; a certificate they may leave out; any certificate; a good one or
 * none; a good one.
 */
export const CLIENT_AUTH_TYPES = [
  'NoClientCert',
  'RequestClientCert',
  'RequireAnyClientCert',
  'VerifyClientCertIfGiven',
  'RequireAndVerifyClientCert',
] as const;

export type ClientAuthType = (typeof CLIENT_AUTH_TYPES)[number];

/** Whether a certificate that a client gives has to be good. */
export function isVerified(clientAuth: ClientAuthType): boolean {
  return clientAuth === 'VerifyClientCertIfGiven' || clientAuth === 'RequireAndVerifyClientCert';
}

/** Whether a client has to give a certificate. */
export function isRequired(clientAuth: ClientAuthType): boolean {
  return clientAuth === 'RequireAnyClientCert' || clientAuth === 'RequireAndVerifyClientCert';
}
