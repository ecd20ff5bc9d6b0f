import { endpointUrls, type EndpointPaths } from '../../../src/client/endpoints.ts';
import { DataCaller } from '../../../src/client/exchange/data-caller.ts';
import type { RequestPace } from '../../../src/client/exchange/request-pace.ts';
import { createSendRequest, type Outcome } from '../../../src/client/exchange/send-request.ts';
import { ServiceClock } from '../../../src/client/exchange/service-clock.ts';
import type { ServiceRequest } from '../../../src/client/exchange/transport.ts';
import { DropLog } from '../../../src/base/drop-log.ts';
import { Secret } from '../../../src/base/secret.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { FakeTransport } from '../../support/fake-transport.ts';
import { SilentLog } from '../../support/silent-log.ts';
import { SERVICE_PATHS } from '../../support/service-paths.ts';

const BASE_URL = 'https://service.example.org';

export interface CallerSetup {
  readonly now?: string | undefined;
  /** The zone that the user chose. */
  readonly timeZone?: string | undefined;
  /** Shorter paths for some endpoints. */
  readonly paths?: Partial<EndpointPaths>;
  /** Spaces the requests. */
  readonly pace?: RequestPace;
  /** Called with the outcome of every request. */
  readonly onOutcome?: (outcome: Outcome) => void;
}

/** Returns the URLs of all endpoints: the portal's paths, except for those in `paths`. */
export function serviceUrls(paths: Partial<EndpointPaths> = {}) {
  const allPaths = { ...SERVICE_PATHS, ...paths };
  return endpointUrls({ baseUrl: BASE_URL, authUrl: BASE_URL, paths: allPaths });
}

/** Creates a caller with a token that is always valid, in front of a fake transport. */
export function createCaller(
  answer: (request: ServiceRequest) => unknown = () => ({ code: 0 }),
  { now, timeZone, paths, pace, onOutcome }: CallerSetup = {},
) {
  const clock = new FakeClock(now);
  const serviceClock = new ServiceClock(clock);
  const transport = new FakeTransport(answer);
  const send = createSendRequest({
    transport,
    observer: {
      requestEnded: (_, outcome) => onOutcome?.(outcome),
      renewalEnded: () => undefined,
      dropped: () => undefined,
    },
    nowMs: () => clock.nowMs(),
    serviceClock,
  });
  const session = {
    withToken: <T>(request: (accessToken: Secret) => Promise<T>) => request(new Secret('access')),
  };
  const limit = <T>(call: () => Promise<T>) => call();
  const urls = serviceUrls(paths);
  const dropped: string[] = [];
  const log = new SilentLog();
  const drops = new DropLog(log, (reason, count) => dropped.push(`${count} ${reason}`));
  const caller = new DataCaller({
    urls,
    session,
    send,
    limit,
    pace,
    timeZone,
    serviceClock,
    drops,
  });
  return { caller, clock, serviceClock, transport, dropped, dropLog: log };
}
