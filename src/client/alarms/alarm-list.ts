import type { Clock } from '../../base/clock.ts';
import { ServiceError } from '../../base/errors.ts';
import { ANSWER_LIMITS, LIST_LIMITS, type ListLimits } from '../../base/limits.ts';
import type { Logger } from '../../base/log.ts';
import { isOver, type NotBefore, waitFor } from '../../base/not-before.ts';
import type { FiringAlarm } from '../../model/station.ts';
import { MOST_REMEMBERED, RecentMap } from '../../base/recent-map.ts';
import { ENDPOINTS } from '../endpoints.ts';
import type { DataCaller } from '../exchange/caller.ts';
import { isFinalRefusal } from '../exchange/retry.ts';

const PAGE_SIZE = 500;
/** Alarms that are still active after so many pages are not worth more requests. */
const MAX_PAGES = 5;
/** How long a list that was refused is not requested again. */
const PAUSE_MS = 10 * 60_000;

/** The active alarms of a station, as far as they are known. */
export interface StationAlarms {
  readonly alarms: readonly FiringAlarm[];
  /** Why the list of alarms is not known; absent where it is, and where the service has no such list. */
  readonly refusal?: ServiceError | undefined;
}

/** A list that was refused, and how long it is not asked for again. */
interface RefusedList {
  readonly result: StationAlarms;
  readonly pause: NotBefore;
}

/** Fetches the active alarms of stations (field notes 1.6); a service may lack these lists. */
export class AlarmList {
  readonly #caller: DataCaller;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #limits: ListLimits;
  /** By station: that the list has answered, or what came of it when it was refused before it ever did. */
  readonly #known = new RecentMap<string, 'answered' | RefusedList>(MOST_REMEMBERED);
  #hasWarned = false;

  constructor(caller: DataCaller, clock: Clock, log: Logger, limits = LIST_LIMITS) {
    this.#limits = limits;
    this.#caller = caller;
    this.#clock = clock;
    this.#log = log;
  }

  /**
   * Fetches the active alarms, each key of a device once; none from a service that has no such list. A list
   * that is there and refused is not empty: the refusal comes with the result, and it is not asked for
   * again for ten minutes.
   *
   * @throws ServiceError when the list fails for the moment, and when one that has answered before is
   * refused: without it, its alarms would look cleared.
   */
  async firing(stationId: string): Promise<StationAlarms> {
    const known = this.#known.get(stationId);
    if (typeof known === 'object' && !isOver(known.pause, this.#clock.nowMs())) return known.result;
    try {
      const alarms = await this.#fetchActive(stationId);
      this.#known.set(stationId, 'answered');
      return { alarms };
    } catch (error) {
      if (!isFinalRefusal(error) || known === 'answered') throw error;
      const result = { alarms: [], refusal: this.#refusalOf(error) };
      this.#known.set(stationId, { result, pause: waitFor(PAUSE_MS, this.#clock.nowMs()) });
      return result;
    }
  }

  /** Returns the refusal of a list that is there; nothing where the path leads nowhere. */
  #refusalOf(error: ServiceError): ServiceError | undefined {
    const { code, message, serviceCode } = error;
    if (code !== 'SERVICE_REQUEST_REJECTED') {
      const hint = `${message}; --collect.alarms=false does without the list of alarms`;
      return new ServiceError(code, hint, { cause: error, serviceCode });
    }
    this.#warnOnce(error);
    return undefined;
  }

  #warnOnce(error: ServiceError): void {
    if (this.#hasWarned) return;
    this.#hasWarned = true;
    this.#log.warn({ err: error }, 'the service has no list of alarms for us: none are shown');
  }

  /** Reads pages, newest alarms first, up to the first page without an active alarm: the past is long. */
  async #fetchActive(stationId: string): Promise<readonly FiringAlarm[]> {
    const alarms = new Map<string, FiringAlarm>();
    const countOf = new Map<string, number>();
    let dropped = 0;
    for (let page = 1; page <= MAX_PAGES; page += 1) {
      const body = { page, count: PAGE_SIZE, stationId, orderByCreatedTimeDesc: true };
      const { active, length } = await this.#caller.call(ENDPOINTS.alarms, () => ({ body }));
      for (const alarm of active) {
        const name = `${alarm.deviceId} ${alarm.key}`;
        if (alarms.has(name)) continue;
        const count = countOf.get(alarm.deviceId) ?? 0;
        if (alarms.size < this.#limits.alarms && count < ANSWER_LIMITS.alarmsPerDevice) {
          alarms.set(name, alarm);
          countOf.set(alarm.deviceId, count + 1);
        } else dropped += 1;
      }
      if (length < PAGE_SIZE || active.length === 0) break;
      // More may follow.
      if (page === MAX_PAGES) dropped = Math.max(1, dropped);
    }
    this.#caller.drops.note(`active alarms, station ${stationId}`, 'alarms', dropped);
    return [...alarms.values()];
  }
}
