import type { ProbeRefusal, ProbeTarget } from '../metrics/probe.ts';
import { Page } from '../metrics/page.ts';
import { compressibleReply, replyWith, type Route, textReply } from './reply.ts';
import { METRICS_HEADERS, scrapeWaitMs } from './metrics-route.ts';

export interface ProbeRouteOptions {
  /** The longest wait inside one scrape. */
  readonly scrapeTimeoutMs: number;
  /** Returns the stations; undefined while those of any account are unknown. */
  readonly listStations: (waitMs: number) => Promise<readonly ProbeTarget[] | undefined>;
  /** Returns the page of one station, or why there is none. */
  readonly probe: (
    stationId: string,
    account: string | undefined,
    waitMs: number,
  ) => Promise<Page | ProbeRefusal>;
}

const REFUSALS: Readonly<Record<ProbeRefusal | 'no target' | 'no account', [number, string]>> = {
  'no target': [
    400,
    'target: give one station id, as /probe?target=…; /sd lists what is accepted.',
  ],
  'no account': [400, 'account: give one name, as /probe?target=…&account=….'],
  'unknown station': [
    404,
    'target: no station of this exporter has that id; /sd lists what is accepted.',
  ],
  'unknown account': [
    404,
    'account: no account of this exporter has that name; /sd lists what is accepted.',
  ],
  'several accounts': [
    400,
    'account: several accounts have a station of that id: name one, as /probe?target=…&account=…; /sd lists them.',
  ],
  'unknown yet': [503, 'The stations are not known yet; the log says why.'],
};

/** Creates `/sd`, which lists the stations for Prometheus (http_sd), and `/probe`, which scrapes one. */
export function probeRoutes(
  options: ProbeRouteOptions,
): readonly (readonly [path: string, Route])[] {
  const { scrapeTimeoutMs, listStations, probe } = options;
  const refused = (refusal: keyof typeof REFUSALS) => {
    const [status, text] = REFUSALS[refusal];
    return textReply(status, text);
  };
  return [
    [
      '/sd',
      async () => {
        const stations = await listStations(scrapeTimeoutMs);
        // While any are unknown it fails, so that Prometheus keeps the targets that it has.
        if (stations === undefined) return refused('unknown yet');
        const body = Buffer.from(JSON.stringify(stations.map(target)));
        return replyWith(200, { 'content-type': 'application/json; charset=utf-8' }, body);
      },
    ],
    [
      '/probe',
      async ({ url = '', headers }) => {
        const query = new URLSearchParams(/\?.*$/s.exec(url)?.[0]);
        const [stationId = '', ...others] = query.getAll('target');
        if (stationId === '' || others.length > 0) return refused('no target');
        const [account, ...otherAccounts] = query.getAll('account');
        if (otherAccounts.length > 0) return refused('no account');
        const timeout = headers['x-prometheus-scrape-timeout-seconds'];
        const waitMs = scrapeWaitMs(timeout, scrapeTimeoutMs);
        // Relabelling leaves the account empty where there is only one.
        const page = await probe(stationId, account === '' ? undefined : account, waitMs);
        return page instanceof Page
          ? compressibleReply(headers, METRICS_HEADERS, page)
          : refused(page);
      },
    ],
  ];
}

function target({ station: { stationId, name = '', timeZone = '' }, account = '' }: ProbeTarget) {
  return {
    targets: [stationId],
    labels: {
      __meta_solar_station_name: name,
      __meta_solar_station_time_zone: timeZone,
      __meta_solar_account: account,
    },
  };
}
