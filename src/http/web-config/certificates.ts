import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { z } from 'zod';
import { readFailure, Secret } from '../../base/shown.ts';
import { problemAt, shown } from './fields.ts';
import { contextFault, type TlsRules, type TlsSettings } from './tls-settings.ts';

/** The outcome of reading the certificates and the key: settings, or a sentence for every problem. */
export interface LoadedTls {
  /** Undefined when there is a problem, or no certificate. */
  readonly tls: TlsSettings | undefined;
  readonly problems: readonly string[];
}

const SECTION = 'tls_server_config';

// What is wrong with these keys themselves is reported by the schema of the section.
const optionalText = z.string().min(1).optional().catch(undefined);
const pemKeys = z
  .object({
    cert: optionalText,
    cert_file: optionalText,
    key: optionalText,
    key_file: optionalText,
    client_ca: optionalText,
    client_ca_file: optionalText,
  })
  .catch({});
/**
 * Reads the certificates and the key that `tls_server_config` names or holds.
 *
 * @param rules - undefined when the rest of the section is wrong; the files are checked all the same, so
 * that all problems are reported at once.
 */
export function loadTls(
  section: unknown,
  rules: TlsRules | undefined,
  readFile: (path: string) => string,
): LoadedTls {
  const keys = pemKeys.parse(section);
  const problems: string[] = [];
  const refuse = (key: string, sentence: string): void =>
    void problems.push(problemAt([SECTION, key], sentence));

  function load<T>(name: 'cert' | 'key' | 'client_ca', decode: (pem: string) => Decoded<T>) {
    const path = keys[`${name}_file`];
    const key = path === undefined ? name : `${name}_file`;
    const pem = path === undefined ? keys[name] : readPem(path, key);
    if (pem === undefined) return undefined;
    const decoded = decode(pem);
    if ('value' in decoded) return { key, pem, value: decoded.value };
    refuse(key, `${path === undefined ? '' : `${shown(path)} `}${decoded.fault}`);
    return undefined;
  }

  function readPem(path: string, key: string): string | undefined {
    try {
      return readFile(path);
    } catch (error) {
      const reason = readFailure(error);
      refuse(key, `${shown(path)} cannot be read (${reason}); accepted: a readable PEM file`);
      return undefined;
    }
  }

  const isGiven = (name: 'cert' | 'key'): boolean =>
    (keys[`${name}_file`] ?? keys[name]) !== undefined;
  // The schema reports which of the two is missing.
  if (!isGiven('cert') || !isGiven('key')) return { tls: undefined, problems };
  const cert = load('cert', decodeCertificates);
  const key = load('key', decodePrivateKey);
  const clientCa = load('client_ca', decodeCertificates);
  if (problems.length > 0 || cert === undefined || key === undefined)
    return { tls: undefined, problems };
  if (!cert.value[0].checkPrivateKey(key.value)) {
    refuse(
      key.key,
      `is not the key of the certificate in ${cert.key}; accepted: the two that were made together`,
    );
    return { tls: undefined, problems };
  }
  if (rules === undefined) return { tls: undefined, problems };
  const tls = { ...rules, cert: cert.pem, key: new Secret(key.pem), clientCa: clientCa?.pem };
  const fault = contextFault(tls);
  if (fault === undefined) return { tls, problems };
  refuse(cert.key, `cannot be used (${fault}); accepted: what OpenSSL takes for a server`);
  return { tls: undefined, problems };
}

/** The content of a PEM, or what completes "cert_file: …". */
type Decoded<T> = { readonly value: T } | { readonly fault: string };

/** Decodes the certificates of a PEM, which may hold other things, too. */
function decodeCertificates(
  pem: string,
): Decoded<readonly [X509Certificate, ...X509Certificate[]]> {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
  const [first, ...others] = blocks;
  if (first === undefined)
    return {
      fault: 'holds no certificate; accepted: PEM, which begins -----BEGIN CERTIFICATE-----',
    };
  try {
    return {
      value: [new X509Certificate(first), ...others.map((block) => new X509Certificate(block))],
    };
  } catch {
    return { fault: 'holds a certificate that cannot be decoded; accepted: X.509 in PEM' };
  }
}

/** Decodes a private key that needs no passphrase. */
function decodePrivateKey(pem: string): Decoded<KeyObject> {
  if (!/-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(pem))
    return {
      fault: 'holds no private key; accepted: PEM, which begins -----BEGIN PRIVATE KEY-----',
    };
  if (/-----BEGIN ENCRYPTED PRIVATE KEY-----|^Proc-Type: 4,ENCRYPTED/m.test(pem))
    return { fault: 'holds an encrypted key; accepted: a key without a passphrase' };
  try {
    return { value: createPrivateKey(pem) };
  } catch {
    return {
      fault:
        'holds a private key that cannot be decoded; accepted: PKCS #8, PKCS #1 or SEC 1 in PEM',
    };
  }
}
