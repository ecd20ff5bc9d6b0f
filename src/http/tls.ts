import type { ServerOptions } from 'node:http';
import { createServer, type Server } from 'node:https';
import { isIP } from 'node:net';
import type { SecureContextOptions, TlsOptions, TLSSocket } from 'node:tls';
import type { Logger } from '../base/log.ts';
import type { Secret } from '../base/shown.ts';

/** What a client has to show, by the names of Go; `RequireClientCert` is the old name for the one before it. */
export const CLIENT_AUTH_TYPES = [
  'NoClientCert',
  'RequestClientCert',
  'RequireAnyClientCert',
  'RequireClientCert',
  'VerifyClientCertIfGiven',
  'RequireAndVerifyClientCert',
] as const;

type ClientAuthType = (typeof CLIENT_AUTH_TYPES)[number];

/** Whether a client has to show a certificate. */
export const isRequired = (type: ClientAuthType): boolean => type.startsWith('Require');
/** Whether a certificate that a client shows has to be good. */
export const isVerified = (type: ClientAuthType): boolean => type.includes('Verify');

/** How connections are encrypted, and which clients are served. */
export interface TlsSettings {
  readonly context: SecureContextOptions;
  readonly key: Secret;
  readonly clientAuth: ClientAuthType;
  /** The certificate of a client needs one of these DNS names, addresses, e-mail addresses or URIs; undefined: none. */
  readonly allowedNames?: readonly string[] | undefined;
}

/** Describes versions and clients in a few words. */
export function describeTls({ context, clientAuth }: TlsSettings): readonly string[] {
  const versionOf = (name = '') => (name === 'TLSv1' ? '1.0' : name.replace('TLSv', ''));
  const [oldest, newest] = [versionOf(context.minVersion), versionOf(context.maxVersion)];
  const range = newest === '1.3' ? `${oldest} and newer` : `${oldest} to ${newest}`;
  const versions = `TLS ${oldest === newest ? oldest : range}`;
  if (clientAuth === 'NoClientCert') return [versions];
  const optional = isVerified(clientAuth) ? 'checked where given' : 'requested';
  const clients = isRequired(clientAuth) ? 'required' : optional;
  return [
    `${versions}, client certificates ${clients}`,
    ...(isVerified(clientAuth) ? [] : ['none checked']),
  ];
}

/**
 * Creates a server whose certificate and rules for clients follow `current` while it listens. They hold for
 * connections that begin after a change.
 */
export function createTlsServer(
  options: ServerOptions & TlsOptions,
  current: () => TlsSettings,
  log: Logger,
): Server {
  let settings = current();
  const server = createServer({ ...options, ...tlsOptions(settings), ...clientRules(settings) });
  server.prependListener('connection', () => {
    const next = current();
    if (next === settings) return;
    settings = next;
    server.setSecureContext(tlsOptions(settings));
    // Node.js has no method for these, but reads them anew for every connection. If it ever stops doing so,
    // `certificateFault` still refuses the clients that show no certificate.
    Object.assign(server, clientRules(settings));
  });
  server.on('tlsClientError', ({ code, message }: NodeJS.ErrnoException) =>
    log.debug({ reason: code ?? message }, 'TLS handshake failed'),
  );
  return server;
}

function tlsOptions({ context, key }: TlsSettings): SecureContextOptions {
  return { ...context, key: key.reveal() };
}

function clientRules({ clientAuth }: TlsSettings): TlsOptions {
  return {
    requestCert: clientAuth !== 'NoClientCert',
    rejectUnauthorized: isRequired(clientAuth) && isVerified(clientAuth),
  };
}

/**
 * Returns why a client is refused by its certificate, undefined when it is not. Node.js can only accept every
 * certificate or demand a good one; all between, a resumed session without a certificate, which Node.js may call
 * authorized, and the names in a certificate are decided here.
 */
export function certificateFault(settings: TlsSettings, socket: TLSSocket): string | undefined {
  const { clientAuth, allowedNames } = settings;
  if (clientAuth === 'NoClientCert') return undefined;
  const certificate = socket.getPeerX509Certificate();
  if (certificate === undefined)
    return isRequired(clientAuth) ? 'This server asks for a client certificate.' : undefined;
  if (isVerified(clientAuth) && !socket.authorized)
    return 'This server does not trust the client certificate.';
  const names = namesIn(certificate.subjectAltName);
  const isNamed = (name: string): boolean =>
    isIP(name) === 0 ? names.has(name) : certificate.checkIP(name) !== undefined;
  if (allowedNames === undefined || allowedNames.some(isNamed)) return undefined;
  return 'This server does not serve any name in the client certificate.';
}

/** Reads `DNS:one, URI:"t\u0077o"`, as Node.js writes it: as JSON what could be taken for two names. */
function namesIn(subjectAltName = ''): ReadonlySet<string> {
  const entries = subjectAltName.matchAll(/(?:^|, )(?:DNS|email|URI):("(?:[^"\\]|\\.)*"|[^,]*)/g);
  const unquoted = (name: string) => (name.startsWith('"') ? String(JSON.parse(name)) : name);
  return new Set(Array.from(entries, ([, name = '']) => unquoted(name)));
}
