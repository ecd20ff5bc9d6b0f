import { singleFlight } from '../../base/concurrency.ts';
import { ServiceError } from '../../base/errors.ts';
import type { Device, Station } from '../../model/station.ts';
import { isRetryable } from '../exchange/retry.ts';
import { ILLEGAL_ARGUMENT_CODE } from '../exchange/service-codes.ts';

/** Lists what the account has. */
export interface AccountLists {
  readonly listStations: () => Promise<readonly Station[]>;
  /** The devices of all stations. */
  readonly listAllDevices: () => Promise<readonly Device[]>;
}

/** A person types a few mistaken ids; one that is not remembered costs a look-up at every answer. */
const MOST_REMEMBERED = 1000;

/**
 * Finds out whether a station id is really the id of a device or a datalogger. People mix them up, and
 * the service only refuses the id or answers with an empty list (field notes 4.4, 5).
 */
export class StationIdCheck {
  readonly #lists: AccountLists;
  /** The ids of the last station list: none of them is a mistake. */
  #stationIds: ReadonlySet<string> = new Set();
  /** The ids that the service is asked about now; one look-up judges them all. */
  readonly #underWay = new Set<string>();
  /** What is wrong with each other id that was looked up; undefined where nothing was found. */
  readonly #mistakes = new Map<string, string | undefined>();
  readonly #lookUp = singleFlight(() => this.#lookUpAll());
  #lookUps = 0;

  constructor(lists: AccountLists) {
    this.#lists = lists;
  }

  /** Notes what the account's own list of stations says. */
  stationsListed(stations: readonly Station[]): void {
    this.#stationIds = new Set(stations.map(({ stationId }) => stationId));
  }

  /**
   * Asks about a station. When the service refuses the id or its answer is empty, and the account's list
   * of stations does not have the id, looks up what else the id could be. When that finds nothing, the
   * answer or the refusal stands.
   *
   * @throws ServiceError `SERVICE_REQUEST_REJECTED` that says whose id it is and which id to use.
   */
  async explain<T>(
    stationId: string,
    ask: () => Promise<T>,
    isEmpty: (answer: T) => boolean,
  ): Promise<T> {
    const lookUpsBefore = this.#lookUps;
    this.#underWay.add(stationId);
    try {
      const answer = await ask();
      if (isEmpty(answer)) await this.#throwIfMistaken(stationId, lookUpsBefore);
      return answer;
    } catch (error) {
      if (isRefusedArgument(error)) await this.#throwIfMistaken(stationId, lookUpsBefore, error);
      throw error;
    } finally {
      this.#underWay.delete(stationId);
    }
  }

  async #throwIfMistaken(stationId: string, lookUpsBefore: number, cause?: unknown): Promise<void> {
    if (this.#stationIds.has(stationId)) return;
    // A look-up that has ended since the question began has judged this id, or has failed.
    const isJudged = this.#mistakes.has(stationId) || this.#lookUps !== lookUpsBefore;
    if (!isJudged) await this.#lookUp();
    const message = this.#mistakes.get(stationId);
    if (message !== undefined)
      throw new ServiceError('SERVICE_REQUEST_REJECTED', message, { cause });
  }

  async #lookUpAll(): Promise<void> {
    try {
      this.stationsListed(await this.#lists.listStations());
      const isUnknown = [...this.#underWay].some((id) => !this.#stationIds.has(id));
      this.#judge(isUnknown ? await this.#lists.listAllDevices() : []);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      // Look again after a passing failure. A refusal would only come again, and explains nothing.
      if (!isRetryable(error.code)) this.#judge([]);
    } finally {
      this.#lookUps += 1;
    }
  }

  #judge(devices: readonly Device[]): void {
    for (const id of this.#underWay) {
      if (this.#stationIds.has(id) || this.#mistakes.size >= MOST_REMEMBERED) continue;
      this.#mistakes.set(id, mistakeOf(id, devices));
    }
  }
}

function mistakeOf(id: string, devices: readonly Device[]): string | undefined {
  for (const device of devices) {
    const kind = kindOf(id, device);
    if (kind !== undefined) return describeMistake(id, kind, device);
  }
  return undefined;
}

function isRefusedArgument(error: unknown): error is ServiceError {
  return (
    error instanceof ServiceError &&
    error.code === 'SERVICE_API_REFUSED' &&
    error.serviceCode === ILLEGAL_ARGUMENT_CODE
  );
}

/** Says which of the device's ids this is; undefined when it is none of them. */
function kindOf(id: string, device: Device): string | undefined {
  if (id === device.deviceId) return 'the id of device';
  if (id === device.serial) return 'the serial number of device';
  if (id === device.dataloggerNumber) return 'the number of the datalogger of device';
  return id === device.dataloggerId ? 'the id of the datalogger of device' : undefined;
}

function describeMistake(id: string, kind: string, device: Device): string {
  const { deviceId, name = deviceId, stationId } = device;
  const remedy =
    stationId === undefined
      ? 'give the id of its station to --station'
      : `its station is ${stationId}: give that one to --station`;
  return `"${id}" is ${kind} "${name}", not of a station; ${remedy}`;
}
