import { ServiceError } from '../errors.ts';
import type { Logger } from '../log.ts';
import type { FiringAlarm } from '../model/alarm.ts';
import { decodeAlarmPage } from './alarm-wire.ts';
import type { DataCaller } from './data-caller.ts';

const PAGE_SIZE = 100;
/** What is still active after so many pages of the past is not worth more requests. */
const MAX_PAGES = 5;

/** The alarm list of a station (field notes 1.6), which a service may lack. */
export class AlarmList {
  readonly #caller: DataCaller;
  readonly #url: URL;
  readonly #log: Logger;
  #isMissing = false;

  constructor(caller: DataCaller, url: URL, log: Logger) {
    this.#caller = caller;
    this.#url = url;
    this.#log = log;
  }

  /** Active alarms, each key of a device once; none from a service without such a list. */
  async firing(stationId: string): Promise<readonly FiringAlarm[]> {
    if (this.#isMissing) return [];
    try {
      return await this.#walk(stationId);
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== 'SERVICE_REQUEST_REJECTED')
        throw error;
      this.#isMissing = true;
      this.#log.info({ err: error }, 'the service has no list of alarms; it is not asked again');
      return [];
    }
  }

  /** The newest come first, and the past is long: it ends with the first page without an active one. */
  async #walk(stationId: string): Promise<readonly FiringAlarm[]> {
    const alarms = new Map<string, FiringAlarm>();
    for (let page = 1; page <= MAX_PAGES; page += 1) {
      const { active, length } = await this.#caller.call('alarms', () => ({
        url: this.#url,
        body: { page, count: PAGE_SIZE, stationId, orderByCreatedTimeDesc: true },
        decode: (data) => decodeAlarmPage(data, this.#url.pathname),
      }));
      for (const alarm of active) {
        const name = `${alarm.deviceId} ${alarm.key}`;
        if (!alarms.has(name)) alarms.set(name, alarm);
      }
      if (length < PAGE_SIZE || active.length === 0) break;
    }
    return [...alarms.values()];
  }
}
