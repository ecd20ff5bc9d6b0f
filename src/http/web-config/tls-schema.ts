import type { z } from 'zod';
import {
  boolean,
  choice,
  choices,
  isMapping,
  mapping,
  optional,
  section,
  text,
  texts,
} from './fields.ts';
import {
  CLIENT_AUTH_TYPES,
  type ClientAuthType,
  CURVES,
  isVerified,
  TLS12_CIPHER_SUITES,
  TLS13_CIPHER_SUITES,
  TLS_VERSION_NAMES,
  type Tls12CipherSuite,
  type TlsRules,
  type TlsVersionName,
} from './tls-settings.ts';

/** The name that other exporters still accept for RequireAnyClientCert. */
const OLD_NAME = 'RequireClientCert';

type ClientAuthName = ClientAuthType | typeof OLD_NAME;

const OLDER_SUITES = namesOf(TLS12_CIPHER_SUITES);

const keys = mapping({
  cert_file: optional(text),
  key_file: optional(text),
  cert: optional(text),
  key: optional(text),
  client_auth_type: optional(
    choice<ClientAuthName>('client_auth_type', [...CLIENT_AUTH_TYPES, OLD_NAME]),
  ),
  client_ca_file: optional(text),
  client_ca: optional(text),
  min_version: optional(choice('version', TLS_VERSION_NAMES)),
  max_version: optional(choice('version', TLS_VERSION_NAMES)),
  cipher_suites: optional(choices('cipher suite', [...TLS13_CIPHER_SUITES, ...OLDER_SUITES])),
  prefer_server_cipher_suites: optional(boolean),
  curve_preferences: optional(choices('curve', namesOf(CURVES))),
});

type TlsKeys = z.output<typeof keys>;

/** Validates `tls_server_config`; undefined when nothing is set there. */
export const tlsSchema = section(
  keys
    .superRefine(
      (section, context) => {
        for (const [key, message] of problemsBetween(section))
          context.addIssue({ code: 'custom', path: [key], message });
      },
      // Also when single keys are wrong, so that all problems are reported at once.
      { when: ({ value }) => isMapping(value) && !isEmpty(value) },
    )
    .transform((section) => (isEmpty(section) ? undefined : rulesOf(section))),
);

function isEmpty(section: Readonly<Record<string, unknown>>): boolean {
  return Object.values(section).every((value) => value === undefined);
}

/** Yields the problems that several keys have together. A key that is wrong alone may hold anything. */
function* problemsBetween(section: TlsKeys): Iterable<readonly [key: keyof TlsKeys, string]> {
  const isGiven = (key: keyof TlsKeys): boolean => typeof section[key] === 'string';

  for (const name of ['cert', 'key', 'client_ca'] as const)
    if (isGiven(name) && isGiven(`${name}_file`))
      yield [name, `is given beside ${name}_file; accepted: one of the two`];

  const clientAuth = section.client_auth_type ?? 'NoClientCert';
  const hasClientCa = isGiven('client_ca') || isGiven('client_ca_file');
  if (hasClientCa && clientAuth === 'NoClientCert')
    yield [
      'client_auth_type',
      'asks no client for a certificate, but a client_ca is given; accepted: RequireAndVerifyClientCert, VerifyClientCertIfGiven',
    ];
  if (!hasClientCa && isVerified(newName(clientAuth)))
    yield [
      'client_auth_type',
      `${clientAuth} has nobody to trust; accepted: a client_ca_file beside it`,
    ];

  const [min, max] = versionsOf(section);
  const newer = TLS_VERSION_NAMES.slice(TLS_VERSION_NAMES.indexOf(min));
  if (!newer.includes(max))
    yield [
      'max_version',
      `"${max}" is older than min_version, which is "${min}"; accepted: ${newer.join(', ')}`,
    ];

  const suites = texts.safeParse(section.cipher_suites).data ?? [];
  const areForTls13 = suites.some(isTls13Suite) && !suites.some(isOlderSuite);
  if (areForTls13 && max !== 'TLS13')
    yield [
      'cipher_suites',
      `names no suite for max_version, which is "${max}"; accepted: ${OLDER_SUITES.join(', ')}`,
    ];

  for (const name of ['cert', 'key'] as const)
    if (!isGiven(name) && !isGiven(`${name}_file`))
      yield [`${name}_file`, `is missing; accepted: a PEM file, or ${name} with the PEM`];
}

function versionsOf(section: TlsKeys): readonly [min: TlsVersionName, max: TlsVersionName] {
  const named = (value: unknown): TlsVersionName | undefined =>
    TLS_VERSION_NAMES.find((name) => name === value);
  return [named(section.min_version) ?? 'TLS12', named(section.max_version) ?? 'TLS13'];
}

function rulesOf(section: TlsKeys): TlsRules {
  const { cipher_suites: suites = [], curve_preferences: curves = [] } = section;
  const [minVersion, maxVersion] = versionsOf(section);
  return {
    clientAuth: newName(section.client_auth_type ?? 'NoClientCert'),
    minVersion,
    maxVersion,
    ciphers: suites.length === 0 ? undefined : ciphersOf(suites),
    prefersServerCiphers: section.prefer_server_cipher_suites ?? true,
    ...(curves.length === 0 ? {} : { curves: curves.map((name) => CURVES[name]).join(':') }),
  };
}

function newName(name: ClientAuthName): ClientAuthType {
  return name === OLD_NAME ? 'RequireAnyClientCert' : name;
}

function ciphersOf(suites: readonly string[]): string {
  const older = suites.filter(isOlderSuite).map((name) => TLS12_CIPHER_SUITES[name]);
  // Node.js turns TLS 1.3 off when none of its suites is named.
  return [...TLS13_CIPHER_SUITES, ...older].join(':');
}

function isOlderSuite(name: string): name is Tls12CipherSuite {
  return Object.hasOwn(TLS12_CIPHER_SUITES, name);
}

function isTls13Suite(name: string): boolean {
  return TLS13_CIPHER_SUITES.some((suite) => suite === name);
}

function namesOf<T extends string>(table: Readonly<Record<T, unknown>>): readonly T[] {
  return Object.keys(table) as T[];
}
