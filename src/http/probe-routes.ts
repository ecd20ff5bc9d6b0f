import type { ProbeRefusal, ProbeTarget } from '../metrics/probe.ts';
import { Page } from '../metrics/page.ts';
import { compressibleReply, type Reply, replyWith, type Route, textReply } from './reply.ts';
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

const NOT_DISCOVERED = textReply(503, 'The stations are not known yet; the log says why.');

const REFUSALS: Readonly<Record<ProbeRefusal, Reply>> = {
  'unknown station': textReply(
    404,
    'target: no station of this exporter has that id; /sd lists what is accepted.',
  ),
  'unknown account': textReply(
    404,
    'account: no account of this exporter has that name; /sd lists what is accepted.',
  ),
  'several accounts': textReply(
    400,
    'account: several accounts have a station of that id: name one, as /probe?target=…&account=…; /sd lists them.',
  ),
  'unknown yet': NOT_DISCOVERED,
};

/** Creates `/sd`, which lists the stations for Prometheus (http_sd), and `/probe`, which scrapes one. */
export function probeRoutes({
  scrapeTimeoutMs,
  listStations,
  probe,
}: ProbeRouteOptions): readonly (readonly [string, Route])[] {
  return [
    ['/sd', async () => discoveryReply(await listStations(scrapeTimeoutMs))],
    [
      '/probe',
      async ({ url = '', headers }) => {
        const query = queryOf(url);
        const targets = query.getAll('target');
        const [stationId = ''] = targets;
        if (targets.length !== 1 || stationId === '')
          return textReply(
            400,
            'target: give one station id, as /probe?target=…; /sd lists what is accepted.',
          );
        const accounts = query.getAll('account');
        if (accounts.length > 1)
          return textReply(400, 'account: give one name, as /probe?target=…&account=….');
        // Relabelling leaves it empty where there is only one account.
        const [account = ''] = accounts;
        const timeout = headers['x-prometheus-scrape-timeout-seconds'];
        const waitMs = scrapeWaitMs(timeout, scrapeTimeoutMs);
        const page = await probe(stationId, account === '' ? undefined : account, waitMs);
        return page instanceof Page
          ? compressibleReply(headers, METRICS_HEADERS, page)
          : REFUSALS[page];
      },
    ],
  ];
}

function queryOf(url: string): URLSearchParams {
  const queryAt = url.indexOf('?');
  return new URLSearchParams(queryAt < 0 ? '' : url.slice(queryAt + 1));
}

/** Lists the targets. While any are unknown it fails, so that Prometheus keeps the targets that it has. */
function discoveryReply(stations: readonly ProbeTarget[] | undefined): Reply {
  if (stations === undefined) return NOT_DISCOVERED;
  const targets = stations.map(({ station: { stationId, name = '', timeZone = '' }, account }) => ({
    targets: [stationId],
    labels: {
      __meta_solar_station_name: name,
      __meta_solar_station_time_zone: timeZone,
      __meta_solar_account: account ?? '',
    },
  }));
  const headers = { 'content-type': 'application/json; charset=utf-8' };
  return replyWith(200, headers, Buffer.from(JSON.stringify(targets)));
}
