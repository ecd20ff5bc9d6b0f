import type { Operation } from './operation.ts';
import type { ConcurrencyLimit } from './concurrency-limit.ts';
import { openEnvelope } from './envelope.ts';
import type { SendRequest } from './send-request.ts';
import type { ServiceClock } from './service-clock.ts';
import type { Session } from './session.ts';
import { FALLBACK_TIME_ZONE, ZonedCalendar } from './time-zone.ts';

export interface DataCallerOptions {
  readonly session: Pick<Session, 'withToken'>;
  readonly send: SendRequest;
  /** How many calls may be under way at once; log-in and refresh are not among them. */
  readonly limit: ConcurrencyLimit;
  /** The zone the user chose; takes precedence over a station's own. */
  readonly timeZone?: string | undefined;
  readonly serviceClock: ServiceClock;
}

/** One question to a data endpoint, and how the `data` of its answer is read. */
export interface DataCall<T> {
  readonly url: URL;
  /** Sent with POST; a question without one is a GET. */
  readonly body?: object;
  readonly decode: (data: unknown) => T;
}

export interface CallOptions {
  /** The station's own zone, where known. */
  readonly stationTimeZone?: string | undefined;
  /** Whether the service may lack the endpoint. */
  readonly isOptional?: boolean;
}

/** The moment of a question: the window it asks for ends when it is sent. */
export interface Moment {
  readonly nowMs: number;
  readonly calendar: ZonedCalendar;
}

/** Asks the data endpoints: waits for a turn, keeps the token alive, opens the envelope (interface 5.2). */
export class DataCaller {
  readonly #options: DataCallerOptions;
  readonly #calendars = new Map<string, ZonedCalendar>();

  constructor(options: DataCallerOptions) {
    this.#options = options;
  }

  /**
   * @param ask - builds the question when its turn has come.
   */
  call<T>(
    operation: Operation,
    ask: (moment: Moment) => DataCall<T>,
    { stationTimeZone, isOptional = false }: CallOptions = {},
  ): Promise<T> {
    const { session, send, limit, timeZone, serviceClock } = this.#options;
    const zone = timeZone ?? stationTimeZone ?? FALLBACK_TIME_ZONE;
    return limit(() =>
      session.withToken((accessToken) => {
        const moment = { nowMs: serviceClock.nowMs(), calendar: this.#calendar(zone) };
        const { url, body, decode } = ask(moment);
        const headers = {
          'iot-token': accessToken.reveal(),
          'iot-time-zone': zone,
          accept: 'application/json',
          // Texts come in one language then; none of them is ever matched.
          'accept-language': 'en',
          'content-type': 'application/json; charset=utf-8',
        };
        const request = { url, headers, body: body && JSON.stringify(body) };
        return send(operation, request, (payload) =>
          decode(openEnvelope(payload, url.pathname, true).data),
        );
      }, isOptional),
    );
  }

  #calendar(timeZone: string): ZonedCalendar {
    let calendar = this.#calendars.get(timeZone);
    if (calendar === undefined) {
      calendar = new ZonedCalendar(timeZone);
      this.#calendars.set(timeZone, calendar);
    }
    return calendar;
  }
}
