import { outcomeOf, ServiceError, type ServiceErrorCode } from '../base/errors.ts';
import type { DocumentedCode } from '../client/exchange/decode.ts';

const CHECK_DEVICE = 'check that the logger of the device is online, and try again later';
const BROKEN_OFF =
  'the connection was broken off: check the network, the proxy, and whether --base-url needs https:// in place of http://';
const NO_ROUTE = 'this machine does not reach that host: check its network, routes and firewall';
const NO_TLS = 'no TLS is spoken at that port: check --base-url, http:// or https:// and the port';
const NOT_TRUSTED =
  'the certificate is not one that this machine trusts: check --base-url; for a certificate of your own set NODE_EXTRA_CA_CERTS';

/** What to do about each kind of failure, and each documented code of the service; docs/operations.md says more. */
export const REMEDIES: Readonly<Record<ServiceErrorCode | DocumentedCode, string>> = {
  SERVICE_UNREACHABLE:
    'check --base-url and --auth-url, the network, the proxy and the name server',
  SERVICE_TIMEOUT: 'the service is slow or silent: try again, or raise --request.timeout',
  SERVICE_SERVER_ERROR: 'the service has a fault of its own: try again later',
  SERVICE_REQUEST_REJECTED: 'the address is wrong for this service: check --base-url and --path.*',
  SERVICE_AUTH_REJECTED:
    'check SOLAR_ACCOUNT and SOLAR_PASSWORD, or give a new SOLAR_ACCESS_TOKEN; do not try often',
  SERVICE_RATE_LIMITED:
    'too many requests: wait, and scrape less often or raise the --cache.* TTLs',
  SERVICE_API_REFUSED: 'the service refused the request: the message above says why',
  SERVICE_PAYLOAD_INVALID:
    'the answer is not what this service sends: check --base-url; a proxy may answer instead',
  SERVICE_BUDGET_USED_UP:
    'nothing is asked before midnight UTC: wait, raise --request.daily-budget, or raise the --cache.* TTLs',
  // The codes of the service (field notes 4.1).
  '7': 'check SOLAR_PASSWORD: type it as in the app of the portal; do not try often, or the account is locked',
  '9': 'give a new SOLAR_ACCESS_TOKEN and SOLAR_REFRESH_TOKEN, or log in with SOLAR_ACCOUNT and SOLAR_PASSWORD',
  '36': 'check --app-id (SOLAR_APP_ID); account and password were not looked at',
  '44': 'check SOLAR_APP_SECRET, and that it belongs to --app-id; account and password were not looked at',
  '20007':
    'check --account (SOLAR_ACCOUNT) for typing errors, and that account, --app-id and --base-url belong to the same portal',
  '20101':
    'check the ids, --station too (solar-exporter devices lists them; a serial number is not an id), and --time-zone',
  '70021': 'wait a minute and try again',
  '70132': 'nothing to do: this model has no energy flow, and is read from elsewhere',
  '70134': 'solar-exporter settings get DEVICE lists the settings that it has',
  '71000': CHECK_DEVICE,
  '71301': CHECK_DEVICE,
};

/** What to do about each code, those of the system and of TLS too. */
const BY_CODE: ReadonlyMap<string, string> = new Map([
  ...Object.entries(REMEDIES),
  ...Object.entries({
    ENOTFOUND:
      'no name server knows this host: check --base-url and --auth-url for typing errors, and the name server',
    EAI_AGAIN: 'the name server does not answer: check the network and the name server',
    ECONNREFUSED: 'nothing listens at that host and port: check --base-url and --auth-url',
    ...{ ECONNRESET: BROKEN_OFF, EPIPE: BROKEN_OFF, UND_ERR_SOCKET: BROKEN_OFF },
    ...{ EHOSTUNREACH: NO_ROUTE, ENETUNREACH: NO_ROUTE },
    ...{
      EPROTO: NO_TLS,
      ERR_SSL_WRONG_VERSION_NUMBER: NO_TLS,
      ERR_SSL_PACKET_LENGTH_TOO_LONG: NO_TLS,
    },
    CERT_HAS_EXPIRED: 'the certificate has expired, or the clock of this machine is wrong',
    CERT_NOT_YET_VALID: 'the certificate is not valid yet, or the clock of this machine is wrong',
    ERR_TLS_CERT_ALTNAME_INVALID:
      'the certificate belongs to another host: check --base-url; a proxy may answer instead',
    ...{ DEPTH_ZERO_SELF_SIGNED_CERT: NOT_TRUSTED, SELF_SIGNED_CERT_IN_CHAIN: NOT_TRUSTED },
    UNABLE_TO_GET_ISSUER_CERT_LOCALLY: NOT_TRUSTED,
    UNABLE_TO_VERIFY_LEAF_SIGNATURE: NOT_TRUSTED,
  }),
]);

/** Far more causes than a real error has; one that causes itself must not hang the program. */
const MOST_CAUSES = 10;

/** Returns the first thing to try after a failure: what it says itself, else by what caused it, else by its kind. */
export function remedyFor(error: unknown): string {
  const kind = outcomeOf(error);
  if (kind === 'UNEXPECTED') return 'this is a fault of solar-exporter: please report it';
  let cause = error;
  for (let count = 0; count < MOST_CAUSES && cause instanceof Error; count += 1) {
    const code = 'code' in cause ? cause.code : undefined;
    const remedy =
      cause instanceof ServiceError
        ? (cause.remedy ?? BY_CODE.get(cause.serviceCode ?? ''))
        : BY_CODE.get(String(code));
    if (remedy !== undefined) return remedy;
    ({ cause } = cause);
  }
  return REMEDIES[kind];
}
