import type { ServiceErrorCode } from '../../../src/base/errors.ts';
import type { Endpoint, Fault } from '../../../src/simulator/simulator.ts';
import { MINUTE_MS, SECOND_MS } from '../../doors/house.ts';

/** Everything a scrape of a healthy exporter asks for. */
export const ENDPOINTS = ['login', 'stations', 'devices', 'readings', 'summary'] as const;
export type FaultyEndpoint = (typeof ENDPOINTS)[number];

export interface FaultCase {
  readonly endpoint: FaultyEndpoint;
  readonly name: string;
  readonly fault: Fault;
  /** The outcome that the page counts. */
  readonly code: ServiceErrorCode;
  /** How long the service asks to stay away, every time; absent where it does not. */
  readonly askedPauseMs?: number | undefined;
  /** Until when it asks to stay away; absent where it does not, or not by a date. */
  readonly askedUntilAtMs?: number | undefined;
}

/** When the faults begin: days after the simulated plants were installed, so that there is little energy to sum up. */
export const FAULTS_NOW = '2024-01-02T04:00:00Z';

const ASKED_UNTIL = 'Tue, 02 Jan 2024 04:03:00 GMT';

export interface KindCase extends Omit<FaultCase, 'endpoint'> {
  /** Where a login reads it differently. */
  readonly codeAtLogin?: ServiceErrorCode;
}

/** Every kind there is: a new one does not compile until it is decided here. */
const KINDS: Readonly<Record<Fault['kind'], readonly KindCase[]>> = {
  status: [
    status(500, 'SERVICE_SERVER_ERROR'),
    status(502, 'SERVICE_SERVER_ERROR', {
      headers: { 'content-type': 'text/html' },
      body: '<h1>Bad Gateway</h1>',
    }),
    status(503, 'SERVICE_SERVER_ERROR'),
    status(404, 'SERVICE_REQUEST_REJECTED'),
    status(405, 'SERVICE_REQUEST_REJECTED'),
    status(401, 'SERVICE_AUTH_REJECTED'),
    status(403, 'SERVICE_AUTH_REJECTED'),
    status(429, 'SERVICE_RATE_LIMITED'),
    asked('for a minute', '60', { askedPauseMs: MINUTE_MS }),
    asked('until a date', ASKED_UNTIL, { askedUntilAtMs: Date.parse(ASKED_UNTIL) }),
    asked('until long ago', 'Thu, 01 Jan 1970 00:00:00 GMT'),
    asked('until soon', 'soon'),
    {
      name: 'JSON that is none',
      fault: { kind: 'status', status: 200, body: '{"code":0,"data":nothing}' },
      code: 'SERVICE_PAYLOAD_INVALID',
    },
  ],
  html: [{ name: 'a web page', fault: { kind: 'html' }, code: 'SERVICE_PAYLOAD_INVALID' }],
  truncated: [
    { name: 'broken JSON', fault: { kind: 'truncated' }, code: 'SERVICE_PAYLOAD_INVALID' },
  ],
  array: [{ name: 'an array', fault: { kind: 'array' }, code: 'SERVICE_PAYLOAD_INVALID' }],
  oversize: [
    {
      name: 'fifty megabytes',
      fault: { kind: 'oversize', bytes: 50_000_000 },
      code: 'SERVICE_PAYLOAD_INVALID',
    },
  ],
  'gzip-bomb': [
    { name: 'a gzip bomb', fault: { kind: 'gzip-bomb' }, code: 'SERVICE_PAYLOAD_INVALID' },
  ],
  redirect: [
    { name: 'a redirect', fault: { kind: 'redirect' }, code: 'SERVICE_REQUEST_REJECTED' },
    {
      name: 'a move for good',
      fault: { kind: 'status', status: 301, headers: { location: 'http://127.0.0.1:9/' } },
      code: 'SERVICE_REQUEST_REJECTED',
    },
  ],
  empty: [{ name: 'nothing', fault: { kind: 'empty' }, code: 'SERVICE_PAYLOAD_INVALID' }],
  envelope: [
    envelope(20_101, 'SERVICE_API_REFUSED'),
    envelope('500', 'SERVICE_API_REFUSED'),
    // The code of an expired token, which the interface would say with status 401.
    envelope(9, 'SERVICE_AUTH_REJECTED'),
  ],
  'data-null': [
    {
      name: 'success without data',
      fault: { kind: 'data-null' },
      code: 'SERVICE_PAYLOAD_INVALID',
      codeAtLogin: 'SERVICE_AUTH_REJECTED',
    },
  ],
  data: [wrongData('text', 'none'), wrongData('a number', 42), wrongData('a list', [])],
  // What an honest answer can be turned into is a subject of its own: fault-matrix-types.test.ts.
  altered: [],
  reset: [{ name: 'half an answer', fault: { kind: 'reset' }, code: 'SERVICE_UNREACHABLE' }],
  refuse: [{ name: 'a closed door', fault: { kind: 'refuse' }, code: 'SERVICE_UNREACHABLE' }],
  hang: [{ name: 'silence', fault: { kind: 'hang' }, code: 'SERVICE_TIMEOUT' }],
  drip: [
    {
      name: 'a byte at a time',
      // So slow that even the most patient exporter gives up.
      fault: { kind: 'drip', intervalMs: 1000 },
      code: 'SERVICE_TIMEOUT',
    },
  ],
};

/** Every fault, wherever it strikes. */
export const FAULTS: readonly KindCase[] = Object.values(KINDS).flat();

/** Faults that end like another, whoever asked: met at log-in and readings alone. */
const ENDS_LIKE: ReadonlyMap<string, string> = new Map([
  ['status 502', 'status 500'],
  ['status 503', 'status 500'],
  ['status 405', 'status 404'],
  ['status 403', 'status 401'],
  ['status 429 until long ago', 'status 429'],
  ['status 429 until soon', 'status 429'],
  ['a move for good', 'a redirect'],
  ['JSON that is none', 'broken JSON'],
  ['fifty megabytes', 'broken JSON'],
  ['success with a number for data', 'success with text for data'],
]);
const MET_AT: ReadonlySet<string> = new Set(['login', 'readings']);

/** Faults that end like another at an endpoint that is called as others are: none of them reaches its decoder. */
const ENDS_LIKE_BEFORE_DECODING: ReadonlyMap<string, string> = new Map([
  ['a redirect', 'status 404'],
  ['status 429 until a date', 'status 429 for a minute'],
  ['a web page', 'broken JSON'],
  ['an array', 'broken JSON'],
  ['a gzip bomb', 'broken JSON'],
  ['nothing', 'broken JSON'],
  ['code 500', 'code 20101'],
  ['code 9', 'status 401'],
  ['half an answer', 'a closed door'],
  ['a byte at a time', 'silence'],
]);
/** The account, a station and a device have another endpoint each that meets those. */
const CALLED_AS_OTHERS: ReadonlySet<string> = new Set([
  'latest-state',
  'energy-flow',
  'summary-days',
  'summary-years',
  'alarms',
  'settings-get',
]);

/** The fault that is met in the place of this one; absent where this one is met. */
export function standInAt(endpoint: Endpoint, { name }: KindCase): string | undefined {
  if (MET_AT.has(endpoint)) return undefined;
  const standIn = ENDS_LIKE.get(name);
  if (!CALLED_AS_OTHERS.has(endpoint)) return standIn;
  return ENDS_LIKE_BEFORE_DECODING.get(standIn ?? name) ?? standIn;
}

const CASES: readonly FaultCase[] = ENDPOINTS.flatMap((endpoint) =>
  FAULTS.filter((faulty) => standInAt(endpoint, faulty) === undefined).map((faulty) => ({
    ...faulty,
    endpoint,
    code: codeAt(endpoint, faulty),
  })),
);

/** The outcome that the page counts where this endpoint is struck. */
export function codeAt(
  endpoint: Endpoint,
  { code, codeAtLogin = code }: KindCase,
): ServiceErrorCode {
  return endpoint === 'login' || endpoint === 'refresh' ? codeAtLogin : code;
}

/** Every fault at every endpoint that shows at once. */
export const PROMPT_CASES = CASES.filter(({ code }) => code !== 'SERVICE_TIMEOUT');

/** Those that show only when patience runs out, by name: to be waited for together. */
export const SLOW_CASES: readonly {
  readonly name: string;
  readonly cases: readonly FaultCase[];
}[] = [...KINDS.hang, ...KINDS.drip].map(({ name }) => ({
  name,
  cases: CASES.filter((candidate) => candidate.name === name),
}));

/** The longest that recovery takes once a fault at the very start is gone. */
export function recoveryMs({ endpoint, code, askedPauseMs, askedUntilAtMs }: FaultCase): number {
  if (askedPauseMs !== undefined) return askedPauseMs;
  if (askedUntilAtMs !== undefined) return askedUntilAtMs - Date.parse(FAULTS_NOW);
  // The breaker's first pause, and the first back-off.
  return endpoint === 'login' && isRefusal(code) ? MINUTE_MS : SECOND_MS;
}

/** Whether the service refused, which is what opens the breaker of log-ins. */
export function isRefusal(code: ServiceErrorCode): boolean {
  return code === 'SERVICE_AUTH_REJECTED' || code === 'SERVICE_API_REFUSED';
}

function status(
  code: number,
  outcome: ServiceErrorCode,
  more: { readonly headers?: Readonly<Record<string, string>>; readonly body?: string } = {},
): KindCase {
  return {
    name: `status ${code}`,
    fault: { kind: 'status', status: code, ...more },
    code: outcome,
  };
}

function asked(howLong: string, retryAfter: string, pause: Partial<FaultCase> = {}): KindCase {
  const headers = { 'retry-after': retryAfter };
  const faulty = status(429, 'SERVICE_RATE_LIMITED', { headers });
  return { ...faulty, ...pause, name: `status 429 ${howLong}` };
}

function wrongData(what: string, data: unknown): KindCase {
  return {
    name: `success with ${what} for data`,
    fault: { kind: 'data', data },
    code: 'SERVICE_PAYLOAD_INVALID',
    codeAtLogin: 'SERVICE_AUTH_REJECTED',
  };
}

function envelope(code: number | string, outcome: ServiceErrorCode): KindCase {
  const fault = { kind: 'envelope', code, message: 'no' } as const;
  return { name: `code ${code}`, fault, code: outcome };
}
