import { outcomeOf, ServiceError, type ServiceErrorCode } from './errors.ts';

const BROKEN_OFF =
  'the connection was broken off: check the network, the proxy, and whether --base-url needs https:// in place of http://';
const NO_ROUTE = 'this machine does not reach that host: check its network, routes and firewall';
const NO_TLS = 'no TLS is spoken at that port: check --base-url, http:// or https:// and the port';
const NOT_TRUSTED =
  'the certificate is not one that this machine trusts: check --base-url; for a certificate of your own set NODE_EXTRA_CA_CERTS';

/** What to do about each kind of failure, wherever it shows; docs/operations.md says more. */
const REMEDIES: Readonly<Record<ServiceErrorCode, string>> = {
  SERVICE_UNREACHABLE:
    'check --base-url and --auth-url, the network, the proxy and the name server',
  SERVICE_TIMEOUT: 'the service is slow or silent: try again, or raise --request.timeout',
  SERVICE_SERVER_ERROR: 'the service has a fault of its own: try again later',
  SERVICE_REQUEST_REJECTED: 'the address is wrong for this service: check --base-url and --path.*',
  SERVICE_AUTH_REJECTED:
    'check SOLAR_ACCOUNT and SOLAR_PASSWORD, or give a new SOLAR_ACCESS_TOKEN; do not try often',
  SERVICE_BLOCKED:
    'something between here and the service blocks us: check for a firewall, a proxy or a page to log in to this network; nothing is wrong with the credentials',
  SERVICE_RATE_LIMITED:
    'too many requests: wait, and scrape less often or raise the --cache.* TTLs',
  SERVICE_API_REFUSED: 'the service refused the request: its message says why',
  SERVICE_PAYLOAD_INVALID:
    'the answer is not what this service sends: check --base-url; a proxy may answer instead',
};

/** What to do about a log-in that was refused for an unknown reason. */
const ASK_THE_PORTAL =
  'nothing says that the credentials are wrong: try to log in to the portal; the exporter tries again by itself';

/** What to do where another client ends our session. */
export const SECOND_ACCOUNT =
  'the app or another exporter logs in with the same account: invite a second account that may only look at the stations, and give that one to this exporter';

/** What to do about each code of the system and of TLS. */
const OF_SYSTEM: ReadonlyMap<unknown, string> = new Map(
  Object.entries({
    ENOTFOUND:
      'no name server knows this host: check --base-url and --auth-url for typing errors, and the name server',
    EAI_AGAIN: 'the name server does not answer: check the network and the name server',
    ECONNREFUSED: 'nothing listens at that host and port: check --base-url and --auth-url',
    ECONNRESET: BROKEN_OFF,
    EPIPE: BROKEN_OFF,
    UND_ERR_SOCKET: BROKEN_OFF,
    EHOSTUNREACH: NO_ROUTE,
    ENETUNREACH: NO_ROUTE,
    EPROTO: NO_TLS,
    ERR_SSL_WRONG_VERSION_NUMBER: NO_TLS,
    ERR_SSL_PACKET_LENGTH_TOO_LONG: NO_TLS,
    CERT_HAS_EXPIRED: 'the certificate has expired, or the clock of this machine is wrong',
    CERT_NOT_YET_VALID: 'the certificate is not valid yet, or the clock of this machine is wrong',
    ERR_TLS_CERT_ALTNAME_INVALID:
      'the certificate belongs to another host: check --base-url; a proxy may answer instead',
    DEPTH_ZERO_SELF_SIGNED_CERT: NOT_TRUSTED,
    SELF_SIGNED_CERT_IN_CHAIN: NOT_TRUSTED,
    UNABLE_TO_GET_ISSUER_CERT_LOCALLY: NOT_TRUSTED,
    UNABLE_TO_VERIFY_LEAF_SIGNATURE: NOT_TRUSTED,
  }),
);

/** Far more causes than a real error has; a circular cause must not hang the program. */
const MOST_CAUSES = 10;

/** Yields an error, its cause, the cause of that, and so on. */
function* causesOf(error: unknown): Generator<Error> {
  let cause = error;
  for (let count = 0; count < MOST_CAUSES && cause instanceof Error; count += 1) {
    yield cause;
    ({ cause } = cause);
  }
}

/** Returns the first thing to try after a failure: by the error itself, else by its causes, else by its kind. */
export function remedyFor(error: unknown): string {
  const kind = outcomeOf(error);
  if (kind === 'UNEXPECTED') return 'this is a fault of solar-exporter: please report it';
  for (const cause of causesOf(error)) {
    const code = 'code' in cause ? cause.code : undefined;
    const remedy = cause instanceof ServiceError ? cause.remedy : OF_SYSTEM.get(code);
    if (remedy !== undefined) return remedy;
  }
  const isOfCredentials = !(error instanceof ServiceError && error.isDoubtful);
  return kind === 'SERVICE_AUTH_REJECTED' && !isOfCredentials ? ASK_THE_PORTAL : REMEDIES[kind];
}

/** Returns the message of the innermost cause of the same kind, the first failure. Undefined for a bug of ours. */
export function reasonOf(error: unknown): string | undefined {
  const kind = outcomeOf(error);
  const same = [...causesOf(error)].filter((cause) => outcomeOf(cause) === kind);
  return kind === 'UNEXPECTED' ? undefined : same.at(-1)?.message;
}
