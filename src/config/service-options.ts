import type { OptionRow } from './option.ts';

const ENDPOINTS = [
  ['login', '/apis/login/account', 'login'],
  ['refresh', '/apis/login/refresh/access/token', 'token refresh'],
  ['stations', '/apis/station/list', 'the list of stations'],
  ['devices', '/apis/device/list', 'the list of devices'],
  ['readings', '/apis/deviceState/simple/attribute/keys/history/v1', 'readings'],
  ['latest-state', '/apis/deviceState/simple/state/latest/v1', 'the latest state of a device'],
  ['energy-flow', '/apis/deviceState/simple/energy/flow/v1', 'the energy flow of a device'],
  ['attributes', '/apis/deviceState/simple/gatherAttributes/v1', 'the attributes of a model'],
  ['alarms', '/apis/alarm/query/list', 'the list of alarms'],
  ['summary', '/apis/stationOverView/stateAttributeSummary/category/yearly', 'monthly energy'],
  ['settings-get', '/apis/remote/device/configs/cache/get', 'reading settings'],
  ['settings-set', '/apis/remote/device/config/write', 'changing settings'],
  ['settings-read', '/apis/remote/device/configs/read', 'asking the device for its settings'],
  ['settings-read-details', '/apis/remote/device/configs/read/details', 'what the device answered'],
] as const;

const ENDPOINT_OPTIONS = ENDPOINTS.map(
  ([name, path, purpose]) =>
    ({
      flag: `path.${name}`,
      kind: 'endpointPath',
      default: path,
      placeholder: 'PATH',
      describe: `endpoint for ${purpose}`,
    }) as const,
);

/** Lists what reaches the service: addresses, credentials, endpoints, patience. */
export const SERVICE_OPTIONS = [
  {
    flag: 'base-url',
    kind: 'url',
    default: 'https://solar.siseli.com',
    placeholder: 'URL',
    describe: 'service that answers data requests',
  },
  {
    flag: 'auth-url',
    kind: 'url',
    unset: 'the base URL',
    placeholder: 'URL',
    describe: 'service that answers login and refresh',
  },
  {
    flag: 'account',
    kind: 'string',
    redacted: true,
    placeholder: 'NAME',
    describe: 'login account',
  },
  {
    flag: 'password',
    kind: 'secret',
    secret: true,
    describe: 'plaintext password of the account (sent as MD5 hex, as the service demands)',
  },
  {
    flag: 'access-token',
    kind: 'secret',
    secret: true,
    describe: 'access token, instead of an account',
  },
  {
    flag: 'refresh-token',
    kind: 'secret',
    secret: true,
    describe: 'refresh token that renews the access token',
  },
  {
    flag: 'app-id',
    kind: 'string',
    placeholder: 'ID',
    describe: 'application id that signs the login',
  },
  {
    flag: 'app-secret',
    kind: 'secret',
    secret: true,
    describe: 'application secret that signs the login, in plain form',
  },
  {
    flag: 'app-secret-encrypted',
    kind: 'secret',
    secret: true,
    describe: "application secret in the service's encrypted base64 form",
  },
  {
    flag: 'station',
    kind: 'list',
    unset: 'discover',
    placeholder: 'ID',
    describe: 'station id; repeatable as a flag, comma separated in the environment',
  },
  {
    flag: 'time-zone',
    kind: 'timeZone',
    unset: "the station's, else Asia/Manila",
    placeholder: 'ZONE',
    describe: 'IANA time zone of the stations',
  },
  ...ENDPOINT_OPTIONS,
  {
    flag: 'dialect.file',
    kind: 'textFile',
    placeholder: 'FILE',
    describe: 'YAML file with rules of your own for field keys of an inverter',
  },
  {
    flag: 'request.timeout',
    kind: 'duration',
    default: '30s',
    placeholder: 'DURATION',
    describe: 'longest wait for one request to the service',
  },
  {
    flag: 'request.concurrency',
    kind: 'count',
    minimum: 1,
    default: '8',
    placeholder: 'COUNT',
    describe: 'requests to the service in flight at once',
  },
] as const satisfies readonly OptionRow[];
