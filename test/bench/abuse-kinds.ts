/** What the load of each kind is, for people; the process of the abuse does just this. */
export const ABUSES = {
  calm: 'nobody else asks',
  scrapers: '200 keep-alive clients, each a scrape every 100 ms',
  slow: '300 connections that send one byte every 50 ms: 100 of a head, 100 of a body, 100 nothing',
  pipelining: '10 clients, each 100 scrapes in one packet every 500 ms',
  heads: '20 clients, each a header of 1 MB every 100 ms',
  status: '20 clients, each the status page and its JSON every 200 ms',
  probes: '8 clients, the status page and a probe by turns, again as soon as the answer is there',
  guessing: '50 clients, each a wrong password every 20 ms',
  overload: '80 clients that scrape while the service is silent, again 100 ms after each answer',
  hoarding: '520 connections, each a request every second; the calm client comes last',
} as const;

export type Abuse = keyof typeof ABUSES;

/** How long one abuse lasts. */
export const ABUSE_MS = 5000;
