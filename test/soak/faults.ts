import type { Endpoint, Fault } from '../../src/simulator/simulator.ts';

/** One fault of each kind: a new one does not compile until it is given here. */
const FAULT_BY_KIND: Readonly<{ [Kind in Fault['kind']]: Fault & { readonly kind: Kind } }> = {
  status: { kind: 'status', status: 500 },
  html: { kind: 'html' },
  truncated: { kind: 'truncated' },
  array: { kind: 'array' },
  oversize: { kind: 'oversize' },
  redirect: { kind: 'redirect' },
  empty: { kind: 'empty' },
  envelope: { kind: 'envelope', code: 20_101, message: 'no' },
  'data-null': { kind: 'data-null' },
  data: { kind: 'data', data: 'other' },
  altered: { kind: 'altered', alter: (body) => body.replaceAll(':', ',') },
  'gzip-bomb': { kind: 'gzip-bomb' },
  reset: { kind: 'reset' },
  refuse: { kind: 'refuse' },
  hang: { kind: 'hang' },
  drip: { kind: 'drip' },
};

/** Every kind of fault, in turn. */
export const FAULTS: readonly Fault[] = Object.values(FAULT_BY_KIND);

/** What a scrape asks when it is logged in already. */
export const DATA_ENDPOINTS: readonly Endpoint[] = [
  'stations',
  'devices',
  'readings',
  'latest-state',
  'energy-flow',
  'attributes',
  'alarms',
  'summary',
  'summary-days',
  'summary-years',
  'settings-get',
];
