import type { Clock } from '../clock.ts';
import type { ServiceError } from '../errors.ts';
import type { Logger } from '../log.ts';
import type { FiringAlarm } from '../model/alarm.ts';
import { decodeAlarmPage } from './alarm-wire.ts';
import type { DataCall, DataCaller } from './data-caller.ts';
import { isFinalRefusal } from './retry.ts';

const PAGE_SIZE = 500;
/** What is still active after so many pages of the past is not worth more requests. */
const MAX_PAGES = 5;
/** The same of a service that sends all of them at once: each is a series. */
const MOST_ALARMS = MAX_PAGES * PAGE_SIZE;
/** Between two looks for a list that was refused. */
const PAUSE_MS = 10 * 60_000;

/** The alarm list of a station (field notes 1.6), which a service may lack. */
export class AlarmList {
  readonly #caller: DataCaller;
  readonly #url: URL;
  readonly #clock: Clock;
  readonly #log: Logger;
  /** Stations whose list was refused before it ever answered, and when to ask again. */
  readonly #askAgainAtMs = new Map<string, number>();
  readonly #answered = new Set<string>();
  #isToldMissing = false;

  constructor(caller: DataCaller, url: URL, clock: Clock, log: Logger) {
    this.#caller = caller;
    this.#url = url;
    this.#clock = clock;
    this.#log = log;
  }

  /**
   * Active alarms, each key of a device once; none for a station that never had such a list. One that
   * was there and is refused is a failure: what has vanished from it would look cleared.
   */
  async firing(stationId: string): Promise<readonly FiringAlarm[]> {
    if (this.#clock.nowMs() < (this.#askAgainAtMs.get(stationId) ?? -Infinity)) return [];
    try {
      const alarms = await this.#walk(stationId);
      this.#askAgainAtMs.delete(stationId);
      this.#answered.add(stationId);
      return alarms;
    } catch (error) {
      if (!isFinalRefusal(error) || this.#answered.has(stationId)) throw error;
      this.#askAgainAtMs.set(stationId, this.#clock.nowMs() + PAUSE_MS);
      this.#tellMissing(error);
      return [];
    }
  }

  #tellMissing(error: ServiceError): void {
    if (this.#isToldMissing) return;
    this.#isToldMissing = true;
    this.#log.warn({ err: error }, 'the service has no list of alarms for us: none are shown');
  }

  /** The newest come first, and the past is long: it ends with the first page without an active one. */
  async #walk(stationId: string): Promise<readonly FiringAlarm[]> {
    const alarms = new Map<string, FiringAlarm>();
    for (let page = 1; page <= MAX_PAGES; page += 1) {
      const ask = (): DataCall<ReturnType<typeof decodeAlarmPage>> => ({
        url: this.#url,
        body: { page, count: PAGE_SIZE, stationId, orderByCreatedTimeDesc: true },
        decode: (data) => decodeAlarmPage(data, this.#url.pathname),
      });
      const { active, length } = await this.#caller.call('alarms', ask, { isOptional: true });
      for (const alarm of active) {
        const name = `${alarm.deviceId} ${alarm.key}`;
        if (alarms.size < MOST_ALARMS && !alarms.has(name)) alarms.set(name, alarm);
      }
      if (length < PAGE_SIZE || active.length === 0 || alarms.size === MOST_ALARMS) break;
    }
    return [...alarms.values()];
  }
}
