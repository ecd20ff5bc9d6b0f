import type { Clock } from '../../base/clock.ts';
import type { ServiceError } from '../../base/errors.ts';
import type { Logger } from '../../base/log.ts';
import type { FiringAlarm } from '../../model/station.ts';
import { ENDPOINTS } from '../endpoints.ts';
import type { DataCaller } from '../exchange/data-caller.ts';
import { isFinalRefusal } from '../exchange/retry.ts';

const PAGE_SIZE = 500;
/** Alarms that are still active after so many pages are not worth more requests. */
const MAX_PAGES = 5;
/** The same limit for a service that ignores the page size, because each alarm is a series. */
const MAX_ALARMS = MAX_PAGES * PAGE_SIZE;
/** How long a list that was refused is not requested again. */
const PAUSE_MS = 10 * 60_000;

/** Fetches the active alarms of stations (field notes 1.6); a service may lack these lists. */
export class AlarmList {
  readonly #caller: DataCaller;
  readonly #clock: Clock;
  readonly #log: Logger;
  /** When to ask again for each list that was refused before it ever answered, by station. */
  readonly #askAgainAtMs = new Map<string, number>();
  readonly #answered = new Set<string>();
  #hasWarned = false;

  constructor(caller: DataCaller, clock: Clock, log: Logger) {
    this.#caller = caller;
    this.#clock = clock;
    this.#log = log;
  }

  /**
   * Fetches the active alarms, each key of a device once; none for a station that never had a list.
   * Fails when a list that has answered before is refused: without it, its alarms would look cleared.
   */
  async firing(stationId: string): Promise<readonly FiringAlarm[]> {
    if (this.#clock.nowMs() < (this.#askAgainAtMs.get(stationId) ?? -Infinity)) return [];
    try {
      const alarms = await this.#fetchActive(stationId);
      this.#askAgainAtMs.delete(stationId);
      this.#answered.add(stationId);
      return alarms;
    } catch (error) {
      if (!isFinalRefusal(error) || this.#answered.has(stationId)) throw error;
      this.#askAgainAtMs.set(stationId, this.#clock.nowMs() + PAUSE_MS);
      this.#warnOnce(error);
      return [];
    }
  }

  #warnOnce(error: ServiceError): void {
    if (this.#hasWarned) return;
    this.#hasWarned = true;
    this.#log.warn({ err: error }, 'the service has no list of alarms for us: none are shown');
  }

  /** Reads pages, newest alarms first, up to the first page without an active alarm: the past is long. */
  async #fetchActive(stationId: string): Promise<readonly FiringAlarm[]> {
    const alarms = new Map<string, FiringAlarm>();
    for (let page = 1; page <= MAX_PAGES; page += 1) {
      const body = { page, count: PAGE_SIZE, stationId, orderByCreatedTimeDesc: true };
      const { active, length } = await this.#caller.call(ENDPOINTS.alarms, () => ({ body }));
      for (const alarm of active) {
        const name = `${alarm.deviceId} ${alarm.key}`;
        if (alarms.size < MAX_ALARMS && !alarms.has(name)) alarms.set(name, alarm);
      }
      if (length < PAGE_SIZE || active.length === 0 || alarms.size === MAX_ALARMS) break;
    }
    return [...alarms.values()];
  }
}
