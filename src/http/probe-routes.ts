import type { Page } from '../metrics/render.ts';
import type { Station } from '../model/station.ts';
import { compressibleReply, type Reply, replyWith, type Route, textReply } from './reply.ts';
import { METRICS_HEADERS, scrapeWaitMs } from './metrics-route.ts';

export interface ProbeRouteOptions {
  /** The longest wait inside one scrape. */
  readonly scrapeTimeoutMs: number;
  /** Whether the stations are known yet. */
  readonly isDiscovered: () => boolean;
  /** Returns the stations; undefined while they are unknown. */
  readonly listStations: (waitMs: number) => Promise<readonly Station[] | undefined>;
  /** Returns the page of one station; undefined when there is no such station. */
  readonly probe: (stationId: string, waitMs: number) => Promise<Page | undefined>;
}

const NOT_DISCOVERED = textReply(503, 'The stations are not known yet; the log says why.');

/** Creates `/sd`, which lists the stations for Prometheus (http_sd), and `/probe`, which scrapes one. */
export function probeRoutes({
  scrapeTimeoutMs,
  isDiscovered,
  listStations,
  probe,
}: ProbeRouteOptions): readonly (readonly [string, Route])[] {
  let stations: readonly Station[] | undefined;
  let targets = NOT_DISCOVERED;
  return [
    [
      '/sd',
      async () => {
        const listed = await listStations(scrapeTimeoutMs);
        if (listed !== stations) targets = discoveryReply(listed);
        stations = listed;
        return targets;
      },
    ],
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

/** Lists the targets. While the stations are unknown it fails, so that Prometheus keeps the targets that it has. */
function discoveryReply(stations: readonly Station[] | undefined): Reply {
  if (stations === undefined) return NOT_DISCOVERED;
  const targets = stations.map(({ stationId, name = '', timeZone = '' }) => ({
    targets: [stationId],
    labels: { __meta_solar_station_name: name, __meta_solar_station_time_zone: timeZone },
  }));
  const headers = { 'content-type': 'application/json; charset=utf-8' };
  return replyWith(200, headers, Buffer.from(JSON.stringify(targets)));
}
