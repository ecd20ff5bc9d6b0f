import { createPrivateKey, X509Certificate } from 'node:crypto';
import { dirname, isAbsolute, join } from 'node:path';
import { createSecureContext, type SecureContextOptions } from 'node:tls';
import { z } from 'zod';
import { ConfigError } from '../base/errors.ts';
import type { Logger } from '../base/log.ts';
import { quote, readFailure, Secret, toJsonLine } from '../base/shown.ts';
import { loadYamlReader, type YamlContent } from '../base/yaml-content.ts';

/** The content of `--web.config.file` and of the files that it names, read and checked. */
export interface WebConfig {
  /** Undefined: plain HTTP. */
  readonly tls?: TlsSettings | undefined;
  /** The bcrypt hash of each user's password; empty: no authentication. */
  readonly users: ReadonlyMap<string, Secret>;
  /** In a few words how the server is protected: `TLS 1.2 and newer, client certificates required, 2 users`. */
  readonly access: string;
  /**
   * Reads the files of {@link tls} again, as they are named there.
   *
   * @throws ConfigError with everything that is wrong with them.
   */
  readonly readTls: () => TlsSettings | undefined;
}

/** How connections are encrypted, and which clients are served. */
export interface TlsSettings {
  readonly context: Pick<SecureContextOptions, 'cert' | 'ca' | 'minVersion'>;
  readonly key: Secret;
  readonly clientAuth: ClientAuthType;
}

/** Returns the text of a file, or throws. */
type ReadFile = (path: string) => string;

export interface WebConfigContext {
  readonly readFile: ReadFile;
  readonly log: Logger;
  /** Called when files of certificates begin or cease to be unusable. */
  readonly ended?: (isSuccess: boolean) => void;
}

/** A web configuration that is kept up to date: the file by a reload, the certificates that it names also in between. */
export interface WebConfigFile {
  readonly current: WebConfig;
  /**
   * Reads the file and those that it names; the configuration in use stays until the returned function is called.
   *
   * @throws ConfigError with everything that is wrong with them.
   */
  reread(): () => void;
  /** Takes certificates whose files have changed; logs why not where they are unusable. */
  renewCertificates(): void;
}

const CLIENT_AUTH_TYPES = [
  ...(['NoClientCert', 'VerifyClientCertIfGiven', 'RequireAndVerifyClientCert'] as const),
];
type ClientAuthType = (typeof CLIENT_AUTH_TYPES)[number];

/** Versions of TLS by their names in the file; the values are the names of Node.js. */
const VERSIONS = { TLS12: 'TLSv1.2', TLS13: 'TLSv1.3' } as const;

/** What the Prometheus exporters have beside, and what there is in place of it. */
const NOT_SUPPORTED: Readonly<Record<string, string>> = {
  'tls_server_config.cert': 'name a file as cert_file',
  'tls_server_config.key': 'name a file as key_file',
  'tls_server_config.client_ca': 'name a file as client_ca_file',
  'tls_server_config.client_allowed_sans': 'trust a client_ca_file that signs only those clients',
  'tls_server_config.max_version': 'the newest version is always offered',
  'tls_server_config.cipher_suites': 'those of Node.js are used',
  'tls_server_config.prefer_server_cipher_suites': 'the order of Node.js is used',
  'tls_server_config.curve_preferences': 'those of Node.js are used',
  http_server_config: 'let a reverse proxy add headers or HTTP/2',
  auth_excluded_paths: '/-/healthy and /-/ready ask nobody for a password',
  rate_limit: '--web.max-requests limits requests at once, a reverse proxy those of a client',
};

const text = z.string('is not a text');
const oneOf = <T extends string>(names: readonly T[]) =>
  z.enum(names, {
    error: ({ input }) =>
      typeof input === 'string'
        ? `${shown(input)} is not accepted; accepted: ${names.join(', ')}`
        : 'is not a text',
  });
const pemFile = z.string({
  error: ({ input }) =>
    input === undefined ? 'is missing; accepted: a PEM file' : 'is not a text',
});

/** A mapping with these keys and no others; without a value, it counts as left out. */
const section = <S extends z.core.$ZodLooseShape>(shape: S) =>
  z.preprocess(
    (value) => (value === '' ? undefined : (value ?? undefined)),
    z
      .strictObject(shape, {
        error: ({ code }) =>
          `${code === 'unrecognized_keys' ? 'unknown key' : 'is not a mapping'}; accepted: ${Object.keys(shape).join(', ')}`,
      })
      .optional(),
  );

const tlsSchema = section({
  cert_file: pemFile,
  key_file: pemFile,
  client_ca_file: text.optional(),
  client_auth_type: oneOf(CLIENT_AUTH_TYPES).default('NoClientCert'),
  min_version: oneOf(Object.keys(VERSIONS) as (keyof typeof VERSIONS)[]).default('TLS12'),
}).refine(
  (tls) =>
    tls === undefined ||
    (tls.client_ca_file === undefined) === (tls.client_auth_type === 'NoClientCert'),
  {
    path: ['client_ca_file'],
    message: `goes with ${CLIENT_AUTH_TYPES.slice(1).join(' and ')}; accepted: both keys or neither`,
  },
);

type TlsSection = NonNullable<z.output<typeof tlsSchema>>;

const webConfigSchema = section({
  tls_server_config: tlsSchema,
  basic_auth_users: z.preprocess(
    (value) => (value === '' ? undefined : value),
    z
      .record(
        z.string(),
        text
          .regex(
            /^\$2[aby]\$(?:0[4-9]|1[0-6])\$[./A-Za-z0-9]{53}$/,
            'its value is not a bcrypt hash of cost 4 to 16; accepted: what htpasswd -nBC 10 prints',
          )
          .transform((hash) => new Secret(hash)),
        'is not a mapping; accepted: lines such as name: hash',
      )
      .optional(),
  ),
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
 * Reads a web configuration that is to be kept up to date.
 *
 * @throws ConfigError with everything that is wrong with it.
 */
export async function openWebConfigFile(
  path: string,
  { readFile, log, ended }: WebConfigContext,
): Promise<WebConfigFile> {
  const readYaml = await loadYamlReader();
  let current = parseWebConfig(path, readFile, readYaml);
  /** What was wrong with the certificates at the last look; empty: nothing. */
  let problems = '';

  return {
    get current() {
      return current;
    },
    reread() {
      const next = parseWebConfig(path, readFile, readYaml);
      const [from, to] = [kindOf(current), kindOf(next)];
      if (from !== to)
        throw new ConfigError([
          `--web.config.file: ${toJsonLine(path)}: switches from ${from} to ${to}; accepted: a restart for that`,
        ]);
      return () => {
        current = next;
        problems = '';
        log.info({ path, access: current.access }, 'web configuration taken');
      };
    },
    renewCertificates() {
      const before = problems;
      try {
        const tls = current.readTls();
        problems = '';
        if (contentOf(tls) !== contentOf(current.tls)) {
          current = { ...current, tls };
          log.info({ path }, 'certificates renewed');
        }
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error;
        problems = error.problems.join('\n');
        if (problems !== before)
          log.warn({ problems: error.problems }, 'certificates not renewed, those before go on');
      }
      if ((problems === '') !== (before === '')) ended?.(problems === '');
    },
  };
}

function contentOf(tls: TlsSettings | undefined): string {
  return JSON.stringify([tls?.context, tls?.key.reveal()]);
}

/** Names what Node.js cannot change of a server that listens. */
function kindOf({ tls }: WebConfig): string {
  if (tls === undefined) return 'http';
  return tls.clientAuth === 'NoClientCert' ? 'https' : 'https with client certificates';
}

/**
 * Reads a web configuration and every file that it names, by paths relative to its own folder.
 *
 * @throws ConfigError with everything that is wrong with it.
 */
function parseWebConfig(
  path: string,
  readFile: ReadFile,
  readYaml: (text: string) => YamlContent,
): WebConfig {
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
  const { tls_server_config: files, basic_auth_users: hashes = {} } = data ?? {};
  const users = new Map(Object.entries(hashes));
  const readBeside = (name: string) =>
    readFile(isAbsolute(name) ? name : join(dirname(path), name));
  const readTls = () => files && loadTls(files, readBeside, (problem) => refuse([problem]));
  const tls = readTls();
  const who = users.size === 1 ? '1 user' : `${users.size || 'no'} users`;
  return { tls, users, access: `${describeTls(tls)}, ${who}`, readTls };
}

/** Reads the certificates and the key. What is wrong with them is said by OpenSSL, whose reasons never quote them. */
function loadTls(
  tls: TlsSection,
  readFile: ReadFile,
  refuse: (problem: string) => never,
): TlsSettings {
  /** Returns a PEM that `use` takes. */
  const load = (
    name: 'cert_file' | 'key_file' | 'client_ca_file',
    accepted: string,
    use: (pem: string) => void,
  ) => {
    const file = tls[name] ?? '';
    try {
      const pem = readFile(file);
      use(pem);
      return pem;
    } catch (error) {
      const isOfOpenSsl = error instanceof Error && 'reason' in error;
      const reason = isOfOpenSsl ? String(error.reason) : readFailure(error);
      const sentence = `${shown(file)} cannot be used (${reason}); accepted: ${accepted}`;
      return refuse(problemAt(['tls_server_config', name], sentence));
    }
  };
  const certificates = 'PEM, in which certificates begin -----BEGIN CERTIFICATE-----';
  const isCertificate = (pem: string) => void createSecureContext({ cert: pem });
  const cert = load('cert_file', certificates, isCertificate);
  const ca = tls.client_ca_file && load('client_ca_file', certificates, isCertificate);
  const context = { cert, ca, minVersion: VERSIONS[tls.min_version] };
  const key = load('key_file', 'the key of the certificate, in PEM without a passphrase', (pem) => {
    if (!new X509Certificate(cert).checkPrivateKey(createPrivateKey(pem)))
      throw Object.assign(new Error(), { reason: 'not the key of the certificate' });
    createSecureContext({ ...context, key: pem });
  });
  return { context, key: new Secret(key), clientAuth: tls.client_auth_type };
}

function describeTls(tls: TlsSettings | undefined): string {
  if (tls === undefined) return 'plain HTTP';
  const versions = tls.context.minVersion === 'TLSv1.3' ? 'TLS 1.3' : 'TLS 1.2 and newer';
  if (tls.clientAuth === 'NoClientCert') return versions;
  const isRequired = tls.clientAuth === 'RequireAndVerifyClientCert';
  return `${versions}, client certificates ${isRequired ? 'required' : 'checked where given'}`;
}

function problemsOf(issue: z.core.$ZodIssue): readonly string[] {
  const { path, message } = issue;
  if (issue.code !== 'unrecognized_keys') return [problemAt(path, message)];
  return issue.keys.map((key) => {
    const place = [...path, key];
    const name = place.join('.');
    const instead = Object.hasOwn(NOT_SUPPORTED, name) ? NOT_SUPPORTED[name] : undefined;
    return problemAt(place, instead === undefined ? message : `not supported here: ${instead}`);
  });
}

/** Returns a sentence about the key at this path. */
function problemAt(path: readonly PropertyKey[], sentence: string): string {
  const keys = path.filter((part) => typeof part === 'string').map(shownKey);
  return [...(keys.length > 0 ? [keys.join('.')] : []), sentence].join(': ');
}

/** Shows a text of the file inside a sentence: escaped, cut to 60 characters, and never what looks like a secret. */
function shown(value: string): string {
  return looksSecret(value) ? 'its value' : quote(value);
}

/** Shows a key of the file, which may hold a value, too, where the blank after its colon was forgotten. */
function shownKey(key: string): string {
  return /^[\w.-]{1,60}$/.test(key) ? key : '[hidden]';
}

/** Whether a text looks like a key, a certificate or the hash of a password. */
function looksSecret(value: string): boolean {
  return /-----BEGIN|\$2[a-z]?\$|\n/.test(value);
}
