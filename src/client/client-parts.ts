import { limitConcurrency } from '../base/concurrency.ts';
import { DropLog } from '../base/drop-log.ts';
import type { Logger } from '../base/log.ts';
import type { Runtime } from '../base/runtime.ts';
import type { ServiceApi } from './api.ts';
import { ServiceClient } from './client.ts';
import { type DialectFile, rulesOf } from './dialects/dialect-file.ts';
import { RuleSet } from './dialects/rule-set.ts';
import { type EndpointPaths, endpointUrls } from './endpoints.ts';
import { DataCaller } from './exchange/data-caller.ts';
import { type Allowance, RequestBudget } from './exchange/request-budget.ts';
import { paceRequests } from './exchange/request-pace.ts';
import {
  type ClientObserver,
  createSendRequest,
  type SendRequest,
} from './exchange/send-request.ts';
import { ServiceClock } from './exchange/service-clock.ts';
import { SpentRequests } from './exchange/spent-requests.ts';
import { createTransport, type Transport } from './exchange/transport.ts';
import type { FollowedSession } from './session/followed-session.ts';
import type { Session } from './session/session.ts';

/** The addresses of the service, how it is read, and the limits of requests. */
export interface ServiceOptions {
  readonly baseUrl: string;
  readonly authUrl: string;
  readonly paths: EndpointPaths;
  readonly timeZone?: string | undefined;
  /** The user's rules for field keys. */
  readonly dialect?: DialectFile | undefined;
  readonly request: {
    readonly timeoutMs: number;
    readonly concurrency: number;
    /** How many data requests are sent per second at most; absent for any number. */
    readonly ratePerSecond?: number | undefined;
    /** How many requests of any kind are sent per day at most; absent for any number. */
    readonly dailyBudget?: number | undefined;
  };
}

/** The parts of a client that do not depend on whose session it uses. */
export interface ClientParts {
  readonly transport: Transport;
  readonly serviceClock: ServiceClock;
  /** Sends all requests, for data and for tokens alike. */
  readonly send: SendRequest;
  /** Creates what asks for data, with the tokens of a session. */
  readonly apiWith: (session: Session | FollowedSession) => ServiceApi;
  /** How often the service may be asked; undefined where nothing limits it. */
  readonly allowance: () => Allowance | undefined;
}

/**
 * Creates the parts. Sends nothing.
 *
 * @throws ConfigError when the dialect file is invalid.
 */
export function createParts(
  options: ServiceOptions,
  { clock, random }: Runtime,
  observer: ClientObserver,
  log: Logger,
  spent = new SpentRequests({ clock, log }),
): ClientParts {
  const { timeZone, dialect } = options;
  const { concurrency, timeoutMs, ratePerSecond, dailyBudget } = options.request;
  const nowMs = (): number => clock.nowMs();
  const transport = createTransport({ timeoutMs, concurrency, nowMs });
  const serviceClock = new ServiceClock(clock, log);
  const budget =
    dailyBudget === undefined
      ? undefined
      : new RequestBudget({ dailyRequests: dailyBudget, spent, clock, log });
  const spend = async (): Promise<void> => {
    if (budget === undefined) await spent.spend();
    else await budget.spend();
  };
  const send = createSendRequest({ transport, observer, nowMs, serviceClock, spend });
  const limit = limitConcurrency(concurrency);
  const pace = ratePerSecond === undefined ? undefined : paceRequests(ratePerSecond, clock);
  const urls = endpointUrls(options);
  const drops = new DropLog(log, (reason, count) => observer.dropped(reason, count));
  const rules = new RuleSet(dialect === undefined ? [] : rulesOf(dialect));
  const apiWith = (session: Session | FollowedSession): ServiceApi => {
    const caller = new DataCaller({
      urls,
      session,
      send,
      limit,
      pace,
      budget,
      timeZone,
      serviceClock,
      drops,
    });
    return new ServiceClient({ session, caller, serviceClock, rules, clock, random, log });
  };
  const isLimited = budget !== undefined || ratePerSecond !== undefined;
  const allowance = (): Allowance | undefined =>
    isLimited ? { ratePerSecond, budget: budget?.status(), sentRequests: spent.sent } : undefined;
  return { transport, serviceClock, send, apiWith, allowance };
}
