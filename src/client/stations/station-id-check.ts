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

/**
 * Finds out whether a station id is really the id of a device or a datalogger. People mix them up, and
 * the service only refuses the id or answers with an empty list (field notes 4.4, 5).
 */
export class StationIdCheck {
  readonly #lists: AccountLists;
  /** What is wrong with each id that was looked up; undefined where nothing was found. */
  readonly #mistakes = new Map<string, Promise<string | undefined>>();

  constructor(lists: AccountLists) {
    this.#lists = lists;
  }

  /**
   * Asks about a station. When the service refuses the id or its answer is empty, looks up what else the
   * id could be. When that finds nothing, the answer or the refusal stands.
   *
   * @throws ServiceError `SERVICE_REQUEST_REJECTED` that says whose id it is and which id to use.
   */
  async explain<T>(
    stationId: string,
    ask: () => Promise<T>,
    isEmpty: (answer: T) => boolean,
  ): Promise<T> {
    try {
      const answer = await ask();
      if (isEmpty(answer)) await this.#throwIfMistaken(stationId);
      return answer;
    } catch (error) {
      if (isRefusedArgument(error)) await this.#throwIfMistaken(stationId, error);
      throw error;
    }
  }

  async #throwIfMistaken(stationId: string, cause?: unknown): Promise<void> {
    let mistake = this.#mistakes.get(stationId);
    if (mistake === undefined) {
      mistake = this.#lookUp(stationId).catch((error: unknown) => {
        if (!(error instanceof ServiceError)) throw error;
        // Look again after a passing failure. A refusal would only come again, and explains nothing.
        if (isRetryable(error.code)) this.#mistakes.delete(stationId);
        return undefined;
      });
      this.#mistakes.set(stationId, mistake);
    }
    const message = await mistake;
    if (message !== undefined)
      throw new ServiceError('SERVICE_REQUEST_REJECTED', message, { cause });
  }

  async #lookUp(stationId: string): Promise<string | undefined> {
    const stations = await this.#lists.listStations();
    if (stations.some((station) => station.stationId === stationId)) return undefined;
    for (const device of await this.#lists.listAllDevices()) {
      const kind = kindOf(stationId, device);
      if (kind !== undefined) return describeMistake(stationId, kind, device);
    }
    return undefined;
  }
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
