import { DropLog } from '../../src/base/drop-log.ts';
import { limitConcurrency } from '../../src/base/concurrency.ts';
import { ServiceError } from '../../src/base/errors.ts';
import { ServiceClient } from '../../src/client/client.ts';
import { RuleSet } from '../../src/client/dialects/rule-set.ts';
import { DataCaller } from '../../src/client/exchange/data-caller.ts';
import { createSendRequest } from '../../src/client/exchange/send-request.ts';
import { ServiceClock } from '../../src/client/exchange/service-clock.ts';
import { Session } from '../../src/client/session/session.ts';
import { Collection } from '../../src/collectors/collection.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { FakeTransport } from '../support/fake-transport.ts';
import { SilentLog } from '../support/silent-log.ts';
import { serviceUrls } from '../client/exchange/caller-harness.ts';
import { tokenSet } from '../unit/client/session-states.ts';
import { LIFETIMES, samplesOf, seriesOf } from './collection-harness.ts';

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;
export const CENTURY_MS = 36_525 * DAY_MS;

/** The time of the service, which is right. */
const NOW = '2026-08-24T08:00:00Z';
/** A reading of every key of the interface. */
const CLASSIC = {
  pvInputPower: 1200,
  acOutputActivePower: 0.85,
  batteryDischargeCurrent: 0,
  batteryChargingCurrent: 5,
  batteryVoltage: 52,
  feedInPower: 0,
  batterySOC: 93,
};

/** The endpoints of the service by the name that a script has for each. */
const PATHS = {
  stations: '/stations',
  devices: '/devices',
  deviceDetails: '/details',
  readings: '/readings',
  latestState: '/latest',
  energyFlow: '/flow',
  attributes: '/attributes',
  alarms: '/alarms',
  summary: '/summary',
  settingsGet: '/settings',
};
export type Asked = keyof typeof PATHS;

/** Returns the `data` of an answer, or throws. */
export type Script = Partial<Record<Asked, (trueMs: number) => unknown>>;

/** Fails like a path that leads nowhere. */
export const notFound = (): never => {
  throw new ServiceError('SERVICE_REQUEST_REJECTED', 'HTTP 404');
};
export const unreachable = (): never => {
  throw new ServiceError('SERVICE_UNREACHABLE', 'ECONNREFUSED');
};

const USUAL: Script = {
  stations: () => ({ list: [{ id: 'house' }] }),
  devices: () => ({ list: [{ id: 'inverter' }] }),
  deviceDetails: () => null,
  readings: (trueMs) => ({
    payload: {
      timeSeries: [new Date(Math.floor(trueMs / (5 * MINUTE_MS)) * 5 * MINUTE_MS).toISOString()],
      fields: Object.fromEntries(Object.entries(CLASSIC).map(([key, value]) => [key, [value]])),
    },
  }),
  latestState: notFound,
  energyFlow: notFound,
  attributes: notFound,
  alarms: () => ({ list: [{ key: 'fire', deviceId: 'inverter', level: 3, disappearedAt: null }] }),
  summary: () => ({ properties: [] }),
  settingsGet: () => ({ operatingMode: 'Self-Use' }),
};

/**
 * The client and the collectors before a service whose clock is right, on a machine whose clock is wrong until
 * it is set.
 *
 * @param aheadMs - how far the machine's clock is ahead at first.
 * @param isDated - whether the answers of the service have a date.
 */
export function createHouse(aheadMs: number, isDated: boolean, script: Script = {}) {
  const clock = new FakeClock(NOW);
  clock.advance(aheadMs);
  let errorMs = aheadMs;
  const trueMs = (): number => clock.nowMs() - errorMs;
  const log = new SilentLog();
  const asked: Asked[] = [];
  const answers: Script = { ...USUAL, ...script };
  const transport = new FakeTransport(({ url }) => {
    const endpoint = (Object.keys(PATHS) as Asked[]).find((name) => PATHS[name] === url.pathname);
    if (endpoint === undefined) throw new Error(`no endpoint at ${url.pathname}`);
    asked.push(endpoint);
    return { code: 0, data: answers[endpoint]?.(trueMs()) };
  });
  if (isDated) transport.date = trueMs;
  const logIns: number[] = [];
  const refuse = (): Promise<never> =>
    Promise.reject(new ServiceError('SERVICE_AUTH_REJECTED', 'refused'));
  const durationsSeconds: number[] = [];
  const auth = {
    canLogIn: true,
    logIn: () => {
      logIns.push(trueMs());
      const receivedAtMs = clock.nowMs();
      const tokens = tokenSet(`access-${logIns.length}`, undefined, receivedAtMs + 2 * HOUR_MS);
      return Promise.resolve({ ...tokens, receivedAtMs });
    },
    refresh: refuse,
  };
  const observer = {
    requestEnded: (_operation: string, _outcome: string, durationSeconds: number) =>
      durationsSeconds.push(durationSeconds),
    renewalEnded: () => undefined,
    dropped: () => undefined,
  };
  const random = () => 0.5;
  const session = new Session({ auth, clock, random, observer, log });
  const serviceClock = new ServiceClock(clock, log);
  const nowMs = () => clock.nowMs();
  const send = createSendRequest({ transport, observer, nowMs, serviceClock });
  const urls = serviceUrls(PATHS);
  const limit = limitConcurrency(8);
  const drops = new DropLog(log, observer.dropped);
  const caller = new DataCaller({ urls, session, send, limit, serviceClock, drops });
  const api = new ServiceClient({
    session,
    caller,
    serviceClock,
    rules: new RuleSet([]),
    clock,
    random,
    log,
  });
  const collection = new Collection({
    api,
    clock,
    random,
    log,
    drops,
    stationIds: [],
    collect: { settings: true, alarms: true, energy: false },
    lifetimes: LIFETIMES,
  });
  return {
    collection,
    clock,
    log,
    session,
    auth,
    transport,
    serviceClock,
    refuse,
    durationsSeconds,
    answers,
    trueMs,
    logIns,
    series: () => seriesOf(samplesOf(collection)),
    outcomes: () => collection.status().flatMap(({ outcomes }) => outcomes),
    asked,
    countOf: (endpoint: Asked) => asked.filter((one) => one === endpoint).length,
    refresh: () => collection.refresh(),
    /** Scrapes for so long, every half minute or so often. */
    live: async (durationMs: number, everyMs = MINUTE_MS / 2) => {
      for (let passedMs = 0; passedMs < durationMs; passedMs += everyMs) {
        clock.advance(everyMs);
        await collection.refresh();
      }
    },
    /** Sets the clock right. */
    setRight: () => {
      clock.advance(-errorMs);
      errorMs = 0;
    },
  };
}
