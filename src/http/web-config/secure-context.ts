import { createSecureContext, DEFAULT_CIPHERS, type SecureContextOptions } from 'node:tls';
import { TLS_VERSIONS } from './tls-names.ts';
import type { TlsSettings } from './web-config.ts';

/** Says the settings in the words of node:tls. */
export function secureContextOptions(settings: TlsSettings): SecureContextOptions {
  const { cert, key, clientCa, minVersion, maxVersion, ciphers, curves } = settings;
  const isOld = minVersion === 'TLS10' || minVersion === 'TLS11';
  return {
    cert,
    key: key.reveal(),
    ...(clientCa === undefined ? {} : { ca: clientCa }),
    minVersion: TLS_VERSIONS[minVersion],
    maxVersion: TLS_VERSIONS[maxVersion],
    // OpenSSL has the old versions only without its minimum of security: their handshakes sign with SHA-1.
    ...(isOld ? { ciphers: `${ciphers ?? DEFAULT_CIPHERS}:@SECLEVEL=0` } : {}),
    ...(ciphers === undefined || isOld ? {} : { ciphers }),
    honorCipherOrder: settings.prefersServerCiphers,
    ...(curves === undefined ? {} : { ecdhCurve: curves }),
  };
}

/** Says why OpenSSL does not take these settings; undefined when it does. */
export function contextFault(settings: TlsSettings): string | undefined {
  try {
    createSecureContext(secureContextOptions(settings));
    return undefined;
  } catch (error) {
    return reasonOf(error);
  }
}

/** The reason that OpenSSL gives, which quotes nothing. */
function reasonOf(error: unknown): string {
  const hasReason = error instanceof Error && 'reason' in error && typeof error.reason === 'string';
  return hasReason ? String(error.reason) : 'no reason given';
}
