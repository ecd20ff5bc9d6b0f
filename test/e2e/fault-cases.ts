import type { ServiceErrorCode } from '../../src/errors.ts';
import type { Fault } from '../../src/simulator/simulator.ts';
import { MINUTE_MS, SECOND_MS } from '../support/running-exporter.ts';

/** Everything a scrape of a healthy exporter asks for. */
export const ENDPOINTS = ['login', 'stations', 'devices', 'readings', 'summary'] as const;
export type FaultyEndpoint = (typeof ENDPOINTS)[number];

export interface FaultCase {
  readonly endpoint: FaultyEndpoint;
  readonly name: string;
  readonly fault: Fault;
  /** The outcome that the page counts. */
  readonly code: ServiceErrorCode;
}

/** Waiting for silence is real; short enough for a test, long enough for an honest answer. */
export const PATIENCE = { 'request.timeout': '2s' };

interface KindCase {
  readonly name: string;
  readonly fault: Fault;
  readonly code: ServiceErrorCode;
  /** Where a login reads it differently. */
  readonly codeAtLogin?: ServiceErrorCode;
}

/** Every kind there is: a new one does not compile until it is decided here. */
const KINDS: Readonly<Record<Fault['kind'], readonly KindCase[]>> = {
  status: [
    status(500, 'SERVICE_SERVER_ERROR'),
    status(503, 'SERVICE_SERVER_ERROR'),
    status(404, 'SERVICE_REQUEST_REJECTED'),
    status(401, 'SERVICE_AUTH_REJECTED'),
    status(403, 'SERVICE_AUTH_REJECTED'),
    status(429, 'SERVICE_RATE_LIMITED', { 'retry-after': '60' }),
  ],
  html: [{ name: 'a web page', fault: { kind: 'html' }, code: 'SERVICE_PAYLOAD_INVALID' }],
  truncated: [
    { name: 'broken JSON', fault: { kind: 'truncated' }, code: 'SERVICE_PAYLOAD_INVALID' },
  ],
  array: [{ name: 'an array', fault: { kind: 'array' }, code: 'SERVICE_PAYLOAD_INVALID' }],
  oversize: [
    { name: 'ten megabytes', fault: { kind: 'oversize' }, code: 'SERVICE_PAYLOAD_INVALID' },
  ],
  redirect: [{ name: 'a redirect', fault: { kind: 'redirect' }, code: 'SERVICE_REQUEST_REJECTED' }],
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
  reset: [{ name: 'half an answer', fault: { kind: 'reset' }, code: 'SERVICE_UNREACHABLE' }],
  refuse: [{ name: 'a closed door', fault: { kind: 'refuse' }, code: 'SERVICE_UNREACHABLE' }],
  hang: [{ name: 'silence', fault: { kind: 'hang' }, code: 'SERVICE_TIMEOUT' }],
  drip: [{ name: 'a byte at a time', fault: { kind: 'drip' }, code: 'SERVICE_TIMEOUT' }],
};

const CASES: readonly FaultCase[] = ENDPOINTS.flatMap((endpoint) =>
  Object.values(KINDS)
    .flat()
    .map(({ name, fault, code, codeAtLogin = code }) => ({
      endpoint,
      name,
      fault,
      code: endpoint === 'login' ? codeAtLogin : code,
    })),
);

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

/** The longest that recovery takes once the fault is gone, after `refusals` logins refused in a row. */
export function recoveryMs({ endpoint, code }: FaultCase, refusals: number): number {
  const isRefused = code === 'SERVICE_AUTH_REJECTED' || code === 'SERVICE_API_REFUSED';
  // The breaker's ladder; everything else is over after the longest back-off.
  if (endpoint === 'login' && isRefused && refusals > 1) return 5 * MINUTE_MS;
  return 60 * SECOND_MS;
}

function status(
  code: number,
  outcome: ServiceErrorCode,
  headers: Readonly<Record<string, string>> = {},
): KindCase {
  return {
    name: `status ${code}`,
    fault: { kind: 'status', status: code, headers },
    code: outcome,
  };
}

function envelope(code: number | string, outcome: ServiceErrorCode): KindCase {
  const fault = { kind: 'envelope', code, message: 'no' } as const;
  return { name: `code ${code}`, fault, code: outcome };
}
