import type { Page } from '../metrics/page.ts';
import type { Station } from '../model/station.ts';
import { compressibleReply } from './compressible.ts';
import { METRICS_HEADERS } from './metrics-route.ts';
import { type Reply, replyWith, textReply } from './reply.ts';
import type { Route } from './route.ts';
import { scrapeWaitMs } from './scrape-deadline.ts';

export interface ProbeRouteOptions {
  /** The longest wait inside one scrape. */
  readonly scrapeTimeoutMs: number;
  /** Whether anybody has said yet which stations there are. */
  readonly isDiscovered: () => boolean;
  /** The stations there are; absent while nobody has said. */
  readonly listStations: (waitMs: number) => Promise<readonly Station[] | undefined>;
  /** The page of one station; absent when it is not known. */
  readonly probe: (stationId: string, waitMs: number) => Promise<Page | undefined>;
}

const NOT_DISCOVERED = textReply(503, 'The stations are not known yet; the log says why.');

/** `/sd`, where Prometheus finds the stations (http_sd), and `/probe`, where it scrapes one of them. */
export function probeRoutes({
  scrapeTimeoutMs,
  isDiscovered,
  listStations,
  probe,
}: ProbeRouteOptions): readonly (readonly [string, Route])[] {
  return [
    ['/sd', async () => discoveryReply(await listStations(scrapeTimeoutMs))],
    [
      '/probe',
      async ({ url = '', headers }) => {
        const targets = queryOf(url).getAll('target');
        const [stationId = ''] = targets;
        if (targets.length !== 1 || stationId === '')
          return textReply(
            400,
            'target: give one station id, as /probe?target=…; /sd lists what is accepted.',
          );
        const timeout = headers['x-prometheus-scrape-timeout-seconds'];
        const page = await probe(stationId, scrapeWaitMs(timeout, scrapeTimeoutMs));
        if (page !== undefined) return compressibleReply(headers, METRICS_HEADERS, page);
        if (!isDiscovered()) return NOT_DISCOVERED;
        return textReply(
          404,
          'target: no station of this exporter has that id; /sd lists what is accepted.',
        );
      },
    ],
  ];
}

function queryOf(url: string): URLSearchParams {
  const queryAt = url.indexOf('?');
  return new URLSearchParams(queryAt < 0 ? '' : url.slice(queryAt + 1));
}

/** Prometheus keeps the targets it has when the answer is not a success. */
function discoveryReply(stations: readonly Station[] | undefined): Reply {
  if (stations === undefined) return NOT_DISCOVERED;
  const targets = stations.map(({ stationId, name = '', timeZone = '' }) => ({
    targets: [stationId],
    labels: { __meta_solar_station_name: name, __meta_solar_station_time_zone: timeZone },
  }));
  const headers = { 'content-type': 'application/json; charset=utf-8' };
  return replyWith(200, headers, Buffer.from(JSON.stringify(targets)));
}
