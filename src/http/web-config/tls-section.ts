import type { Section, SectionKeys } from './section.ts';
import {
  CLIENT_AUTH_TYPES,
  CURVES,
  isVerified,
  TLS12_CIPHER_SUITES,
  TLS13_CIPHER_SUITES,
  TLS_VERSION_NAMES,
  type ClientAuthType,
  type Tls12CipherSuite,
  type TlsVersionName,
} from './tls-names.ts';
import type { TlsRules } from './web-config.ts';

/** Is where a PEM comes from: a file, or the web configuration itself. */
export type PemSource = { readonly key: string } & (
  { readonly path: string } | { readonly text: string }
);

/** Is the section of the file about TLS, before any file that it names is read. */
export interface TlsSection {
  readonly cert: PemSource;
  readonly key: PemSource;
  readonly clientCa: PemSource | undefined;
  readonly rules: TlsRules;
}

export const TLS_KEYS = {
  accepted: [
    'cert_file',
    'key_file',
    'cert',
    'key',
    'client_auth_type',
    'client_ca_file',
    'client_ca',
    'min_version',
    'max_version',
    'cipher_suites',
    'prefer_server_cipher_suites',
    'curve_preferences',
  ],
  unsupported: ['client_allowed_sans'],
} as const satisfies SectionKeys;

const SUITES = [
  ...TLS13_CIPHER_SUITES,
  ...(Object.keys(TLS12_CIPHER_SUITES) as Tls12CipherSuite[]),
] as const;

/** Reads `tls_server_config`; undefined when nothing is said there, or nothing sound. */
export function readTlsSection(section: Section): TlsSection | undefined {
  if (section.isBlank) return undefined;
  const cert = readPem(section, 'cert');
  const key = readPem(section, 'key');
  const clientCa = readPem(section, 'client_ca');
  const clientAuth = readClientAuth(section, clientCa !== undefined);
  const versions = readVersions(section);
  const curves = section.choices('curve_preferences', 'curve', Object.keys(CURVES) as Curve[]);
  const rules: TlsRules = {
    clientAuth,
    ...versions,
    ciphers: readCiphers(section, versions),
    prefersServerCiphers: section.boolean('prefer_server_cipher_suites') ?? true,
    ...(curves.length === 0 ? {} : { curves: curves.map((name) => CURVES[name]).join(':') }),
  };
  for (const [name, source] of [
    ['cert', cert],
    ['key', key],
  ] as const)
    if (source === undefined)
      section.refuse(`${name}_file`, `is missing; accepted: a PEM file, or ${name} with the PEM`);
  return cert === undefined || key === undefined ? undefined : { cert, key, clientCa, rules };
}

/** What other exporters still take for RequireAnyClientCert. */
const OLD_NAME = 'RequireClientCert';

type Curve = keyof typeof CURVES;

function readPem(section: Section, key: string): PemSource | undefined {
  const path = section.text(`${key}_file`);
  const text = section.text(key);
  if (path !== undefined && text !== undefined)
    section.refuse(key, `is given beside ${key}_file; accepted: one of the two`);
  if (path !== undefined) return { key: `${key}_file`, path };
  return text === undefined ? undefined : { key, text };
}

function readClientAuth(section: Section, hasClientCa: boolean): ClientAuthType {
  const key = 'client_auth_type';
  const given = section.choice(key, 'client_auth_type', [...CLIENT_AUTH_TYPES, OLD_NAME]);
  if (given === undefined && section.has(key)) return 'NoClientCert';
  const clientAuth = given === OLD_NAME ? 'RequireAnyClientCert' : (given ?? 'NoClientCert');
  if (hasClientCa && clientAuth === 'NoClientCert')
    section.refuse(
      key,
      'asks no client for a certificate, but a client_ca is given; accepted: RequireAndVerifyClientCert, VerifyClientCertIfGiven',
    );
  if (!hasClientCa && isVerified(clientAuth))
    section.refuse(key, `${clientAuth} has nobody to trust; accepted: a client_ca_file beside it`);
  return clientAuth;
}

interface Versions {
  readonly minVersion: TlsVersionName;
  readonly maxVersion: TlsVersionName;
}

function readVersions(section: Section): Versions {
  const minVersion = section.choice('min_version', 'version', TLS_VERSION_NAMES) ?? 'TLS12';
  const maxVersion = section.choice('max_version', 'version', TLS_VERSION_NAMES) ?? 'TLS13';
  if (TLS_VERSION_NAMES.indexOf(maxVersion) < TLS_VERSION_NAMES.indexOf(minVersion))
    section.refuse(
      'max_version',
      `"${maxVersion}" is older than min_version, which is "${minVersion}"; accepted: ${TLS_VERSION_NAMES.slice(TLS_VERSION_NAMES.indexOf(minVersion)).join(', ')}`,
    );
  return { minVersion, maxVersion };
}

function readCiphers(section: Section, { maxVersion }: Versions): string | undefined {
  const suites = section.choices('cipher_suites', 'cipher suite', SUITES);
  if (suites.length === 0) return undefined;
  const olderSuites = suites.flatMap((name) =>
    name in TLS12_CIPHER_SUITES ? [TLS12_CIPHER_SUITES[name as Tls12CipherSuite]] : [],
  );
  if (olderSuites.length === 0 && maxVersion !== 'TLS13')
    section.refuse(
      'cipher_suites',
      `names no suite for max_version, which is "${maxVersion}"; accepted: ${Object.keys(TLS12_CIPHER_SUITES).join(', ')}`,
    );
  // Node.js takes TLS 1.3 off when none of its suites is named.
  return [...TLS13_CIPHER_SUITES, ...olderSuites].join(':');
}
