import { HOUR_MS, type HouseSetup, MINUTE_MS, openHouse, type ScrapedPage } from './house.ts';
import {
  CLASSIC,
  deviceList,
  history,
  type PortalAnswer,
  type PortalRequest,
  type Script,
  STATION_ID,
  stationList,
} from './scripted-service.ts';

export const PAIR = { SOLAR_ACCESS_TOKEN: 'given', SOLAR_REFRESH_TOKEN: 'given-refresh' };
export const TOKEN = { SOLAR_ACCESS_TOKEN: 'given' };

export type Words = Readonly<Record<string, string>>;

export const LIFETIME_MS = 2 * HOUR_MS;

export const REFUSED: PortalAnswer = { status: 401 };
export const failed = (code: number | string, message = 'no'): PortalAnswer => ({
  envelope: { code, message, data: null },
});

/** What is asked by every scrape. */
export const USUAL: Script = {
  stations: stationList(STATION_ID),
  devices: deviceList({}, { id: '2' }, { id: '3' }),
  readings: history(CLASSIC),
};

/** Answers as usual, but with this to each token of which that is said. */
export function unless(isRefused: (token: string) => boolean, refusal: PortalAnswer): Script {
  const entries = Object.entries(USUAL).map(([endpoint, usual]) => [
    endpoint,
    ({ headers }: PortalRequest) =>
      isRefused(String(headers['iot-token'])) ? refusal : (usual as PortalAnswer),
  ]);
  return Object.fromEntries(entries) as Script;
}

/** A service that issues `access-1`, `access-2` and so on, each with a refresh token of its own. */
export function tokenService(more: object = {}): Script {
  let issued = 0;
  const issue = (): PortalAnswer => {
    issued += 1;
    const tokens = { accessToken: `access-${issued}`, refreshToken: `refresh-${issued}` };
    return { data: { ...tokens, accessTokenWillExpiredInMillis: LIFETIME_MS, ...more } };
  };
  return { login: issue, refresh: issue };
}

/** An exporter that asks for little, so that every scrape is about the session. */
export async function openSession(script: Script, env: Words, more: HouseSetup = {}) {
  const flags = {
    'cache.readings-ttl': '1ms',
    'collect.energy': 'false',
    'collect.alarms': 'false',
    ...more.flags,
  };
  const house = await openHouse({ ...tokenService(), ...script }, { ...more, env, flags });
  const startedAtMs = house.serviceNowMs();
  const openedAtMs = house.clock.nowMs();
  const isRenewal = ({ endpoint }: PortalRequest): boolean =>
    endpoint === 'login' || endpoint === 'refresh';
  return Object.assign(house, {
    /** Scrapes so many minutes after the start, each time, and looks at each page. */
    scrapeAt: async (
      minutes: readonly number[],
      look: (page: ScrapedPage) => void = () => undefined,
    ) => {
      for (const minute of minutes) {
        house.clock.advance(openedAtMs + minute * MINUTE_MS - house.clock.nowMs());
        look(await house.scrape());
      }
    },
    /** The attempts to renew so far, such as `login` and `refresh`. */
    renewals: () => house.requests.filter(isRenewal).map(({ endpoint }) => endpoint),
    /** When requests of an endpoint came, in units since the start. */
    times: (endpoint: PortalRequest['endpoint'], unitMs: number) =>
      house.asked(endpoint).map(({ atMs }) => Math.round((atMs - startedAtMs) / unitMs)),
    /** The token that the last request for readings carried. */
    lastToken: () => house.asked('readings').at(-1)?.headers['iot-token'],
  });
}
