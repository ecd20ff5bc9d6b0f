import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';

/** Is what a PEM holds, or what completes "cert_file: …". */
export type Read<T> = { readonly held: T } | { readonly fault: string };

/** Reads the certificates of a PEM, beside which other things may stand. */
export function readCertificates(
  pem: string,
): Read<readonly [X509Certificate, ...X509Certificate[]]> {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
  if (blocks.length === 0)
    return {
      fault: 'holds no certificate; accepted: PEM, which begins -----BEGIN CERTIFICATE-----',
    };
  try {
    const [first = '', ...others] = blocks;
    const held = [new X509Certificate(first), ...others.map((block) => new X509Certificate(block))];
    return { held: held as [X509Certificate, ...X509Certificate[]] };
  } catch {
    return { fault: 'holds a certificate that cannot be decoded; accepted: X.509 in PEM' };
  }
}

/** Reads a private key that needs no passphrase. */
export function readPrivateKey(pem: string): Read<KeyObject> {
  if (!/-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(pem))
    return {
      fault: 'holds no private key; accepted: PEM, which begins -----BEGIN PRIVATE KEY-----',
    };
  if (/-----BEGIN ENCRYPTED PRIVATE KEY-----|^Proc-Type: 4,ENCRYPTED/m.test(pem))
    return { fault: 'holds an encrypted key; accepted: a key without a passphrase' };
  try {
    return { held: createPrivateKey(pem) };
  } catch {
    return {
      fault:
        'holds a private key that cannot be decoded; accepted: PKCS #8, PKCS #1 or SEC 1 in PEM',
    };
  }
}
