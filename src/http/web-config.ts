import { createPrivateKey, X509Certificate } from 'node:crypto';
import { dirname, isAbsolute, join } from 'node:path';
import { createSecureContext, DEFAULT_CIPHERS } from 'node:tls';
import { z } from 'zod';
import { ConfigError } from '../base/errors.ts';
import { quote, readFailure, Secret, toJsonLine } from '../base/shown.ts';
import { loadYamlReader, type YamlContent } from '../base/yaml-content.ts';
import type { RateLimit } from './limits.ts';
import { CLIENT_AUTH_TYPES, describeTls, isRequired, isVerified, type TlsSettings } from './tls.ts';

/** The content of `--web.config.file` and of the files that it names, read and checked. */
export interface WebConfig {
  /** Undefined: plain HTTP. */
  readonly tls?: TlsSettings | undefined;
  /** Sent with every answer, in place of its own headers of that name; names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The bcrypt hash of each user's password; empty: no authentication. */
  readonly users: ReadonlyMap<string, Secret>;
  /** Paths that are answered without a password. */
  readonly openPaths: ReadonlySet<string>;
  /** Of all clients together; undefined: none. */
  readonly rateLimit?: RateLimit | undefined;
  /** In a few words how the server is protected: `TLS 1.2 and newer, client certificates required, 2 users`. */
  readonly access: string;
}

/** Returns the text of a file, or throws. */
export type ReadFile = (path: string) => string;

/** Reads the text of YAML. */
export type ReadYaml = (text: string) => YamlContent;

/** Versions of TLS by their names in the file, oldest first; the values are the names of Node.js. */
const VERSIONS = { TLS10: 'TLSv1', TLS11: 'TLSv1.1', TLS12: 'TLSv1.2', TLS13: 'TLSv1.3' } as const;

/** Elliptic curves by their names in the file; the values are the names of OpenSSL. */
const CURVES = {
  CurveP256: 'P-256',
  CurveP384: 'P-384',
  CurveP521: 'P-521',
  X25519: 'X25519',
} as const;

/** Cipher suites of TLS 1.3. They are always on with that version; OpenSSL has the same names for them. */
const TLS13_SUITES = [
  'TLS_AES_128_GCM_SHA256',
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
] as const;

/** Cipher suites up to TLS 1.2 by their names in the file; the values are the names of OpenSSL. */
const OLDER_SUITES = {
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

const MS_PER_UNIT = { ns: 1e-6, us: 1e-3, µs: 1e-3, ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

const namesOf = <T extends object>(table: T) => Object.keys(table) as (keyof T & string)[];

/** A key without a value holds the empty text in this kind of YAML, in which every scalar is a text. */
const orElse = <S extends z.ZodType>(absent: unknown, schema: S) =>
  z.preprocess((value) => (value === '' ? absent : (value ?? absent)), schema);
const optional = <S extends z.ZodType>(schema: S) => orElse(undefined, schema.optional());
/** A mapping with these keys and no others, which may be left out as a whole. */
const section = <S extends z.core.$ZodLooseShape>(shape: S) =>
  orElse(
    {},
    z.strictObject(shape, {
      error: ({ code }) => {
        const fault = code === 'unrecognized_keys' ? 'unknown key' : 'is not a mapping';
        return `${fault}; accepted: ${Object.keys(shape).join(', ')}`;
      },
    }),
  );
const text = z.string('is not a text');
const notAccepted = (accepted: string) => ({
  error: ({ input }: { readonly input?: unknown }) =>
    typeof input === 'string'
      ? `${shown(input)} is not accepted; accepted: ${accepted}`
      : 'is not a text',
});
const like = (pattern: RegExp, accepted: string) => text.regex(pattern, notAccepted(accepted));
const oneOf = <T extends string>(names: readonly T[]) =>
  z.enum(names, notAccepted(names.join(', ')));
const listOf = <S extends z.ZodType>(schema: S) =>
  orElse([], z.array(schema, 'is not a list of texts'));
/** Anything else would end a header, or could not be sent. */
const header = optional(like(/^[\t\x20-\x7e]*$/, 'one line of ASCII'));

const tlsSchema = section({
  cert_file: optional(text),
  key_file: optional(text),
  cert: optional(text),
  key: optional(text),
  client_auth_type: optional(oneOf(CLIENT_AUTH_TYPES)),
  client_ca_file: optional(text),
  client_ca: optional(text),
  client_allowed_sans: listOf(text),
  min_version: optional(oneOf(namesOf(VERSIONS))),
  max_version: optional(oneOf(namesOf(VERSIONS))),
  cipher_suites: listOf(oneOf([...TLS13_SUITES, ...namesOf(OLDER_SUITES)])),
  prefer_server_cipher_suites: optional(oneOf(['true', 'false'])),
  curve_preferences: listOf(oneOf(namesOf(CURVES))),
}).superRefine((tls, context) => {
  for (const [key, message] of problemsBetween(tls))
    context.addIssue({ code: 'custom', path: [key], message });
});

type TlsSection = z.output<typeof tlsSchema>;

/** Whether anything is set: a section of empty keys is none. */
function isUsed(tls: TlsSection): boolean {
  return Object.values(tls).some((value) => value !== undefined && value.length > 0);
}

/** Yields the problems that several keys have together. */
function* problemsBetween(tls: TlsSection): Iterable<readonly [key: keyof TlsSection, string]> {
  if (!isUsed(tls)) return;
  for (const name of ['cert', 'key', 'client_ca'] as const) {
    const [given, file] = [tls[name], tls[`${name}_file`]];
    if (given !== undefined && file !== undefined)
      yield [name, `is given beside ${name}_file; accepted: one of the two`];
    if (name !== 'client_ca' && (given ?? file) === undefined)
      yield [`${name}_file`, `is missing; accepted: a PEM file, or ${name} with the PEM`];
  }
  const { client_auth_type: type = 'NoClientCert', cipher_suites: suites } = tls;
  const hasClientCa = (tls.client_ca ?? tls.client_ca_file) !== undefined;
  const fault =
    hasClientCa && type === 'NoClientCert'
      ? 'asks no client for a certificate, but a client_ca is given'
      : tls.client_allowed_sans.length > 0 && !isRequired(type)
        ? 'lets clients in without a certificate, but client_allowed_sans is given'
        : undefined;
  const accepted = CLIENT_AUTH_TYPES.filter(isRequired).join(', ');
  if (fault !== undefined) yield ['client_auth_type', `${fault}; accepted: ${accepted}`];
  if (!hasClientCa && isVerified(type))
    yield ['client_auth_type', `${type} has nobody to trust; accepted: a client_ca_file beside it`];
  const { min_version: min = 'TLS12', max_version: max = 'TLS13' } = tls;
  const newer = namesOf(VERSIONS).filter((name) => name >= min);
  const than = `min_version, which is "${min}"; accepted: ${newer.join(', ')}`;
  if (max < min) yield ['max_version', `"${max}" is older than ${than}`];
  const older = `which is "${max}"; accepted: ${namesOf(OLDER_SUITES).join(', ')}`;
  if (max !== 'TLS13' && suites.length > 0 && !suites.some(isOlder))
    yield ['cipher_suites', `names no suite for max_version, ${older}`];
}

const usersSchema = z.preprocess(
  (value) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? new Map(Object.entries(value))
      : value === '' || value === undefined
        ? new Map()
        : value,
  z.map(
    text.regex(/^[^:]*$/, 'is a name with a colon, which nobody can log in with'),
    text
      .regex(
        /^\$2[aby]\$(?:0[4-9]|1[0-6])\$[./A-Za-z0-9]{53}$/,
        'its value is not a bcrypt hash of cost 4 to 16; accepted: what htpasswd -nBC 10 prints',
      )
      .transform((hash) => new Secret(hash)),
    'is not a mapping; accepted: lines such as name: hash',
  ),
);

const DURATION = /^(?:0|(?:\d+(?:\.\d+)?(?:ns|us|µs|ms|s|m|h))+)$/;
const rateLimitSchema = section({
  interval: optional(like(DURATION, '0, or a time such as 500ms or 1m30s')),
  burst: optional(like(/^\d{1,9}$/, 'a whole number from 1')),
})
  .transform(({ interval = '0', burst = '0' }) => {
    let intervalMs = 0;
    for (const [, count, unit] of interval.matchAll(/([\d.]+)([a-zµ]+)/g))
      intervalMs += Number(count) * MS_PER_UNIT[unit as keyof typeof MS_PER_UNIT];
    return { intervalMs, burst: Number(burst) };
  })
  .refine(({ intervalMs, burst }) => intervalMs === 0 || burst > 0, {
    path: ['burst'],
    message: 'is missing or 0, which lets no request through; accepted: a whole number from 1',
  });

const webConfigSchema = section({
  tls_server_config: tlsSchema,
  http_server_config: section({
    http2: optional(z.literal('false', 'is not supported; accepted: false, for HTTP/1.1')),
    headers: section({
      'Content-Security-Policy': header,
      'X-Frame-Options': optional(oneOf(['deny', 'sameorigin'])),
      'X-Content-Type-Options': optional(oneOf(['nosniff'])),
      'X-XSS-Protection': header,
      'Strict-Transport-Security': header,
    }),
  }),
  basic_auth_users: usersSchema,
  auth_excluded_paths: listOf(like(/^\/[^?#\s]*$/, 'a path such as /-/healthy')),
  rate_limit: rateLimitSchema,
});

/**
 * Reads a web configuration once.
 *
 * @throws ConfigError with everything that is wrong with it.
 */
export async function readWebConfig(path: string, readFile: ReadFile): Promise<WebConfig> {
  return parseWebConfig(path, readFile, await loadYamlReader());
}

/**
 * Reads a web configuration and every file that it names, by paths relative to its own folder.
 *
 * @throws ConfigError with everything that is wrong with it.
 */
export function parseWebConfig(path: string, readFile: ReadFile, readYaml: ReadYaml): WebConfig {
  const refuse = (problems: readonly string[]): never => {
    const file = `--web.config.file: ${toJsonLine(path)}`;
    throw new ConfigError([...new Set(problems)].map((problem) => `${file}: ${problem}`));
  };
  let content: string;
  try {
    content = readFile(path);
  } catch (error) {
    return refuse([`cannot be read (${readFailure(error)}); accepted: a readable YAML file`]);
  }
  const yaml = readYaml(content);
  if ('fault' in yaml) return refuse([yaml.fault]);
  const { data, error } = webConfigSchema.safeParse(yaml.content);
  if (error !== undefined) return refuse(error.issues.flatMap(problemsOf));
  const problems: string[] = [];
  const readBeside = (name: string) =>
    readFile(isAbsolute(name) ? name : join(dirname(path), name));
  const tls = loadTls(data.tls_server_config, readBeside, problems);
  if (problems.length > 0) return refuse(problems);
  const headers = Object.entries(data.http_server_config.headers);
  const config = {
    tls,
    headers: Object.fromEntries(
      headers.flatMap(([name, value]) =>
        value === undefined ? [] : [[name.toLowerCase(), value]],
      ),
    ),
    users: data.basic_auth_users,
    openPaths: new Set(data.auth_excluded_paths),
    rateLimit: data.rate_limit.intervalMs > 0 ? data.rate_limit : undefined,
  };
  return { ...config, access: accessTo(config) };
}

/** Reads the certificates and the key. What is wrong with them is said by OpenSSL, whose reasons never quote them. */
function loadTls(tls: TlsSection, readFile: ReadFile, problems: string[]): TlsSettings | undefined {
  if (!isUsed(tls)) return undefined;
  /** Returns a PEM that `use` takes; notes why it does not. */
  const load = (
    name: 'cert' | 'key' | 'client_ca',
    accepted: string,
    use: (pem: string) => void,
  ) => {
    const file = tls[`${name}_file`];
    try {
      const pem = file === undefined ? (tls[name] ?? '') : readFile(file);
      use(pem);
      return pem;
    } catch (error) {
      const isOfOpenSsl = error instanceof Error && 'reason' in error;
      const reason = isOfOpenSsl ? String(error.reason) : readFailure(error);
      const path = ['tls_server_config', file === undefined ? name : `${name}_file`];
      const value = file === undefined ? '' : `${shown(file)} `;
      problems.push(problemAt(path, `${value}cannot be used (${reason}); accepted: ${accepted}`));
      return '';
    }
  };
  const certificates = 'PEM, in which certificates begin -----BEGIN CERTIFICATE-----';
  const isCertificate = (pem: string) => void createSecureContext({ cert: pem });
  const cert = load('cert', certificates, isCertificate);
  const hasClientCa = (tls.client_ca ?? tls.client_ca_file) !== undefined;
  const ca = hasClientCa ? load('client_ca', certificates, isCertificate) : undefined;
  const { min_version: min = 'TLS12', max_version: max = 'TLS13', cipher_suites: suites } = tls;
  const older = suites.filter(isOlder).map((name) => OLDER_SUITES[name]);
  // Node.js turns TLS 1.3 off when none of its suites is named.
  const ciphers = suites.length === 0 ? DEFAULT_CIPHERS : [...TLS13_SUITES, ...older].join(':');
  const context = {
    cert,
    ca,
    minVersion: VERSIONS[min],
    maxVersion: VERSIONS[max],
    // Handshakes of the old versions sign with SHA-1, which OpenSSL refuses above security level 0.
    ciphers: min < 'TLS12' ? `${ciphers}:@SECLEVEL=0` : ciphers,
    honorCipherOrder: tls.prefer_server_cipher_suites !== 'false',
    ecdhCurve: tls.curve_preferences.map((name) => CURVES[name]).join(':') || 'auto',
  };
  const key = load('key', 'the key of the certificate, in PEM without a passphrase', (pem) => {
    const isPair = cert === '' || new X509Certificate(cert).checkPrivateKey(createPrivateKey(pem));
    if (!isPair) throw Object.assign(new Error(), { reason: 'not the key of the certificate' });
    createSecureContext({ ...context, key: pem });
  });
  const { client_auth_type: clientAuth = 'NoClientCert', client_allowed_sans: names } = tls;
  const allowedNames = names.length > 0 ? names : undefined;
  return { context, key: new Secret(key), clientAuth, allowedNames };
}

function isOlder(name: string): name is keyof typeof OLDER_SUITES {
  return name in OLDER_SUITES;
}

function accessTo(config: Omit<WebConfig, 'access'>): string {
  const { tls, users, openPaths, rateLimit } = config;
  const some = (count: number, noun: string, after = '') =>
    count === 0 ? [] : [`${count} ${noun}${count === 1 ? '' : 's'}${after}`];
  return [
    ...(tls === undefined ? ['plain HTTP'] : describeTls(tls)),
    ...(users.size === 0 ? ['no users'] : some(users.size, 'user')),
    ...(users.size === 0 ? [] : some(openPaths.size, 'path', ' open to all')),
    ...some(Object.keys(config.headers).length, 'header'),
    ...(rateLimit === undefined ? [] : [`a request every ${rateLimit.intervalMs / 1000} s`]),
  ].join(', ');
}

function problemsOf(issue: z.core.$ZodIssue): readonly string[] {
  const { path, message } = issue;
  return issue.code === 'unrecognized_keys'
    ? issue.keys.map((key) => problemAt([...path, key], message))
    : [problemAt(path, message)];
}

/** Returns a sentence about the key at this path. */
function problemAt(path: readonly PropertyKey[], sentence: string): string {
  const keys = path.filter((part) => typeof part === 'string').map(shownKey);
  return [...(keys.length > 0 ? [keys.join('.')] : []), sentence].join(': ');
}

/** Shows a text of the file inside a sentence: escaped, cut to 60 characters, and never what looks like a secret. */
function shown(value: unknown): string {
  return looksSecret(String(value)) ? 'its value' : quote(String(value));
}

/** Shows a key of the file, which may hold a value, too, where the blank after its colon was forgotten. */
function shownKey(key: string): string {
  if (/^[\w.-]{1,60}$/.test(key)) return key;
  return looksSecret(key) ? '[hidden]' : quote(key.replace(/:.*$/s, ':…'));
}

/** Whether a text looks like a key, a certificate or the hash of a password. */
function looksSecret(value: string): boolean {
  return /-----BEGIN|\$2[a-z]?\$|\n/.test(value);
}
