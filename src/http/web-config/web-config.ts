import type { Secret } from '../../base/shown.ts';
import type { TlsSettings, TlsVersionName } from './tls-settings.ts';

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
}

/** Describes in a few words how the server is protected: `TLS 1.2 and newer, client certificates required, 2 users`. */
export function describeWebConfig({ tls, headers, users, openPaths }: WebConfig): string {
  const headerCount = Object.keys(headers).length;
  return [
    ...(tls === undefined ? ['plain HTTP'] : describeTls(tls)),
    users.size === 0 ? 'no users' : counted(users.size, 'user'),
    ...(users.size > 0 && openPaths.size > 0
      ? [`${counted(openPaths.size, 'path')} open to all`]
      : []),
    ...(headerCount > 0 ? [counted(headerCount, 'header')] : []),
  ].join(', ');
}

const CLIENT_AUTH = {
  NoClientCert: undefined,
  RequestClientCert: 'client certificates requested, none checked',
  RequireAnyClientCert: 'client certificates required, none checked',
  VerifyClientCertIfGiven: 'client certificates checked where given',
  RequireAndVerifyClientCert: 'client certificates required',
} as const;

function describeTls({ minVersion, maxVersion, clientAuth }: TlsSettings): string[] {
  const oldest = versionText(minVersion);
  const newest = versionText(maxVersion);
  const versions = maxVersion === 'TLS13' ? `${oldest} and newer` : `${oldest} to ${newest}`;
  const auth = CLIENT_AUTH[clientAuth];
  return [
    `TLS ${minVersion === maxVersion ? oldest : versions}`,
    ...(auth === undefined ? [] : [auth]),
  ];
}

/** Returns the number in the name of a version: "1.2". */
function versionText(name: TlsVersionName): string {
  return `${name.at(-2) ?? ''}.${name.at(-1) ?? ''}`;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
