/** One way to abuse the server, as a row of the table below. */
export interface AbuseKind {
  /** What the load is, for people; the process of the abuse does just this. */
  readonly what: string;
  readonly devices?: number;
  /** Whether passwords are asked for; the calm client has one. */
  readonly hasUsers?: boolean;
  /** Whether the service is silent, so that scrapes are waited for and turned away; else each has to be answered. */
  readonly isServiceSilent?: boolean;
}

/** With so many, a page is larger than what loopback takes for a client that reads nothing: elsewhere that is little. */
const LARGE_DEVICES = 2000;

const PIPELINED = 'pipelines 40 scrapes, reads nothing, and comes again when it is disconnected';

export const ABUSES = {
  calm: { what: 'nobody else asks' },
  scrapers: { what: '200 keep-alive clients, each a scrape every 100 ms' },
  slow: {
    what: '300 connections that send one byte every 50 ms: 100 of a head, 100 of a body, 100 nothing',
  },
  pipelining: { what: '10 clients, each 100 scrapes in one packet every 500 ms' },
  heads: { what: '20 clients, each a header of 1 MB every 100 ms' },
  status: { what: '20 clients, each the status page and its JSON every 200 ms', devices: 1000 },
  probes: {
    what: '8 clients, the status page and a probe by turns, again as soon as the answer is there',
    devices: 1000,
  },
  guessing: { what: '50 clients, each a wrong password every 20 ms', hasUsers: true },
  overload: {
    what: '80 clients that scrape while the service is silent, again 100 ms after each answer',
    isServiceSilent: true,
  },
  hoarding: { what: '520 connections, each a request every second; the calm client comes last' },
  unread: { what: `8 connections, each ${PIPELINED}`, devices: LARGE_DEVICES },
  'unread-many': { what: `560 connections, each ${PIPELINED}`, devices: LARGE_DEVICES },
  'unread-strangers': {
    what: `560 connections without a password, each ${PIPELINED}`,
    devices: LARGE_DEVICES,
    hasUsers: true,
  },
  'slow-readers': {
    what: '100 clients, each pipelines 8 scrapes and reads 300 bytes of them a second',
    devices: LARGE_DEVICES,
  },
} as const satisfies Readonly<Record<string, AbuseKind>>;

export type Abuse = keyof typeof ABUSES;

/** How long one abuse lasts. */
export const ABUSE_MS = 5000;
