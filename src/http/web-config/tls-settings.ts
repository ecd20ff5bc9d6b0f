import { createSecureContext, DEFAULT_CIPHERS, type SecureContextOptions } from 'node:tls';
import type { Secret } from '../../base/shown.ts';

/** Versions of TLS by their names in the file, oldest first; the values are the names of Node.js. */
const TLS_VERSIONS = {
  TLS10: 'TLSv1',
  TLS11: 'TLSv1.1',
  TLS12: 'TLSv1.2',
  TLS13: 'TLSv1.3',
} as const;

export type TlsVersionName = keyof typeof TLS_VERSIONS;

export const TLS_VERSION_NAMES = Object.keys(TLS_VERSIONS) as readonly TlsVersionName[];

/** Elliptic curves by their names in the file; the values are the names of OpenSSL. */
export const CURVES = {
  CurveP256: 'P-256',
  CurveP384: 'P-384',
  CurveP521: 'P-521',
  X25519: 'X25519',
} as const;

/** Cipher suites of TLS 1.3. They are always on with that version; OpenSSL has the same names for them. */
export const TLS13_CIPHER_SUITES = [
  'TLS_AES_128_GCM_SHA256',
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
] as const;

/** Cipher suites up to TLS 1.2 by their names in the file; the values are the names of OpenSSL. */
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
 * What a client has to show: nothing; a certificate if it likes; any certificate; a good certificate or
 * none; a good certificate.
 */
export const CLIENT_AUTH_TYPES = [
  'NoClientCert',
  'RequestClientCert',
  'RequireAnyClientCert',
  'VerifyClientCertIfGiven',
  'RequireAndVerifyClientCert',
] as const;

export type ClientAuthType = (typeof CLIENT_AUTH_TYPES)[number];

/** Whether a certificate that a client shows has to be good. */
export function isVerified(clientAuth: ClientAuthType): boolean {
  return clientAuth === 'VerifyClientCertIfGiven' || clientAuth === 'RequireAndVerifyClientCert';
}

/** Whether a client has to show a certificate. */
export function isRequired(clientAuth: ClientAuthType): boolean {
  return clientAuth === 'RequireAnyClientCert' || clientAuth === 'RequireAndVerifyClientCert';
}

/** How connections are encrypted, and which clients are served. */
export interface TlsSettings extends TlsRules {
  /** PEM with the certificate and the intermediate ones. */
  readonly cert: string;
  readonly key: Secret;
  /** PEM with the authorities that sign the certificates of clients. */
  readonly clientCa?: string | undefined;
}

/** The part of the settings that is not read from files. */
export interface TlsRules {
  readonly clientAuth: ClientAuthType;
  readonly minVersion: TlsVersionName;
  readonly maxVersion: TlsVersionName;
  /** In the notation of OpenSSL; undefined: the defaults of Node.js. */
  readonly ciphers?: string | undefined;
  readonly prefersServerCiphers: boolean;
  /** In the notation of OpenSSL; undefined: the defaults of Node.js. */
  readonly curves?: string | undefined;
}

/** Returns the settings as options of node:tls. */
export function secureContextOptions(settings: TlsSettings): SecureContextOptions {
  const { cert, key, clientCa, minVersion, maxVersion, ciphers, curves } = settings;
  const isOld = minVersion === 'TLS10' || minVersion === 'TLS11';
  return {
    cert,
    key: key.reveal(),
    ...(clientCa === undefined ? {} : { ca: clientCa }),
    minVersion: TLS_VERSIONS[minVersion],
    maxVersion: TLS_VERSIONS[maxVersion],
    // Handshakes of the old versions sign with SHA-1, which OpenSSL refuses above security level 0.
    ...(isOld ? { ciphers: `${ciphers ?? DEFAULT_CIPHERS}:@SECLEVEL=0` } : {}),
    ...(ciphers === undefined || isOld ? {} : { ciphers }),
    honorCipherOrder: settings.prefersServerCiphers,
    ...(curves === undefined ? {} : { ecdhCurve: curves }),
  };
}

/** Returns why OpenSSL refuses these settings; undefined when it accepts them. */
export function contextFault(settings: TlsSettings): string | undefined {
  try {
    createSecureContext(secureContextOptions(settings));
    return undefined;
  } catch (error) {
    return reasonOf(error);
  }
}

/** Returns the reason that OpenSSL gives, which never quotes the settings. */
function reasonOf(error: unknown): string {
  const hasReason = error instanceof Error && 'reason' in error && typeof error.reason === 'string';
  return hasReason ? String(error.reason) : 'no reason given';
}
