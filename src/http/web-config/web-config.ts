import type { Secret } from '../../secret.ts';
import type { ClientAuthType, TlsVersionName } from './tls-names.ts';

/** What the file given as `--web.config.file` says, with everything it names read and checked. */
export interface WebConfig {
  /** Undefined: plain HTTP. */
  readonly tls?: TlsSettings | undefined;
  /** Sent with every answer, over what the answer says itself; names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The bcrypt hash of each user's password; empty: no authentication. */
  readonly users: ReadonlyMap<string, Secret>;
  /** Paths that everybody may ask for. */
  readonly openPaths: ReadonlySet<string>;
}

/** How connections are encrypted, and whom they are taken from. */
export interface TlsSettings extends TlsRules {
  /** PEM, with the certificates in between. */
  readonly cert: string;
  readonly key: Secret;
  /** PEM: who vouches for clients. */
  readonly clientCa?: string | undefined;
}

/** The part of the settings that names no file. */
export interface TlsRules {
  readonly clientAuth: ClientAuthType;
  readonly minVersion: TlsVersionName;
  readonly maxVersion: TlsVersionName;
  /** In the words of OpenSSL; undefined: those of Node.js. */
  readonly ciphers?: string | undefined;
  readonly prefersServerCiphers: boolean;
  /** In the words of OpenSSL; undefined: those of Node.js. */
  readonly curves?: string | undefined;
}
